"""Many solves, one question."""
