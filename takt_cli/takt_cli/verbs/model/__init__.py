"""`takt model`: a system model of what was traced."""

PACKAGES = "takt_trace"
