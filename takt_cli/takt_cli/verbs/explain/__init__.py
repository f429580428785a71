"""`takt explain`: bounds of response times, and pages of their hyperperiod."""

PACKAGES = "takt_plan takt_workload"
