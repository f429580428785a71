"""`takt calibrate`: the costs of a callback's run on this machine beside its own work."""

from __future__ import annotations

from typing import Annotated

import typer

from takt_cli.base.console import err, note, out, print_json
from takt_cli.base.errors import TaktError
from takt_cli.base.units import human
from takt_cli.results.samples import percentile, percentile_name, samples_needed
from takt_cli.running.calibration import Calibration, measure
from takt_cli.running.host import realtime_allowed, rights_hint
from takt_cli.tables.table import Table
from takt_cli.verbs.options import Cores, Json, choose_cores, duration_ns, factor

_MESSAGES = ("Message4kb", "Int32")


def command(
    duration: Annotated[str, typer.Option(help="How long to measure.")] = "10s",
    percent: Annotated[
        float,
        factor(
            "--percentile", 100, metavar="PERCENT", help="So many percent of all runs cost no more."
        ),
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
                "measured_ns": {name: _summary(found, name) for name in _KINDS},
                "wake_up_cross_core_ns": found.wake_up_cross_core,
            }
        )
        return
    console = out()
    _table(found).print_to(console)
    words = ", ".join(f"{name}: {_rounded(value)}" for name, value in overheads.items())
    console.print(
        f"\nFor a system model, {percentile_name(percent)} of each{_few(found, percent)}:\n\n"
        f"overheads: {{{words}}}\n"
        f"jitter: {_rounded(found.jitter(percent))}  # of each timer",
        highlight=False,
        markup=False,
    )


_KINDS = {
    "dispatch": "from one run to the next",
    "take": "taking a message, in addition",
    "publish": "publishing a message",
    "wake_up": "wake-up for a timer",
}


def _summary(found: Calibration, kind: str) -> dict[str, float | None]:
    samples = getattr(found, kind)
    return {
        "count": len(samples),
        "p50": percentile(samples, 50),
        "p99": percentile(samples, 99),
        "max": float(samples.max()),
    }


def _table(found: Calibration) -> Table:
    table = Table("Costs of a run beside its work", ["what", "p50", "p99", "max"])
    for kind, name in _KINDS.items():
        summary = _summary(found, kind)
        table.add(name, *(human(summary[key]) for key in ("p50", "p99", "max")))
    cross = found.wake_up_cross_core
    if cross:
        table.add(
            "wake-up by a thread on another core",
            *(human(cross.get(key)) for key in ("p50", "p99", "max")),
        )
    return table


def _few(found: Calibration, percent: float) -> str:
    """Say of which kinds there are too few samples for the percentile."""
    few = [name for name in _KINDS if percentile(getattr(found, name), percent) is None]
    if not few or percent == 100.0:
        return ""
    wanted = f"{percentile_name(percent)} takes {samples_needed(percent)} samples"
    return f" ({', '.join(few)}: the largest, for {wanted})"


def _rounded(value_ns: int) -> str:
    """Up to whole microseconds: below that nothing is the same twice."""
    return f"{-(-value_ns // 1000)}us"
