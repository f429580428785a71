"""Costs of a run, as a table and in words."""

from __future__ import annotations

from takt_cli.base.units import human
from takt_cli.results.samples import percentile, percentile_name, samples_needed
from takt_cli.running.calibration import Calibration
from takt_cli.tables.table import Table

KINDS = {
    "dispatch": "from one run to the next",
    "take": "taking a message, in addition",
    "publish": "publishing a message",
    "wake_up": "wake-up for a timer",
}


def summary_of(found: Calibration, kind: str) -> dict[str, float | None]:
    """Give count, percentiles and maximum of a kind of cost, in ns."""
    samples = getattr(found, kind)
    return {
        "count": len(samples),
        "p50": percentile(samples, 50),
        "p99": percentile(samples, 99),
        "max": float(samples.max()),
    }


def cost_table(found: Calibration) -> Table:
    """Give a row for each kind of cost."""
    table = Table("Costs of a run beside its work", ["what", "p50", "p99", "max"])
    for kind, name in KINDS.items():
        summary = summary_of(found, kind)
        table.add(name, *(human(summary[key]) for key in ("p50", "p99", "max")))
    cross = found.wake_up_cross_core
    if cross:
        table.add(
            "wake-up by a thread on another core",
            *(human(getattr(cross, key)) for key in ("p50", "p99", "max")),
        )
    return table


def few_samples(found: Calibration, percent: float) -> str:
    """Say of which kinds there are too few samples for the percentile."""
    few = [name for name in KINDS if percentile(getattr(found, name), percent) is None]
    if not few or percent == 100.0:
        return ""
    wanted = f"{percentile_name(percent)} takes {samples_needed(percent)} samples"
    return f" ({', '.join(few)}: the largest, for {wanted})"


def rounded(value_ns: int) -> str:
    """Up to whole microseconds: below that nothing is the same twice."""
    return f"{-(-value_ns // 1000)}us"
