"""`takt plan`: a schedule for a system, with a bound for every chain."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.commands.options import Json
from takt_cli.commands.own_words import pass_on
from takt_cli.errors import EXIT_FAILED, EXIT_USAGE
from takt_cli.inputs import refuse_irregular
from takt_cli.programs import find_program, run_program

# Large systems are searched for minutes.
_PATIENCE_S = 24 * 3600


class Planner(str, Enum):
    """Who decides."""

    takt = "takt"
    picas = "picas"
    isolated = "isolated"
    rate_monotonic = "rate-monotonic"
    competition = "competition"
    competition_literal = "competition-literal"


def plan(
    system: Annotated[Path, typer.Argument(help="A system model file.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write the schedule there.", show_default="to the terminal"
        ),
    ] = None,
    cpus: Annotated[
        str | None,
        typer.Option(
            metavar="CORES",
            help="Only these cores, as in 0,2-3 or car:0-3,gateway:1.",
            show_default="all that are not reserved",
        ),
    ] = None,
    planner: Annotated[Planner, typer.Option(help="Who decides.")] = Planner.takt,
    keep_slack: Annotated[
        str,
        typer.Option(
            metavar="SHARE", help="What of each deadline stays to spare when threads are merged."
        ),
    ] = "0.1",
    executors: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Executors of each host, for picas and competition.",
            show_default="picas: always another one; competition: as many as cores",
        ),
    ] = None,
    executor_threads: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Threads of each executor, for competition.",
            show_default="as many as cores",
        ),
    ] = None,
    json_output: Json = False,
) -> None:
    """Make a schedule for a system, with bounds; exit code 1 if a deadline may be missed."""
    program = find_program("takt_plan", "takt_plan")
    refuse_irregular(system, "system model")
    arguments = [str(system), "--planner", planner.value, "--keep-slack", keep_slack]
    if output is not None:
        arguments += ["--output", str(output)]
    if cpus is not None:
        arguments += ["--cpus", cpus]
    if executors is not None:
        arguments += ["--executors", executors]
    if executor_threads is not None:
        arguments += ["--executor-threads", executor_threads]
    if json_output:
        arguments.append("--json")
    done = run_program(program, arguments, timeout_s=_PATIENCE_S, check=False)
    pass_on(program.name, done, json_output, (0, EXIT_FAILED, EXIT_USAGE))
