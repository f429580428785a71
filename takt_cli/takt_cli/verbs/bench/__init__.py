"""`takt bench`: the benchmarks that are built."""

PACKAGES = "all"
HIDDEN = True
