"""The part of `planner calibrate` that takes profiles: their jobs, their messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from planner.domain.calibration import ComputeCalibration
    from planner.domain.instance import Instance
    from planner.domain.profile import StepProfile
    from planner.physics.wiring import Wiring
    from planner.study.calibrate_compute import Profiled
    from planner.study.collective_rows import CollectiveRow

WHOLE_RUN = "all_reduce"
"""What stands in as the collective when facts are completed for the whole run."""


@dataclass(kw_only=True)
class Profiles:
    """Profiles as read, with what is known of the machines and the job that they are of."""

    paths: Sequence[Path]
    facts: dict[str, Any]
    profiles: list[StepProfile] = field(default_factory=list)
    taken: list[Profiled] = field(default_factory=list)
    """With their jobs, where an instance says what they are."""

    @classmethod
    def read(
        cls,
        paths: Sequence[Path],
        instance: str | None,
        workload: str | None,
        facts: dict[str, Any],
    ) -> Profiles:
        """Read profiles and find their job in an instance.

        Raises
        ------
        InputError
            If a profile or the instance cannot be used.
        UsageError
            If an instance or a workload is given without any profile or instance.
        """
        from planner.domain.errors import UsageError
        from planner.importers.profile_files import read_any_profile

        if workload is not None and instance is None:
            raise UsageError("--workload names a workload of an instance; give --instance too")
        if instance is not None and not paths:
            raise UsageError("--instance says what a profile was taken of; no profile is given")
        found = cls(paths=paths, facts=facts, profiles=[read_any_profile(p) for p in paths])
        for path, profile in zip(paths, found.profiles, strict=True):
            for note in profile.notes:
                click.echo(f"{path}: {note}", err=True)
        if instance is not None:
            found._find_jobs(instance, workload)
        return found

    def _find_jobs(self, name: str, workload: str | None) -> None:
        from planner.domain.compute_constants import shipped_constants
        from planner.domain.instance import load_instance
        from planner.study.calibrate_compute import Profiled
        from planner.study.profiled_job import profiled_job

        loaded, file = load_instance(name)
        constants = shipped_constants().compute
        for path, profile in zip(self.paths, self.profiles, strict=True):
            gpu = self._gpu(profile, loaded)
            job = profiled_job(loaded, file, workload, profile, gpu, constants)
            self.taken.append(Profiled(log=str(path), profile=profile, job=job))

    def _gpu(self, profile: StepProfile, instance: Instance) -> str | None:
        """Return the accelerator: as told, as the instance fixes it, or as the profile names it."""
        from planner.importers.device_names import board_of

        if self.facts.get("gpu"):
            return str(self.facts["gpu"])
        fixed = instance.fix.values()
        if "accelerator" in fixed or "server" in fixed:
            return None
        board = board_of((profile.device,))
        return None if board is None else board.gpu

    def compute(self) -> tuple[ComputeCalibration, ...]:
        """Return the factors on computation; none without an instance, which is said."""
        from planner.domain.compute_constants import shipped_constants
        from planner.study.calibrate_compute import calibrate_compute

        if self.paths and not self.taken:
            text = "compute is not calibrated: --instance must say which job was profiled"
            click.echo(text, err=True)
        return calibrate_compute(self.taken, shipped_constants())

    def rows(self, labels: list[str]) -> list[CollectiveRow]:
        """Return the messages as measured collectives; `labels` grows by their files."""
        from planner.study.profile_rows import profile_rows

        rows: list[CollectiveRow] = []
        reasons: Counter[str] = Counter()
        for place, (path, profile) in enumerate(zip(self.paths, self.profiles, strict=True)):
            if not profile.messages:
                continue
            wiring = self.taken[place].job.wiring if self.taken else self._wiring(path, profile)
            found, why = profile_rows(profile, wiring, str(path), len(labels))
            rows += found
            labels += [str(path)] * len(found)
            reasons += why
        for why_not, count in reasons.items():
            click.echo(f"{count} messages not used: {why_not}", err=True)
        return rows

    def _wiring(self, path: Path, profile: StepProfile) -> Wiring:
        """Return the wiring that the options and the GPU's name tell, without an instance."""
        from planner.domain.errors import Fault, InputError
        from planner.importers.nccl_table import Facts, table_rows
        from planner.importers.nccl_tests import NcclRow, NcclRun
        from planner.study.collective_rows import map_row

        if profile.world_size is None or profile.world_size < 2:
            what = "the profile does not say how many ranks took part"
            raise InputError(str(path), [Fault("profile", what, "give --instance")])
        row = NcclRow(size_bytes=1024, time_us=1.0, algbw_gbytes_per_s=1.0, busbw_gbytes_per_s=1.0)
        run = NcclRun(
            file=str(path),
            collective=WHOLE_RUN,
            ranks=profile.world_size,
            hosts=None,
            gpus_per_host=None,
            device_names=(profile.device,),
            nccl_version="",
            rows=(row,),
            notes=(),
        )
        return map_row(0, table_rows(run, Facts(**self.facts))[0]).wiring

    def check(self, rows: Sequence[CollectiveRow]) -> None:
        """Raise InputError if the profiles are all there is and tell nothing."""
        from planner.domain.errors import Fault, InputError

        if not rows and not self.taken:
            files = ", ".join(str(path) for path in self.paths) or "calibrate"
            what = "holds nothing to calibrate: no messages with sizes, and no job is named"
            raise InputError(files, [Fault("profile", what, "give --instance and --workload")])
