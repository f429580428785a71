"""`takt calibrate`: the costs of a run beside its own work."""

PACKAGES = "takt_workload"
