"""`takt doctor`: is a machine fit for real time: findings, and fixes that can be undone."""

PACKAGES = "none"
