"""Makes schedules of the configurations of other tools."""
