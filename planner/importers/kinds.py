"""The kinds of file that can be imported, under which names, and by whom they are read."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.importers.imported import Given, Imported
from planner.importers.source import MAX_BYTES, MAX_DUMP_BYTES, read_source


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind: its reader as ``module:function``, and what it is in a few words."""

    reader: str
    about: str
    max_bytes: int = MAX_BYTES
    reads_path: bool = False
    """True where the reader opens the file itself, because it may not be text."""
    table: str = ""
    """Where people want a table rather than the document: what makes it, as ``module:function``."""


def _dump(reader: str, about: str) -> Kind:
    return Kind(reader=reader, about=about, max_bytes=MAX_DUMP_BYTES)


KINDS: Mapping[str, Kind] = {
    "hf-config": Kind(
        reader="hf_config:read_hf_config", about="A model's config.json, as a network."
    ),
    "megatron-args": Kind(
        reader="megatron_args:read_megatron_args",
        about="A Megatron launch script, argument line or log, as a job pinned as it runs.",
    ),
    "deepspeed-config": Kind(
        reader="deepspeed_config:read_deepspeed_config",
        about="DeepSpeed's ds_config.json, as a job pinned as it runs.",
    ),
    "torchtitan": Kind(
        reader="torchtitan:read_torchtitan",
        about="A torchtitan TOML file, as a job pinned as it runs.",
    ),
    "nccl-topology": Kind(
        reader="nccl_topology:read_nccl_topology",
        about="NCCL's topology XML, as a server with its wiring.",
    ),
    "nvidia-smi-topo": Kind(
        reader="nvidia_smi_topo:read_nvidia_smi_topo",
        about="'nvidia-smi topo -m' as pasted, as a server with its wiring.",
    ),
    "slurm-topology": _dump(
        "slurm_topology:read_slurm_topology",
        "Slurm's topology.conf or topology.yaml, as the fabric that exists.",
    ),
    "ibnetdiscover": _dump(
        "ibnetdiscover:read_ibnetdiscover", "Output of ibnetdiscover, as the fabric that exists."
    ),
    "iblinkinfo": _dump(
        "iblinkinfo:read_iblinkinfo", "Output of iblinkinfo, as the fabric that exists."
    ),
    "lldp": _dump("lldp:read_lldp", "'lldpctl -f keyvalue' of one host, as its links."),
    "netbox-cables": _dump(
        "netbox_cables:read_netbox_cables", "NetBox's cables (CSV), as the fabric that exists."
    ),
    "topograph": _dump("topograph:read_topograph", "topograph's YAML, as the fabric that exists."),
    "netq": _dump("netq:read_netq", "NetQ's topology graph (JSON), as the fabric that exists."),
    "fabric-other": _dump("other_fabric:read_other_fabric", "topograph or netq, whichever it is."),
    "torch-trace": Kind(
        reader="torch_trace:read_torch_trace",
        about="A trace of the PyTorch profiler (JSON, .gz), as what one step consists of.",
        reads_path=True,
        table="planner.cli.profile_table:profile_table",
    ),
    "nsys": Kind(
        reader="nsys:read_nsys",
        about="Nsight Systems' SQLite export, as what one step consists of.",
        reads_path=True,
        table="planner.cli.profile_table:profile_table",
    ),
    "quotes": Kind(
        reader="quotes:read_quotes",
        about="Vendor prices or a filled-in bill (CSV, XLSX), as quotes of an instance.",
        reads_path=True,
    ),
}
"""By name; nccl-tests logs have options of their own and stand beside them."""

ALIASES: Mapping[str, str] = {
    "nccl-topo-xml": "nccl-topology",
    "nccl-graph-xml": "nccl-topology",
    "torchtitan-toml": "torchtitan",
    "fabric-slurm-topology": "slurm-topology",
    "fabric-ibnetdiscover": "ibnetdiscover",
    "fabric-iblinkinfo": "iblinkinfo",
    "fabric-lldp": "lldp",
    "fabric-netbox": "netbox-cables",
    "busbw-tables": "nccl-tests",
    "pytorch-trace": "torch-trace",
    "kineto": "torch-trace",
    "nsight-systems": "nsys",
}
"""Other names of a kind."""


FABRIC = "existing_fabric.json"
"""Document of the kinds that read a fabric."""


def nearest_kind(name: str, known: list[str]) -> str:
    """Return what to say of an unknown kind: the nearest, or all."""
    near = difflib.get_close_matches(name[:60], [*known, *ALIASES], n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"known kinds: {', '.join(known)}"


def import_file(kind: str, path: Path, given: Given) -> Imported:
    """Return what a file of a kind holds.

    Raises
    ------
    InputError
        If the file cannot be used, or a given key is none of this kind.
    """
    entry = KINDS[kind]
    module, function = entry.reader.split(":")
    reader: Callable[[Any, Given], Imported] = getattr(
        importlib.import_module(f"planner.importers.{module}"), function
    )
    result = reader(path if entry.reads_path else read_source(path, entry.max_bytes), given)
    if FABRIC in result.documents:
        from planner.importers.owned_instance import with_owned

        result = with_owned(result, given)
    given.check_used(kind)
    return result
