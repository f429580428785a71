"""The bounds of the pipeline's lanes: takt's own loop, from a trace over a model to `takt explain`.

The model is made of a run of its own, so the bounds are known before the run that they are
compared with.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.base.units import NS_PER_S, duration_flag
from takt_cli.documents.told import read_told
from takt_cli.files.outputs import write_text
from takt_cli.results.explanation import Explanation
from takt_cli.running.calibration import Calibration, measure
from takt_cli.running.host import realtime_allowed

PERCENT = 99.0
DEPTH = 1
"""Of all histories of the pipeline."""
_NO_RIGHTS = "there are no bounds without real-time priorities"
# 200 samples of each cost in a second: with 1,000 there is a 99th percentile.
_CALIBRATION_S = 6


@dataclass(frozen=True)
class Bounds:
    """The bounds of all lanes, ns, by lane; the reason where a lane has none."""

    of: Mapping[str, int | None]
    why: str = ""


def bound_lanes(
    directory: Path,
    core: int,
    record: Callable[[Path], str],
) -> Bounds:
    """Bound the lanes.

    `record` runs the pipeline, writes a trace of the run, and returns the run's schedule.
    """
    if not realtime_allowed():
        return Bounds({}, _NO_RIGHTS)
    trace, costs = directory / "pipeline.takttrace", directory / "costs.yaml"
    system, written = directory / "system.yaml", directory / "schedule.yaml"
    directory.mkdir(parents=True, exist_ok=True)
    schedule = record(trace)
    write_text(costs, costs_text(measure(core, _CALIBRATION_S * NS_PER_S, "Message4kb")))
    write_text(written, schedule)
    run_program(
        find_program("takt_trace", "takt_trace"),
        ["model", str(trace), "-o", str(system), "--costs", str(costs)],
    )
    _complete(system)
    done = run_program(
        find_program("takt_explain", "takt_plan"),
        [str(written), "--system", str(system), "--json"],
        check=False,
    )
    try:
        raw = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise TaktError(
            f"takt_explain printed no bounds: {done.stderr}", code=EXIT_FAILED
        ) from error
    found = read_told(Explanation, raw, "takt_explain")
    why = next((one.why for one in found.chains if one.why), "; ".join(found.faults))
    return Bounds({one.name: one.bound_ns for one in found.chains}, why)


def _complete(system: Path) -> None:
    """Give the histories their depth, which no trace tells."""
    model = yaml.safe_load(system.read_text(encoding="utf-8"))
    for callback in model["callbacks"]:
        if "triggers" in callback:
            callback["depth"] = DEPTH
    write_text(system, yaml.safe_dump(model, sort_keys=False, width=100))


def costs_text(calibration: Calibration) -> str:
    """Write the costs as `takt calibrate -o` does, but for the middleware, which has no messages.

    The CPU times of a trace have what it takes to publish and to take a message by pointer.
    """
    overheads = calibration.overheads(PERCENT) | {"middleware": 0}
    words = ", ".join(f"{name}: {duration_flag(value)}" for name, value in overheads.items())
    jitter = duration_flag(calibration.jitter(PERCENT))
    return f"version: 1\noverheads: {{{words}}}\njitter: {jitter}\n"
