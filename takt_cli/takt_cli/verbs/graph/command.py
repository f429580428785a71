"""`takt graph`: the content of a graph file, as the program takt_graph tells it."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.errors import EXIT_USAGE, TaktError
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.files.graphs import PACKAGE, resolve_graph
from takt_cli.files.standard_input import DASH, NAME
from takt_cli.verbs.options import Json, whole
from takt_cli.verbs.pass_on import pass_on


class Question(str, Enum):
    """The questions about a graph."""

    ids = "ids"
    info = "info"
    system = "system"
    check = "check"


def command(
    question: Annotated[
        Question,
        typer.Argument(
            help="ids: of all callbacks, for schedules (JSON). info: rates, work and chains. "
            "system: a system model, for planning. check: only its faults."
        ),
    ],
    name: Annotated[
        str, typer.Argument(metavar="GRAPH", help="A shipped graph's name, or a graph file.")
    ],
    cores: Annotated[
        int | None, whole("--core-count", 1, 4096, help="system: of the machine.", show_default="4")
    ] = None,
    work_scale: Annotated[
        str | None, typer.Option(metavar="X", help="system: multiplies all work.")
    ] = None,
    dispatch: Annotated[
        str | None, typer.Option(metavar="DURATION", help="system: overhead of a run.")
    ] = None,
    middleware: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="system: of publishing or taking a message."),
    ] = None,
    context_switch: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="system: of a preemption or wake-up."),
    ] = None,
    jitter: Annotated[
        str | None, typer.Option(metavar="DURATION", help="system: of each timer.")
    ] = None,
    split: Annotated[
        int | None,
        whole(
            "--split",
            1,
            64,
            help="system: of this many processes, as takt run splits it.",
            show_default="1",
        ),
    ] = None,
    split_map: Annotated[
        str | None,
        typer.Option(
            help='system: nodes of each process, as in "A,B;C".',
            show_default="blocks by creation order",
        ),
    ] = None,
    communication: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION", help="system: of a message between two processes, in addition."
        ),
    ] = None,
    times: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="system: measured execution times, a JSON object of callback ids and ns.",
        ),
    ] = None,
    witness: Annotated[
        bool,
        typer.Option("--witness", help="system: with the stall witnesses of takt run."),
    ] = False,
    json_output: Json = False,
) -> None:
    """Print the content of a graph file; every fault with file, line and column, exit code 2."""
    if json_output and question is Question.check:
        raise TaktError(
            "--json: check prints only faults, and its exit code tells the rest; omit --json"
        )
    if json_output and question is Question.system:
        raise TaktError("--json: a system model is YAML; omit --json")
    arguments = [question.value, str(resolve_graph(name))]
    for flag, value in (
        ("--core-count", cores),
        ("--work-scale", work_scale),
        ("--dispatch", dispatch),
        ("--middleware", middleware),
        ("--context-switch", context_switch),
        ("--jitter", jitter),
        ("--split", split),
        ("--split-map", split_map),
        ("--communication", communication),
        ("--times", times),
    ):
        if value is not None:
            _only_for_system(question, flag)
            arguments += ["--cores" if flag == "--core-count" else flag, str(value)]
    if witness:
        _only_for_system(question, "--witness")
        arguments.append("--witness")
    if json_output and question is Question.info:  # ids are JSON anyway
        arguments.append("--json")
    program = find_program("takt_graph", PACKAGE)
    done = run_program(program, arguments, check=False)
    if question is Question.check and done.code == 0:
        done = replace(done, stdout=f"{done.stdout}{NAME if name == DASH else name}: good\n")
    pass_on(program.name, done, (0, EXIT_USAGE))


def _only_for_system(question: Question, flag: str) -> None:
    if question is not Question.system:
        raise TaktError(f"{flag} belongs to takt graph system")
