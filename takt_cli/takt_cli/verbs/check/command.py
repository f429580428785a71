"""`takt check`: whether a schedule file is good, also for a given graph and machine."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.console import pass_through_errors
from takt_cli.base.errors import EXIT_USAGE, TaktError
from takt_cli.base.processes import SPELLED, run_program
from takt_cli.base.programs import find_program
from takt_cli.files.graphs import graph_ids, resolve_graph, resolve_schedule
from takt_cli.files.systems import schedule_system
from takt_cli.verbs.options import Json, Schedule, whole
from takt_cli.verbs.pass_on import pass_on


def command(
    schedule: Schedule,
    against: Annotated[
        str | None,
        typer.Option(help="Check its patterns against this graph.", show_default="none"),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            help="Check it against the callbacks and groups of this system model.",
            show_default="the one that the schedule names",
        ),
    ] = None,
    executor: Annotated[
        str | None, typer.Option(help="Only this executor runs here.", show_default="all")
    ] = None,
    cores: Annotated[
        int | None,
        whole(
            "--core-count",
            1,
            65536,
            metavar="COUNT",
            help="Check for a machine with this many cores.",
            show_default="this machine's",
        ),
    ] = None,
    json_output: Json = False,
) -> None:
    """Check a schedule file; every fault with file, line and column, exit code 2."""
    program = find_program("takt_check", "takt_schedule")
    if against and system:
        raise TaktError("--against and --system both name the callbacks; give one of them")
    file = resolve_schedule(schedule)
    if not Path(schedule).exists():
        SPELLED.setdefault(str(file), schedule)  # a shipped one
    arguments = [str(file)]
    arguments += schedule_system(schedule, file, system)
    if executor:
        arguments += ["--executor", executor]
    if cores:
        arguments += ["--cores", str(cores)]
    if json_output:
        arguments.append("--json")
    graph_fault = None
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        if against:
            ids = Path(scratch, "ids.json")
            try:
                ids.write_text(graph_ids(resolve_graph(against)), encoding="utf-8")
                arguments += ["--ids", str(ids)]
            except TaktError as fault:
                if json_output:
                    raise
                graph_fault = fault
        done = run_program(program, arguments, check=False)
    if graph_fault is not None:
        pass_through_errors(done.stderr)
        raise graph_fault
    pass_on(program.name, done, (0, EXIT_USAGE))
