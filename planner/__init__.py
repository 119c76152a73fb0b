"""Choose, wire, place and run a GPU training cluster in one optimization."""

__version__ = "0.1.0"
