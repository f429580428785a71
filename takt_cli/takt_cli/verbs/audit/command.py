"""`takt audit`: callbacks that a schedule lets run side by side, and what they share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.console import out, print_json
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import SPELLED
from takt_cli.files.graphs import resolve_schedule
from takt_cli.files.systems import resolve_system
from takt_cli.verbs.audit.pairs import find_pairs
from takt_cli.verbs.audit.words import as_document, print_pairs
from takt_cli.verbs.options import Json


def command(
    schedule: Annotated[
        str, typer.Option(metavar="FILE", help="The new schedule, or a shipped one's name.")
    ],
    system: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Take callbacks and groups from this system model, or a shipped one's name.",
            show_default="none",
        ),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The schedule that was in force before.",
            show_default="none: the program's own executor",
        ),
    ] = None,
    pool: Annotated[
        bool,
        typer.Option(
            "--pool", help="The model's program had a multi-threaded executor, not one thread."
        ),
    ] = False,
    executor: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The schedule's executor for these callbacks.",
            show_default="the one whose rules name the most of them",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit code 1 if a listed pair may share something.")
    ] = False,
    json_output: Json = False,
) -> None:
    """List callbacks that ran one at a time and that a schedule lets run side by side."""
    if system is None:
        raise TaktError("takt audit needs callbacks: name a system model with --system")
    file = str(resolve_schedule(schedule))
    if not Path(schedule).exists():
        SPELLED.setdefault(file, schedule)  # a shipped one
    arguments = ["--system", resolve_system(system)]
    if before is not None:
        arguments += ["--before", str(resolve_schedule(before))]
    if pool:
        arguments.append("--in-groups")
    if executor is not None:
        arguments += ["--executor", executor]
    found = find_pairs(file, arguments)
    if json_output:
        print_json(as_document(schedule, found))
    else:
        print_pairs(out(), schedule, found)
    if check and found.pair_count > 0:
        raise typer.Exit(EXIT_FAILED)
