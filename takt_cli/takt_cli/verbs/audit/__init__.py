"""`takt audit`: callbacks that a schedule newly lets run side by side."""

PACKAGES = "takt_schedule"
