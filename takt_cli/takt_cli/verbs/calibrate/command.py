"""`takt calibrate`: the costs of a callback's run on this machine beside its own work."""

from __future__ import annotations

from typing import Annotated

import typer

from takt_cli.base.console import err, note, out, print_json
from takt_cli.base.errors import TaktError
from takt_cli.documents.document import as_json
from takt_cli.results.samples import percentile_name
from takt_cli.running.calibration import measure
from takt_cli.running.host import realtime_allowed, rights_hint
from takt_cli.verbs.calibrate.table import KINDS, cost_table, few_samples, rounded, summary_of
from takt_cli.verbs.options import Cores, Json, choose_cores, duration_ns, factor

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
    json_output: Json = False,
) -> None:
    """Measure dispatch, middleware and wake-ups, for `overheads` of a system model."""
    if message not in _MESSAGES:
        raise TaktError(f"--message {message}: unknown message; use {' or '.join(_MESSAGES)}")
    if not percent > 0.0:
        raise TaktError(f"--percentile {percent:g}: the percentile must be above 0 and at most 100")
    length = duration_ns(duration, "--duration", least="1s")
    core = choose_cores(cores)[-1]
    if not realtime_allowed():
        raise TaktError("takt calibrate needs real-time priorities", hint=rights_hint())
    note(f"Measuring on core {core}; other programs on this core make the result worse.")
    with err().status("measuring"):
        found = measure(core, length, message)
    overheads = found.overheads(percent)
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
    words = ", ".join(f"{name}: {rounded(value)}" for name, value in overheads.items())
    few = few_samples(found, percent)
    console.print(
        f"\nFor a system model, {percentile_name(percent)} of each{few}:\n\n"
        f"overheads: {{{words}}}\n"
        f"jitter: {rounded(found.jitter(percent))}  # of each timer",
        highlight=False,
        markup=False,
    )
