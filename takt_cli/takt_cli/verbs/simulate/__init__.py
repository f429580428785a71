"""`takt simulate`: a system model under a schedule in virtual time."""

PACKAGES = "takt_plan takt_workload"
