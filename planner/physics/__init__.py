"""Pure functions on arrays: no solver, no files."""
