"""Where the `planner` command begins: Ctrl-C is quiet even while the program is still loading."""

import sys


def main() -> None:
    """Load the command line and run it; the process ends with the documented exit code."""
    try:
        from planner.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
