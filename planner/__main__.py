"""Run the command line with ``python -m planner``."""

from planner.cli.main import main

main()
