"""`takt explain`: the worst response of each chain, and the terms of its sum."""

from __future__ import annotations

from typing import Annotated

import typer

from takt_cli.commands.options import Json
from takt_cli.commands.pass_on import pass_on
from takt_cli.errors import EXIT_FAILED, EXIT_USAGE
from takt_cli.files.graphs import resolve_schedule
from takt_cli.files.systems import resolve_system, shipped_models
from takt_cli.processes import run_program
from takt_cli.programs import find_program


def explain(
    schedule: Annotated[str, typer.Argument(help="A schedule file, or a shipped one's name.")],
    system: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A system model file for the schedule, or a shipped one's name.",
            show_default="the one that the schedule names",
        ),
    ] = None,
    chain: Annotated[
        str | None,
        typer.Option(help="Explain this chain's bound, term by term.", show_default="all, briefly"),
    ] = None,
    callbacks: Annotated[
        bool, typer.Option("--callbacks", help="Also the bound of each callback.")
    ] = False,
    ages: Annotated[
        bool, typer.Option("--ages", help="Also reaction times and data ages.")
    ] = False,
    depths: Annotated[
        bool, typer.Option("--depths", help="Also how many messages each history must keep.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Bound the response times of a system's chains; exit code 1 if a deadline may be missed."""
    program = find_program("takt_explain", "takt_plan")
    model = ["--system", resolve_system(system)] if system is not None else shipped_models()
    arguments = [str(resolve_schedule(schedule)), *model]
    if chain is not None:
        arguments += ["--chain", chain]
    for given, option in ((callbacks, "--callbacks"), (ages, "--ages"), (depths, "--depths")):
        if given:
            arguments.append(option)
    if json_output:
        arguments.append("--json")
    done = run_program(program, arguments, check=False)
    pass_on(program.name, done, (0, EXIT_FAILED, EXIT_USAGE))
