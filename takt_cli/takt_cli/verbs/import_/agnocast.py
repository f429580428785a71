"""Files of Agnocast's thread configurator."""

from __future__ import annotations

import yaml

from takt_cli.verbs.import_.isolated import Dialect, read_configuration
from takt_cli.verbs.import_.not_carried_over import Findings
from takt_cli.verbs.import_.written_schedule import Executor

ABOUT = (
    "Run the programs with a multi-threaded executor of rclcpp, or component_container_mt, under",
    "takt exec: takt does not adopt executors of Agnocast, which have a spin of their own.",
)
_DIALECT = Dialect(
    tool="Agnocast",
    thread_key="name",
    wildcards=True,
    domains=True,
)


def read(tree: yaml.Node, findings: Findings) -> list[Executor]:
    """Make executors of the file; faults and remarks are in `findings`."""
    return read_configuration(tree, _DIALECT, findings)
