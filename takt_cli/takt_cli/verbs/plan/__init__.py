"""`takt plan`: a schedule for a system model, and a page of what threads gain."""

PACKAGES = "takt_plan"
