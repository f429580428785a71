"""`takt apply`: running processes under a schedule."""

PACKAGES = "none"
