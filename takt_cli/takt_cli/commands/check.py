"""`takt check`: whether a schedule file is good, also for a given graph and machine."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.commands.options import Json, whole
from takt_cli.console import err, out
from takt_cli.errors import EXIT_USAGE
from takt_cli.graphs import graph_ids, resolve_graph, resolve_schedule
from takt_cli.programs import find_program, program_failed, run_program


def check(
    schedule: Annotated[str, typer.Argument(help="A schedule file, or a shipped one's name.")],
    against: Annotated[
        str | None,
        typer.Option(help="Check its patterns against this graph.", show_default="none"),
    ] = None,
    executor: Annotated[
        str | None, typer.Option(help="Only this executor runs here.", show_default="all")
    ] = None,
    cores: Annotated[
        int | None,
        whole(
            "--cores",
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
    arguments = [str(resolve_schedule(schedule))]
    if executor:
        arguments += ["--executor", executor]
    if cores:
        arguments += ["--cores", str(cores)]
    if json_output:
        arguments.append("--json")
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        if against:
            ids = Path(scratch, "ids.json")
            ids.write_text(graph_ids(resolve_graph(against)), encoding="utf-8")
            arguments += ["--ids", str(ids)]
        done = run_program(program, arguments, check=False)
    if done.code not in (0, EXIT_USAGE):
        raise program_failed(program.name, done.code, done.stderr)
    if json_output and _is_json(done.stdout):
        sys.stdout.write(done.stdout)
    else:
        # The program's own words, as they are: editors and people find the place by them.
        out().print(done.stdout, end="", markup=False, soft_wrap=True)
    err().print(done.stderr, end="", markup=False, soft_wrap=True)
    raise typer.Exit(done.code)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True
