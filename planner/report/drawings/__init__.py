"""Drawings of a solution as SVG."""
