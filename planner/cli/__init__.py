"""The command line: arguments, progress and exit codes; no rule of the model."""
