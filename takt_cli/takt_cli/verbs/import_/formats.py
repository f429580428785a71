"""The formats that takt imports, and the way from a file to a schedule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from takt_cli.files.standard_input import DASH, NAME, standard_input
from takt_cli.verbs.import_ import rep2017
from takt_cli.verbs.import_.isolated import Dialect, read_configuration
from takt_cli.verbs.import_.marked_yaml import read_tree
from takt_cli.verbs.import_.not_carried_over import Fault, Findings, Remark
from takt_cli.verbs.import_.written_schedule import Executor, as_schedule, as_text


@dataclass(frozen=True)
class Format:
    """One format: its name on the command line, its reader, and the comment of its schedules."""

    name: str
    read: Callable[[yaml.Node, Findings], list[Executor]]
    about: Sequence[str]


@dataclass(frozen=True)
class Imported:
    """A schedule or the faults of the file, and the differences between schedule and file."""

    faults: list[Fault]
    remarks: list[Remark]
    schedule: dict[str, Any] = field(default_factory=dict)
    text: str = ""


_RUN_THEM = (
    "Run the programs with a multi-threaded executor of rclcpp, or component_container_mt, under"
)


def _isolated(name: str, dialect: Dialect, own: str) -> Format:
    """Make a format of executors with a thread for each callback group; `own`: their spin."""
    about = (
        _RUN_THEM,
        f"takt exec: takt does not adopt {own} own.",
    )
    return Format(name, lambda tree, found: read_configuration(tree, dialect, found), about)


# The thread configurator of CallbackIsolatedExecutor, and templates of cie-inspector.
CIE = _isolated(
    "cie",
    Dialect(tool="CallbackIsolatedExecutor", thread_key="id", wildcards=False, domains=False),
    "CallbackIsolatedExecutor, which has a spin of its",
)
# Agnocast's thread configurator.
AGNOCAST = _isolated(
    "agnocast",
    Dialect(tool="Agnocast", thread_key="name", wildcards=True, domains=True),
    "executors of Agnocast, which have a spin of their",
)
REP2017 = Format("rep2017", rep2017.read, rep2017.ABOUT)


def import_file(of: Format, file: Path) -> Imported:
    """Read a configuration and make a schedule of it."""
    dash = str(file) == DASH
    findings = Findings(NAME if dash else str(file))
    tree = read_tree(standard_input() if dash else file, findings)
    executors = of.read(tree, findings) if tree is not None else []
    if findings.faults:
        return Imported(findings.faults, findings.remarks)
    schedule = as_schedule(executors)
    about = (f"Written by takt import {of.name} from {findings.file}.", *of.about)
    text = as_text(schedule, about, findings.remarks)
    return Imported([], findings.remarks, schedule, text)
