"""Files of the thread configurator of CallbackIsolatedExecutor, and templates of cie-inspector."""

from __future__ import annotations

import yaml

from takt_cli.verbs.import_.isolated import Dialect, read_configuration
from takt_cli.verbs.import_.not_carried_over import Findings
from takt_cli.verbs.import_.written_schedule import Executor

ABOUT = (
    "Run the programs with a multi-threaded executor of rclcpp, or component_container_mt, under",
    "takt exec: takt does not adopt CallbackIsolatedExecutor, which has a spin of its own.",
)
_DIALECT = Dialect(
    tool="CallbackIsolatedExecutor",
    thread_key="id",
    wildcards=False,
    domains=False,
)


def read(tree: yaml.Node, findings: Findings) -> list[Executor]:
    """Make executors of the file; faults and remarks are in `findings`."""
    return read_configuration(tree, _DIALECT, findings)
