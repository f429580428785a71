"""`takt completion`: words for the tab key."""

PACKAGES = "none"
