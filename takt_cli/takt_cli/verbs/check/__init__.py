"""`takt check`: faults of a schedule file."""

PACKAGES = "takt_schedule"
