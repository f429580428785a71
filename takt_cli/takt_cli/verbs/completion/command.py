"""`takt completion`: commands and options by the tab key, in bash, zsh and fish.

The library has a script for each shell. It runs `takt` with a variable that holds the question, and
reads the answer from standard output.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Annotated, NoReturn

import typer
from typer.completion import completion_init, get_completion_script
from typer.main import get_command

from takt_cli.base.streams import write_utf8

# The library makes this name of the program's.
ASKED = "_TAKT_COMPLETE"


class Shell(str, Enum):
    """Shells that can be answered."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def command(
    shell: Annotated[Shell, typer.Argument(help="The shell that is to read it.")],
) -> None:
    """Print a script for a shell; once it has read this, the tab key completes takt's words."""
    script = get_completion_script(prog_name="takt", complete_var=ASKED, shell=shell.value)
    write_utf8(f"{script}\n")


def answer(app_for: Callable[[Sequence[str]], typer.Typer]) -> NoReturn:
    """Answer the shell's question, which is in the environment, and end."""
    completion_init()
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    get_command(app_for(line.split()[1:2]))(args=[], prog_name="takt")
    raise SystemExit(0)
