"""Reports and drawings made from a solution."""
