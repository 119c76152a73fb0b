"""Workbook for people: what to order, where it stands, and what the figures rest on."""
