"""`takt exec` and `takt observe`: hand the command line to takt_exec, and become it.

takt_exec starts within milliseconds. Its options end where the user's program begins, so takt's own
parser never sees them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NoReturn

from takt_cli.programs import find_program

COMMANDS = ("exec", "observe")


def become(arguments: Sequence[str]) -> NoReturn:
    """Replace this process; `arguments` begin with the command's name."""
    program = find_program("takt_exec", "takt_rclcpp")
    command, *rest = arguments
    if command == "observe":
        rest = ["--observing", *rest]
    os.execv(program, [str(program), *rest])


def exec_help() -> None:
    """Run a compiled ROS 2 program, unchanged, under takt; see `takt exec --help`."""


def observe_help() -> None:
    """Run a program, and write a system model of it; see `takt observe --help`."""
