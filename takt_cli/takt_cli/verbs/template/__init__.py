"""`takt template`: running executors as a schedule to edit."""

PACKAGES = "none"
