"""Where the `planner` command begins: Ctrl-C is quiet even while the program is still loading."""

import gc
import sys

COLLECT_AFTER = 200_000
"""New objects between searches for garbage: most that an answer is made of live to its end."""


def main() -> None:
    """Load the command line and run it; the process ends with the documented exit code."""
    gc.set_threshold(COLLECT_AFTER, 20, 50)
    try:
        from planner.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
