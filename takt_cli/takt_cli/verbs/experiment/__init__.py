"""`takt experiment`: the experiments: their runs, and the limits beside the numbers."""

PACKAGES = "all"
HIDDEN = True
COMMANDS = (
    "executors binding policy hot-path bounds planners tightness isolation data-path pipeline "
    "adopted workshop control-loop"
)
