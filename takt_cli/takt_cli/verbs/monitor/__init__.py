"""`takt monitor`: watches all processes under takt, and carries out the actions of alarms."""

PACKAGES = "none"
