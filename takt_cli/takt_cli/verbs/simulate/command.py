"""`takt simulate`: the responses of a system under a schedule, in virtual time."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.errors import EXIT_FAILED, EXIT_USAGE
from takt_cli.base.programs import find_program
from takt_cli.base.units import duration_flag
from takt_cli.files.graphs import resolve_schedule
from takt_cli.files.outputs import check_file, refuse_inputs, refuse_replacing
from takt_cli.files.standard_input import DASH
from takt_cli.files.systems import resolve_system
from takt_cli.verbs.options import MOST_SEED, Force, Json, Schedule, System, duration_ns, whole
from takt_cli.verbs.pass_on import pass_on, run_aloud

# Virtual time has no limit but the user's patience.
_PATIENCE_S = 7 * 24 * 3600


class Phases(str, Enum):
    """The first releases of sources."""

    fixed = "fixed"
    random = "random"
    adversarial = "adversarial"


class Execution(str, Enum):
    """The execution times of callbacks."""

    worst = "worst"
    best = "best"
    uniform = "uniform"
    histogram = "histogram"


def command(
    system: System,
    schedule: Schedule,
    duration: Annotated[
        str, typer.Option(help="Length of each run, in virtual time, as in 10s.")
    ] = "10s",
    runs: Annotated[
        int | None,
        whole(
            "--runs",
            1,
            MOST_SEED,
            help="How many runs.",
            show_default="1; adversarial: as many as there are",
        ),
    ] = None,
    seed: Annotated[
        int, whole("--seed", 0, MOST_SEED, help="Seed of the first run; the others count on.")
    ] = 1,
    phases: Annotated[
        Phases,
        typer.Option(
            help="First releases: as the system says, any, or where each chain meets others."
        ),
    ] = Phases.fixed,
    execution: Annotated[
        Execution, typer.Option(help="Execution times, of those that the system gives.")
    ] = Execution.worst,
    trace: Annotated[
        Path | None,
        typer.Option(
            help="Write a timeline of the worst activation, for Perfetto.", show_default="none"
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            help="The chain or callback whose worst activation that is.",
            show_default="the chain closest to its deadline",
        ),
    ] = None,
    force: Force = False,
    json_output: Json = False,
) -> None:
    """Run a system under a schedule in virtual time, and print its responses."""
    length_ns = duration_ns(duration, "--duration", "1us")
    program = find_program("takt_simulate", "takt_plan")
    # A file is named as it was given, so that its faults are.
    file = (
        schedule
        if schedule != DASH and Path(schedule).is_file()
        else str(resolve_schedule(schedule))
    )
    arguments = [resolve_system(system), file]
    arguments += ["--duration", duration_flag(length_ns)]
    arguments += ["--seed", str(seed), "--phases", phases.value, "--execution", execution.value]
    if runs is not None:
        arguments += ["--runs", str(runs)]
    if trace is not None:
        refuse_inputs(
            {"--trace": trace},
            {"system model": Path(arguments[0]), "schedule": Path(file)},
        )
        check_file(trace)
        refuse_replacing(trace, force)
        arguments += ["--trace", str(trace)]
    if of is not None:
        arguments += ["--of", of]
    if json_output:
        arguments.append("--json")
    done = run_aloud(program, arguments, _PATIENCE_S)
    pass_on(program.name, done, (0, EXIT_FAILED, EXIT_USAGE), said_aloud=True)
