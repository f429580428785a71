"""`takt host`: this machine's cores, rights and speed."""

PACKAGES = "takt_workload"
