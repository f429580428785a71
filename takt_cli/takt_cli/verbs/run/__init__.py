"""`takt run`: runs a graph."""
