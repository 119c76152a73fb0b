"""The report's sections: one file each, listed in reading order in `order.py`."""
