"""`takt calibrate`: the costs of a callback's run on this machine beside its own work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.console import err, note, out, print_json
from takt_cli.base.errors import TaktError
from takt_cli.documents.document import as_json
from takt_cli.files.outputs import check_file, refuse_replacing, write_text
from takt_cli.results.samples import percentile_name
from takt_cli.running.calibration import measure
from takt_cli.running.host import realtime_allowed, rights_hint
from takt_cli.verbs.calibrate.table import KINDS, cost_table, few_samples, rounded, summary_of
from takt_cli.verbs.options import Cores, Force, Json, choose_cores, duration_ns, factor

_MESSAGES = ("Message4kb", "Int32")


def command(
    duration: Annotated[str, typer.Option(help="How long to measure.")] = "10s",
    percent: Annotated[
        float,
        factor("--percentile", 100, metavar="PERCENT", help="Percentile of the costs to report."),
    ] = 99.0,
    message: Annotated[
        str, typer.Option(help=f"Message to publish: {' or '.join(_MESSAGES)}.")
    ] = _MESSAGES[0],
    cores: Cores = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the costs there, for --costs of `takt model`.",
            show_default="print them only",
        ),
    ] = None,
    force: Force = False,
    json_output: Json = False,
) -> None:
    """Measure dispatch, middleware and wake-ups, for `overheads` of a system model."""
    if message not in _MESSAGES:
        raise TaktError(f"--message {message}: unknown message; use {' or '.join(_MESSAGES)}")
    if not percent > 0.0:
        raise TaktError(f"--percentile {percent:g}: the percentile must be above 0 and at most 100")
    length = duration_ns(duration, "--duration", least="1s")
    if output is not None:
        check_file(output)
        refuse_replacing(output, force)
    core = choose_cores(cores)[-1]
    if not realtime_allowed():
        raise TaktError("takt calibrate needs real-time priorities", hint=rights_hint())
    note(f"Measuring on core {core}; other programs on this core make the result worse.")
    with err().status("measuring"):
        found = measure(core, length, message)
    overheads = found.overheads(percent)
    words = ", ".join(f"{name}: {rounded(value)}" for name, value in overheads.items())
    lines = f"overheads: {{{words}}}\njitter: {rounded(found.jitter(percent))}  # of each timer"
    few = few_samples(found, percent)
    if output is not None:
        what = f"{percentile_name(percent)} of each{few}, with {message} on core {core}"
        write_text(output, f"# takt calibrate: {what}\nversion: 1\n{lines}\n")
    if json_output:
        print_json(
            {
                "core": core,
                "percentile": percent,
                "message": message,
                "overheads_ns": overheads,
                "jitter_ns": found.jitter(percent),
                "measured_ns": {name: summary_of(found, name) for name in KINDS},
                "wake_up_cross_core_ns": as_json(found.wake_up_cross_core),
            }
        )
        return
    console = out()
    cost_table(found).print_to(console, apart=False)
    console.print(
        f"\nFor a system model, {percentile_name(percent)} of each{few}:\n\n{lines}",
        highlight=False,
        markup=False,
    )
    if output is not None:
        note(f"{output} has them for --costs of takt model")
