"""`takt graph`: what is in a graph file, as the program takt_graph tells it."""

from __future__ import annotations

import sys
from enum import Enum
from typing import Annotated

import typer

from takt_cli.commands.options import Json
from takt_cli.console import err
from takt_cli.errors import EXIT_USAGE, TaktError
from takt_cli.graphs import PACKAGE, resolve_graph
from takt_cli.programs import find_program, program_failed, run_program


class Question(str, Enum):
    """What may be asked of a graph."""

    ids = "ids"
    info = "info"
    check = "check"


def graph(
    question: Annotated[
        Question,
        typer.Argument(
            help="ids: of all callbacks, for schedules (JSON). info: rates, work and chains. "
            "check: only what is wrong with it."
        ),
    ],
    name: Annotated[
        str, typer.Argument(metavar="GRAPH", help="A shipped graph's name, or a graph file.")
    ],
    json_output: Json = False,
) -> None:
    """Say what is in a graph file; every fault with file, line and column, exit code 2."""
    if json_output and question is Question.check:
        raise TaktError("--json: check prints nothing but faults; its exit code tells the rest")
    arguments = [question.value, str(resolve_graph(name))]
    if json_output and question is Question.info:  # ids are JSON anyway
        arguments.append("--json")
    program = find_program("takt_graph", PACKAGE)
    done = run_program(program, arguments, check=False)
    if done.code not in (0, EXIT_USAGE):
        raise program_failed(program.name, done.code, done.stderr)
    # The program's own words, as they are: they may be read by programs.
    sys.stdout.write(done.stdout)
    err().print(done.stderr, end="", markup=False, soft_wrap=True)
    raise typer.Exit(done.code)
