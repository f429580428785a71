"""`takt model`: the system model of what was traced, for `takt plan`.

With `--` and a program the verb `observe` gets the command line (`renamed.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.console import pass_through_errors
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.files.inputs import missing, refuse_irregular
from takt_cli.files.other_traces import refuse_other_trace
from takt_cli.files.outputs import refuse_inputs, refuse_replacing, written_whole
from takt_cli.verbs.options import Force

_LONGEST_S = 3600.0


def command(
    traces: Annotated[
        list[Path],
        typer.Argument(metavar="TRACE", help="Files that `takt trace` wrote."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Write the model there.")
    ] = Path("system.yaml"),
    chains: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the chains of this model.",
            show_default="those that the programs' schedules declare, else all paths",
        ),
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Give the model the overheads and the jitter that `takt calibrate -o` wrote.",
            show_default="none",
        ),
    ] = None,
    percentile: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            min=1.0,
            max=100.0,
            help="The worst time of a callback in the model: this percentile of its runs' times, "
            "if at least ten runs lie beyond it.",
            show_default="the longest",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Write the system model of what was traced: callbacks, times, periods, topics and chains.

    `takt model [OPTION]... -- PROGRAM [ARGUMENT]...` runs a compiled program, unchanged, and writes
    a model of it. It has the options below, and --schedule, --executor, --duration, --strict,
    --children and --quiet of `takt exec`.
    """
    for trace in traces:
        refuse_other_trace(trace)
        refuse_irregular(trace, "trace")
        if not trace.exists():
            raise missing(trace)
        refuse_inputs({"--output": output}, {"trace": trace})
    if chains is not None:
        refuse_irregular(chains, "model")
    if costs is not None:
        refuse_irregular(costs, "file of costs")
        refuse_inputs({"--output": output}, {"file of costs": costs})
    refuse_replacing(output, force)
    program = find_program("takt_trace", "takt_trace")
    with written_whole(output) as part:
        arguments = ["model", *(str(trace.absolute()) for trace in traces)]
        arguments += ["-o", str(part.absolute())]
        if chains is not None:
            arguments += ["--chains", str(chains.absolute())]
        if costs is not None:
            arguments += ["--costs", str(costs.absolute())]
        if percentile is not None:
            arguments += ["--percentile", repr(percentile)]
        done = run_program(program, arguments, timeout_s=_LONGEST_S)
    pass_through_errors(done.stderr.replace(str(part.absolute()), str(output)))
