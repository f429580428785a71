"""`takt explain`: the worst response of each chain, and the terms of its sum."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.command_line import command_line
from takt_cli.base.console import note
from takt_cli.base.errors import EXIT_FAILED, EXIT_USAGE, TaktError
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.files.graphs import resolve_schedule
from takt_cli.files.outputs import (
    check_file,
    refuse_inputs,
    refuse_other_endings,
    refuse_replacing,
)
from takt_cli.files.systems import schedule_system
from takt_cli.verbs.options import Force, Json, Schedule
from takt_cli.verbs.pass_on import pass_on

_ENDINGS = (".html", ".svg")  # of a page and of a picture


def command(
    schedule: Schedule,
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
    timeline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page (or an SVG picture) of one hyperperiod: when each job may run.",
            show_default="none",
        ),
    ] = None,
    force: Force = False,
    json_output: Json = False,
) -> None:
    """Bound the response times of a system's chains; exit code 1 if a deadline may be missed."""
    program = find_program("takt_explain", "takt_plan")
    file = resolve_schedule(schedule)
    files = arguments = [str(file), *schedule_system(schedule, file, system)]
    if timeline is not None:
        refuse_inputs({"--timeline": timeline}, {"schedule": Path(files[0])})
        check_file(timeline)
        _write_page(program, files, timeline, chain, force)
    if chain is not None:
        arguments = [*arguments, "--chain", chain]
    for given, option in ((callbacks, "--callbacks"), (ages, "--ages"), (depths, "--depths")):
        if given:
            arguments.append(option)
    if json_output:
        arguments.append("--json")
    done = run_program(program, arguments, check=False)
    pass_on(program.name, done, (0, EXIT_FAILED, EXIT_USAGE))


def _write_page(
    program: Path, files: Sequence[str], page: Path, chain: str | None, force: bool
) -> None:
    """Write the page of a hyperperiod, or say why there is none."""
    # Import this here, because few explanations need a page.
    from takt_cli.documents.document import DamagedError
    from takt_cli.results.explanation import Explanation
    from takt_cli.verbs.explain.hyperperiod_page import write_hyperperiod

    done = run_program(program, [*files, "--json", "--jobs"], check=False)
    try:
        found = Explanation.read(json.loads(done.stdout))
    except (json.JSONDecodeError, DamagedError) as error:
        raise TaktError("takt_explain printed no hyperperiod, so takt wrote no page") from error
    if found.faults:
        raise TaktError("\n".join(found.faults), quoted=True)
    if found.hyperperiod is None:
        raise TaktError("takt_explain printed no hyperperiod, so takt wrote no page")
    refuse_inputs({"--timeline": page}, {"system model": Path(found.system)})
    refuse_other_endings(page, "a timeline is a page or a picture", _ENDINGS)
    refuse_replacing(page, force)
    options = [] if chain is None else ["--chain", chain]
    command = command_line("explain", *files, *options, "--timeline", str(page))
    write_hyperperiod(found, page, schedule=files[0], command=command, chain=chain)
    note(f"Timeline: {page.resolve()}")
