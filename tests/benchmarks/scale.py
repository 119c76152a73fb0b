"""How time, memory and gaps of `planner solve` and `planner verify` grow with nodes.

    python -m tests.benchmarks.scale [NODES ...]

Each row is a process of its own. Up to 128 nodes it is `scale-128` with so many servers and a room
that fits, up to 1,024 two tiers of RoCE likewise, beyond the shipped instances. Processor seconds.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

INSTANCES = Path(__file__).parents[2] / "instances"
SHIPPED = {2048: "scale-2048", 12500: "scale-12500"}
NODES = (16, 32, 64, 128, 256, 512, 1024, 2048, 12500)
SERVERS_PER_RACK = 4
COLUMNS = ("nodes", "racks", "links", "solve CPU s", "solve MiB", "gap", "placement gap",
           "verify CPU s", "verify MiB", "page MB")  # fmt: skip


def instance_of(nodes: int) -> dict[str, Any]:
    """Return the instance of so many servers."""
    name = SHIPPED.get(nodes, "scale-128")
    data: dict[str, Any] = json.loads((INSTANCES / f"{name}.json").read_text(encoding="utf-8"))
    if nodes in SHIPPED:
        return data
    data["name"] = f"scale-{nodes}"
    data["fix"]["nodes"] = nodes
    data["workloads"][0] |= {"deadline_days": 60 * max(1.0, 128 / nodes)}
    racks = -(-nodes // SERVERS_PER_RACK) * 2
    data["site"] |= {"racks": max(12, racks), "racks_per_row": max(6, min(40, round(racks**0.5)))}
    return data


def measured(command: list[str]) -> tuple[float, float]:
    """Run a command; return its processor seconds and most MiB of memory."""
    script = (
        "import resource,subprocess,sys;"
        "subprocess.run(sys.argv[1:],check=True,stdout=subprocess.DEVNULL);"
        "u=resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(u.ru_utime+u.ru_stime,u.ru_maxrss/1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command], check=True, capture_output=True, text=True
    )
    seconds, mib = done.stdout.split()[-2:]
    return float(seconds), float(mib)


def row(nodes: int) -> list[str]:
    """Return the figures of one size."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "instance.json", Path(folder) / "report"
        path.write_text(json.dumps(instance_of(nodes)), encoding="utf-8")
        planner = [sys.executable, "-m", "planner"]
        solve_s, solve_mib = measured([*planner, "solve", str(path), "-o", str(out)])
        verify_s, verify_mib = measured([*planner, "verify", str(out / "solution.json")])
        answer = json.loads((out / "solution.json").read_text(encoding="utf-8"))
        cables = answer["design"]["fabric"]["cables"]
        page = (out / "index.html").stat().st_size / 1e6
    return [
        f"{nodes:,}",
        f"{answer['design']['racks']:,}",
        f"{sum(cables.values()):,}",
        f"{solve_s:.1f}",
        f"{solve_mib:,.0f}",
        f"{answer['gap']:.3%}",
        f"{answer['placement_gap']:.2%}",
        f"{verify_s:.1f}",
        f"{verify_mib:,.0f}",
        f"{page:.2f}",
    ]


def main() -> None:
    """Print one row a size as it is measured."""
    resource.setrlimit(resource.RLIMIT_AS, (4 * 1024**3, resource.getrlimit(resource.RLIMIT_AS)[1]))
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---:|" * len(COLUMNS))
    for nodes in [int(text) for text in sys.argv[1:]] or NODES:
        print("| " + " | ".join(row(nodes)) + " |", flush=True)


if __name__ == "__main__":
    main()
