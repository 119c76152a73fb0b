"""CSV files for NetBox' bulk import."""
