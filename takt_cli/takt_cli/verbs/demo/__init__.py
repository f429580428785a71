"""`takt demo`: runs the reference system under stock executors and under takt."""

PACKAGES = "takt_workload"
