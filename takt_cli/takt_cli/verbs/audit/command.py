"""`takt audit`: callbacks that a schedule lets run side by side, and what they share."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.console import out, print_json
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import SPELLED
from takt_cli.files.graphs import resolve_schedule
from takt_cli.files.systems import resolve_system
from takt_cli.verbs.audit.pairs import find_pairs
from takt_cli.verbs.audit.program import Program, read_program
from takt_cli.verbs.audit.shares import Looker
from takt_cli.verbs.audit.words import as_document, other_races, print_pairs, rows_of
from takt_cli.verbs.options import Json


def command(
    schedule: Annotated[
        str, typer.Option(metavar="FILE", help="The new schedule, or a shipped one's name.")
    ],
    report: Annotated[
        Path | None,
        typer.Argument(
            help="The report of a run: takt exec --audit --report FILE -- PROGRAM.",
            show_default="none",
        ),
    ] = None,
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
        bool,
        typer.Option(
            "--check",
            help="Exit code 1 if a listed pair shares something, or may, or the run had a race.",
        ),
    ] = False,
    json_output: Json = False,
) -> None:
    """List callbacks that ran one at a time and that a schedule lets run side by side."""
    if (system is None) == (report is None):
        raise TaktError(
            "takt audit needs callbacks: name the report of a run with --audit, or a system model "
            "with --system"
        )
    if report is not None and pool:
        raise TaktError("--pool belongs to --system; the report of a run knows the executor")
    file = str(resolve_schedule(schedule))
    if not Path(schedule).exists():
        SPELLED.setdefault(file, schedule)  # a shipped one
    arguments = []
    if before is not None:
        arguments += ["--before", str(resolve_schedule(before))]
    if pool:
        arguments.append("--in-groups")
    if executor is not None:
        arguments += ["--executor", executor]
    program: Program | None = None
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        if report is not None:
            program = read_program(report)
            listed = Path(scratch, "program.json")
            listed.write_text(json.dumps({"executors": program.executors}), encoding="utf-8")
            arguments += ["--program", str(listed)]
        elif system is not None:
            arguments += ["--system", resolve_system(system)]
        found = find_pairs(file, arguments)
    looker = Looker()
    rows = [rows_of(place, one, program, looker) for place, one in enumerate(found.executors)]
    races = [] if program is None else other_races(program, found, looker)
    notes = [*found.notes, *([] if program is None else program.notes), *looker.notes]
    if json_output:
        print_json(as_document(schedule, found, rows, races, notes))
    else:
        print_pairs(out(), schedule, found, rows, races, notes)
    shared = any(row.shares is None or row.shares.may_be_any for some in rows for row in some)
    if check and (shared or races):
        raise typer.Exit(EXIT_FAILED)
