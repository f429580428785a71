"""`takt model`: a system model of what was traced."""
