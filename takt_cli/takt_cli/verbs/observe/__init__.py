"""`takt observe`: runs a compiled program, and writes a system model of it."""

PACKAGES = "takt_rclcpp"
PROGRAM = "takt_exec"
