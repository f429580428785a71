"""`takt demo`: runs the reference system under stock executors and under takt; and live demos."""

PACKAGES = "takt_workload"
COMMANDS = "pendulum camera"
PACKAGES_camera = "takt_workload takt_plan"
