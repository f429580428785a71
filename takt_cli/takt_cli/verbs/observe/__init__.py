"""`takt model -- PROGRAM`, once `takt observe`: runs a program, and writes a system model of it."""

PACKAGES = "takt_rclcpp"
PROGRAM = "takt_exec"
HIDDEN = True
