"""Runs a program of the installation, and passes on its output and its exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import typer

from takt_cli.base.console import pass_through, pass_through_errors
from takt_cli.base.errors import EXIT_INTERRUPTED
from takt_cli.base.processes import Finished, program_failed, run_program

# Time for an interrupted program to complete the file that it writes.
_LAST_WORDS_S = 10.0


def run_aloud(program: Path, arguments: Sequence[str], timeout_s: float) -> Finished:
    """Run a program that may take long, and show its standard error at once.

    The program itself says what an interrupt left; its exit code is then EXIT_INTERRUPTED.
    """
    return run_program(
        program,
        arguments,
        timeout_s=timeout_s,
        check=False,
        follow=lambda text: pass_through_errors(_renamed(text, program.name)),
        last_words_s=_LAST_WORDS_S,
    )


def pass_on(
    name: str, done: Finished, codes: tuple[int, ...], *, said_aloud: bool = False
) -> NoReturn:
    """Exit with the program's code; a code outside of `codes` is a failure.

    `said_aloud`: run_aloud has shown its standard error.
    """
    if done.code not in (*codes, EXIT_INTERRUPTED):
        raise program_failed(name, done.code, "" if said_aloud else done.stderr)
    pass_through(done.stdout)
    if not said_aloud:
        pass_through_errors(_renamed(done.stderr, name))
    raise typer.Exit(done.code)


def _renamed(text: str, name: str) -> str:
    """Write `takt` for the program's name, which the user of `takt plan` does not know."""
    return text.replace(f"{name}: ", "takt: ")
