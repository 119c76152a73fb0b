"""Charts of figures, drawn by Altair into static SVG: no script, no network, hover by titles."""
