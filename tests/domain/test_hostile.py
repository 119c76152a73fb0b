"""Instances and catalogues that are broken on purpose: answered or refused, never a traceback."""

from __future__ import annotations

import collections
import json
import os
import random
import resource
import sys

import pytest

from planner.cli.main import run
from planner.domain.catalog import load_catalog
from planner.domain.errors import InputError
from planner.domain.instance import Instance, load_instance
from planner.domain.json_file import parse_json, validate
from tests.domain import mutations

MEMORY_BYTES = 2 * 2**30
CPU_S = 120
"""Of one solve: far more than a step between two looks at the time limit takes."""


def read_instance(seed, folder):
    """Read one hostile instance; returns whether it was taken."""
    path = folder / "instance.json"
    path.write_bytes(mutations.instance(random.Random(seed)))
    return taken(load_instance, str(path))


def read_catalogue(seed, folder):
    """Read one hostile table over the shipped ones; returns whether it was taken."""
    name, content = mutations.table(random.Random(seed))
    for path in folder.glob("*.csv"):
        path.unlink()
    (folder / name).write_bytes(content)
    return taken(load_catalog, folder)


def taken(load, where):
    """Return whether a file is taken; a refusal is lines that each say where and what."""
    try:
        load(where)
    except InputError as error:
        lines = str(error).splitlines()
        assert lines
        assert all(len(line) < 2000 for line in lines)
        return False
    return True


def test_hostile_files_are_read_or_refused(tmp_path):
    """Some of each; the long test has a hundred thousand."""
    instances = [read_instance(seed, tmp_path) for seed in range(400)]
    catalogues = [read_catalogue(seed, tmp_path) for seed in range(60)]
    assert 0 < sum(instances) < len(instances)
    assert 0 < sum(catalogues) < len(catalogues)


@pytest.mark.slow
def test_a_hundred_thousand_hostile_files(tmp_path):
    """The same, at length: 95,000 instances and 5,000 catalogues."""
    for seed in range(95_000):
        read_instance(10_000 + seed, tmp_path)
    for seed in range(5_000):
        read_catalogue(10_000 + seed, tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="devices, pipes and links of POSIX")
@pytest.mark.parametrize("key", ["network", "catalog", "instance"])
@pytest.mark.parametrize(
    "name", ["loop", "a/b/../../loop", "../" * 40 + "etc/passwd", "/dev/zero", "/dev/stdin", "pipe",
             "folder", ".", "\u0000", "x" * 5000, "self.json", "/proc/self/mem"],
)  # fmt: skip
def test_references_that_lead_nowhere_are_refused(tmp_path, name, key, capsys):
    """Links in a circle, devices that never end, pipes nobody writes, folders, the file itself."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    document = {
        "name": "a", "site": {"racks": 1, "rack_kw": 20},
        "workloads": [{"name": "w", "network": "gpt2-xl", "sequence_length": 1024,
                       "global_batch": 8, "step_time_s": 5}],
    }  # fmt: skip
    if key == "network":
        document["workloads"][0]["network"] = name
    elif key == "catalog":
        document["catalog"] = name
    path = tmp_path / "self.json"
    path.write_text(json.dumps(document))
    given = path if key != "instance" else (name if name.startswith("/") else tmp_path / name)
    if key == "instance" and name == "self.json":
        return
    code = run(["solve", str(given), "-o", str(tmp_path / "r"), "--time-limit", "5"])
    said = capsys.readouterr()
    if not (
        key == "catalog" and name in ("folder", ".")
    ):  # a folder without tables changes nothing
        assert code == 2
        assert said.out == ""
    assert "root:" not in said.err
    assert len(said.err.splitlines()) <= 3


def solved_apart(document, folder):
    """Solve an instance in a process of its own; returns exit code, errors, bytes and CPU seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "i.json").write_text(json.dumps(document), encoding="utf-8")
    child = os.fork()
    if child == 0:
        code = 99
        try:
            resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY_BYTES, 2 * MEMORY_BYTES))
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
            for stream, name in ((1, "out"), (2, "err")):
                os.dup2(os.open(folder / name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), stream)
            sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  not pytest's
            sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
            code = run(["solve", str(folder / "i.json"), "-o", str(folder / "r"), "--json",
                        "--time-limit", "2", "--no-alternatives"])  # fmt: skip
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status, usage = os.wait4(child, 0)
    return (
        os.waitstatus_to_exitcode(status), (folder / "err").read_text(errors="replace"),
        usage.ru_maxrss * 1024, usage.ru_utime,
    )  # fmt: skip


def hostile_solves(count, folder, seed):
    """Solve hostile instances that validation takes; returns how many ended with which code."""
    codes = collections.Counter()
    most_bytes = most_cpu_s = 0.0
    while codes.total() < count:
        seed += 1
        dice = random.Random(seed)
        text = mutations.instance_texts()[dice.choice(sorted(mutations.instance_texts()))]
        document = mutations.changed(json.loads(text), dice)
        try:
            validate(Instance, parse_json(mutations.text_of(document), "i"), "i")
        except InputError:
            continue
        code, err, peak_bytes, cpu_s = solved_apart(document, folder)
        said = (seed, code, err[-1500:], peak_bytes, cpu_s)
        assert code in (0, 2, 3, 4), said
        assert "Traceback" not in err, said
        assert peak_bytes < MEMORY_BYTES, said
        assert code == 0 or err or (folder / "out").stat().st_size, said
        codes[code] += 1
        most_bytes, most_cpu_s = max(most_bytes, peak_bytes), max(most_cpu_s, cpu_s)
    return codes, most_bytes, most_cpu_s


@pytest.mark.skipif(sys.platform != "linux", reason="limits and figures of Linux")
def test_hostile_instances_end_in_an_exit_code(tmp_path):
    """A few; the long test has five hundred."""
    codes, _, _ = hostile_solves(4, tmp_path, seed=0)
    assert codes.total() == 4


def numbers(value, path=()):
    """Yield the path of each number of a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from numbers(inner, (*path, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


TINY_PATHS = [
    (name, path)
    for name in ("goodput-70b", "tiny")
    for path in numbers(json.loads(mutations.instance_texts()[name]))
]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits and figures of Linux")
@pytest.mark.parametrize("least", [1e-300, 1e-6])
@pytest.mark.parametrize(("name", "path"), TINY_PATHS)
def test_a_number_near_nothing_ends_in_an_exit_code(tmp_path, name, path, least):
    """Each number of an instance in turn: refused, infeasible or decided, never a traceback."""
    document = json.loads(mutations.instance_texts()[name])
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = least
    code, err, _, _ = solved_apart(document, tmp_path)
    assert code in (0, 2, 3, 4), err[-1500:]
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits and figures of Linux")
def test_five_hundred_hostile_instances_end_in_an_exit_code(tmp_path, record_property):
    """Under a limit of two seconds and 2 GiB: 0, 2, 3 or 4, never a traceback."""
    codes, most_bytes, most_cpu_s = hostile_solves(500, tmp_path, seed=100_000)
    record_property("codes", dict(codes))
    record_property("most_mib", most_bytes / 2**20)
    record_property("most_cpu_s", most_cpu_s)
    assert set(codes) <= {0, 2, 3, 4}
