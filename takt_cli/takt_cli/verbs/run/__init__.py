"""`takt run`: runs a graph."""

PACKAGES = "takt_workload"
