"""`takt exec` and `takt model -- PROGRAM`: hand the command line to takt_exec, and become it.

takt_exec starts within milliseconds. Its options end where the user's program begins, so takt's own
parser never sees them.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib.resources import files
from typing import NoReturn

from takt_cli.base.programs import find_program
from takt_cli.verbs.known import said_of

_HELP = ("-h", "--help")


def become(arguments: Sequence[str]) -> NoReturn:
    """Replace this process; `arguments` begin with the command's name."""
    command, *rest = arguments
    if rest and rest[0] in _HELP:
        # Printed before there is a build, too.
        sys.stdout.write(help_of(command))
        sys.exit(0)
    program = find_program(said_of(command, "PROGRAM"), said_of(command, "PACKAGES"))
    if command == "observe":
        rest = ["--observing", *rest]
    # Python ignores these, and a program inherits what is ignored.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execv(program, [str(program), *rest])


def help_of(command: str) -> str:
    """Give the help of one of the commands."""
    return (files("takt_cli") / "help" / f"{command}.txt").read_text(encoding="utf-8")


def command() -> None:
    """Run a compiled ROS 2 program, unchanged, under takt; see `takt exec --help`."""
