"""`takt graph`: the content of a graph file."""

PACKAGES = "takt_workload"
