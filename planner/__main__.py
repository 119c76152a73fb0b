"""Run the command line with ``python -m planner``."""

import sys

try:
    from planner.cli.main import main
except KeyboardInterrupt:
    sys.exit(130)

main()
