"""`takt exec`: runs a compiled program, unchanged, under takt."""

PACKAGES = "takt_rclcpp"
PROGRAM = "takt_exec"
