"""The independent checker of a solution."""
