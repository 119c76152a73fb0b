"""A Power BI project as text: semantic model in TMDL, report pages in PBIR."""
