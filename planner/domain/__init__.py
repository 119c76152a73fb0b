"""Validated frozen data; imports nothing else of the project."""
