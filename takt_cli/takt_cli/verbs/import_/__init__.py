"""`takt import`: makes schedules of the configurations of other tools."""
