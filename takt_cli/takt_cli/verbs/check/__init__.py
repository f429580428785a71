"""`takt check`: faults of a schedule file."""
