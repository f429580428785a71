"""`takt status`: what was asked for each thread under takt, and what it has."""

from __future__ import annotations

from typing import Annotated

import typer

from takt_cli.base.console import out, pass_through_errors, print_json
from takt_cli.base.errors import EXIT_FAILED
from takt_cli.control.processes import find, no_process
from takt_cli.verbs.options import Json, Processes
from takt_cli.verbs.status.comparison import as_json, headline, is_good, settled, table_of


def command(
    processes: Processes = None,
    everything: Annotated[
        bool, typer.Option("--all", help="List the other threads of the processes, too.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Compare the attributes that threads have with those asked; exit code 1 if they differ."""
    wanted = processes or []
    found = settled(find(wanted), find)
    if json_output:
        print_json(as_json(found, everything))
    if not found.processes and not found.silent:
        raise no_process()
    if not json_output:
        console = out()
        good = is_good(found)
        console.print(
            headline(found), style="" if good else "bold red", markup=False, soft_wrap=True
        )
        for process in found.processes:
            table_of(process, everything).print_to(console)
        for silent in found.silent:
            pass_through_errors(f"{silent}\n")
    if not is_good(found):
        raise typer.Exit(EXIT_FAILED)
