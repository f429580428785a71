"""`takt plan`: a schedule for a system, with a bound for every chain."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.command_line import command_line
from takt_cli.base.console import note
from takt_cli.base.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, TaktError
from takt_cli.base.processes import respelled
from takt_cli.base.programs import find_program
from takt_cli.files.outputs import (
    check_file,
    refuse_inputs,
    refuse_other_endings,
    refuse_replacing,
    same_file,
    write_text,
)
from takt_cli.files.standard_input import DASH, KEPT, NAME
from takt_cli.files.systems import resolve_system, shipped_models
from takt_cli.verbs.options import Force, Json, System, duration_ns, file_or_dash
from takt_cli.verbs.pass_on import pass_on, run_aloud

# Large systems are searched for minutes.
_PATIENCE_S = 24 * 3600


class Planner(str, Enum):
    """The planners."""

    takt = "takt"
    picas = "picas"
    isolated = "isolated"
    rate_monotonic = "rate-monotonic"
    competition = "competition"
    competition_literal = "competition-literal"


def command(
    system: System,
    output: Annotated[
        Path | None,
        file_or_dash(help="Write the schedule there.", show_default="to the terminal"),
    ] = None,
    cpus: Annotated[
        str | None,
        typer.Option(
            metavar="CORES",
            help="Only these cores, as in 0,2-3 or car:0-3,gateway:1.",
            show_default="all that are not reserved",
        ),
    ] = None,
    planner: Annotated[Planner, typer.Option(help="The planner that decides.")] = Planner.takt,
    keep_slack: Annotated[
        str,
        typer.Option(
            metavar="SHARE",
            help="Share of each deadline to keep to spare where threads are merged, and where "
            "subscriptions that store get trigger: false.",
        ),
    ] = "0.05",
    time: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="Look for a better plan for so long at most, as in 30s; 0s: the first plan.",
            show_default="some ten seconds, counted by the terms of bounds and not by a clock",
        ),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Of the search, which tries plans at random.",
            show_default="1",
        ),
    ] = None,
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
    no_sequences: Annotated[
        bool,
        typer.Option(
            "--no-sequences",
            help="No sequences, which plans have where no chain gets worse by them.",
        ),
    ] = False,
    all_trigger: Annotated[
        bool,
        typer.Option(
            "--all-trigger",
            help="No trigger: false, which subscriptions that store have where each chain keeps "
            "--keep-slack or gets no worse.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page that shows the gain of each thread.",
            show_default="none",
        ),
    ] = None,
    force: Force = False,
    json_output: Json = False,
) -> None:
    """Make a schedule for a system, with bounds; exit code 1 if a deadline may be missed."""
    program = find_program("takt_plan", "takt_plan")
    model = resolve_system(system)
    if str(output) == DASH:
        output = None
    if output is not None:
        refuse_replacing(output, force)
    if plot is not None:
        refuse_inputs({"--plot": plot}, {"system model": Path(model)})
        if output is not None and same_file(plot, output):
            raise TaktError("--plot and --output name the same file; name two files")
        check_file(plot)
        if plot.is_file() or not plot.exists():
            refuse_other_endings(plot, "a plot is a page", (".html",))
        refuse_replacing(plot, force)
    arguments = [model, "--planner", planner.value, "--keep-slack", keep_slack]
    written = ["--output", str(output)] if output is not None else []
    written += shipped_models() if model != system else []
    if cpus is not None:
        arguments += ["--cpus", cpus]
    if time is not None:
        # The user reads the words of --time again, where the time ended the search.
        duration_ns(time, "--time", "0s")
        arguments += ["--time", re.sub(r"(?<=[0-9])m$", "min", time)]
    if seed is not None:
        arguments += ["--seed", seed]
    if executors is not None:
        arguments += ["--executors", executors]
    if executor_threads is not None:
        arguments += ["--executor-threads", executor_threads]
    if no_sequences:
        arguments += ["--no-sequences"]
    if all_trigger:
        arguments += ["--all-trigger"]
    shown = ["--json"] if json_output else []
    with tempfile.TemporaryDirectory(prefix="takt") as folder:
        document = Path(folder) / "plan.json"
        wanted = ["--document", str(document)] if plot is not None else []
        done = run_aloud(program, [*arguments, *written, *shown, *wanted], _PATIENCE_S)
        if plot is not None and done.code in (0, EXIT_FAILED):
            _write_page(document, plot, arguments)
    if system == DASH and done.code in (0, EXIT_FAILED, EXIT_INTERRUPTED):
        done = replace(done, stdout=_without_model(done.stdout))
        if output is not None and output.is_file():
            plan = output.read_text(encoding="utf-8")
            cleaned = _without_model(respelled(plan))
            if cleaned != plan:  # an interrupted program may have left another run's file alone
                write_text(output, cleaned)
    pass_on(program.name, done, (0, EXIT_FAILED, EXIT_USAGE), said_aloud=True)


def _without_model(text: str) -> str:
    """Remove the line of a schedule that names its model's file: it ends with the command."""
    return re.sub(rf"^system: .*({KEPT}|{NAME}).*\n", "", text, flags=re.MULTILINE)


def _write_page(document: Path, plot: Path, arguments: Sequence[str]) -> None:
    """Write the page of a plan that is there as JSON."""
    # Loaded here: building pages is slow to import and few plans want one.
    from takt_cli.documents.document import DamagedError
    from takt_cli.pages.page import write_report
    from takt_cli.results.plan import Plan
    from takt_cli.verbs.plan.page import plan_study

    try:
        found = Plan.read(json.loads(respelled(document.read_text(encoding="utf-8"))))
        words = [respelled(word) for word in arguments]
        study = plan_study(found, command_line("plan", *words, "--plot", str(plot)))
    except (OSError, json.JSONDecodeError, DamagedError) as error:
        raise TaktError("takt_plan wrote no plan, so takt wrote no page") from error
    write_report(study, plot)
    note(f"Page: {plot.resolve()}")
