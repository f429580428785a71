"""Timer periods without a run: their number, and their timers.

A timer that still waits for a thread when its next period begins skips that period, under takt as
under ROS 2. No other figure shows the skipped period: sequence numbers have no gap.
"""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.results.configuration import Configuration, full_name
from takt_cli.results.run_results import Results

_NAMED = 3


def skipped_timers(results: Results) -> str:
    """Name the timers that skipped most: 'EuclideanClusterSettings 12, Visualizer 2'."""
    found = sorted(
        ((c.skipped_periods, c.id) for c in results.callbacks if c.skipped_periods),
        key=lambda item: (-item[0], item[1]),
    )
    words = [f"{id_.partition(':')[0].strip('/')} {count:,}" for count, id_ in found[:_NAMED]]
    return ", ".join(words) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")


def skipped_words(results: Results) -> str:
    """Write the total and the timers: '14 (EuclideanClusterSettings 12, Visualizer 2)'."""
    timers = skipped_timers(results)
    return f"{results.skipped_periods:,}" + (f" ({timers})" if timers else "")


def skipped_notes(configurations: Sequence[Configuration]) -> list[str]:
    """One note for a table of several runs; it says as well that none skipped."""
    skipping = [c for c in configurations if c.results.skipped_periods]
    if not skipping:
        return ["skipped timer periods: none in any run"]
    words = [f"{full_name(c)}: {skipped_words(c.results)}" for c in skipping]
    rest = "; none in the others" if len(skipping) < len(configurations) else ""
    return [f"skipped timer periods: {'; '.join(words)}{rest}"]
