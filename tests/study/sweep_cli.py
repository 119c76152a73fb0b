"""The command line with a checker that logs every solve; run by tests as a process of its own."""

from __future__ import annotations

import sweep_work

import planner.verify.check

if __name__ == "__main__":
    planner.verify.check.verify = sweep_work.counted_check
    from planner.cli.main import main

    main()
