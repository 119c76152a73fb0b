"""The chosen strategy as the flags and files of training frameworks."""
