"""`takt import`: makes schedules of the configurations of other tools."""

PACKAGES = "none"
COMMANDS = "cie agnocast rep2017"
