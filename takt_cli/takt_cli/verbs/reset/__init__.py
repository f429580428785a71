"""`takt reset`: running processes as they were before."""

PACKAGES = "none"
