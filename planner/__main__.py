"""Run the command line with ``python -m planner``."""

from planner.start import main

main()
