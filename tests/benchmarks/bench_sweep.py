"""Time a sweep of 1,000 small instances on two local workers.

Run: python tests/benchmarks/bench_sweep.py [INSTANCES] [WORKERS]; prints seconds, and the peak
memory of the sweep and of its largest worker.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time


def main() -> None:
    """Sweep the targets and electricity prices of the smallest instance."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    workers = sys.argv[2] if len(sys.argv) > 2 else "2"
    rows = max(1, count // 10)
    with tempfile.TemporaryDirectory() as folder:
        words = [
            sys.executable, "-m", "planner", "sweep", "tiny", "-o", folder, "--workers", workers,
            "--vary", f"workloads[0].step_time_s=4:{4 + 0.1 * (rows - 1):g}:0.1",
            "--vary", "site.electricity_usd_per_kwh=0.05:0.14:0.01", "--json",
        ]  # fmt: skip
        began = time.monotonic()
        done = subprocess.run(words, stdout=subprocess.PIPE, check=True)
        wall = time.monotonic() - began
    answer = json.loads(done.stdout)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{answer['instances']} instances, {answer['outcomes']}: {wall:.1f} s wall, "
          f"{used.ru_utime + used.ru_stime:.1f} s CPU, "
          f"{wall / answer['instances'] * 1000:.0f} ms each, "
          f"largest process {used.ru_maxrss / 1024:.0f} MiB")  # fmt: skip


if __name__ == "__main__":
    main()
