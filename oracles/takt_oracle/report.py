"""Numbers of one analysed scenario: chain latencies, skipped periods, utilisation."""

from __future__ import annotations

from fractions import Fraction
from typing import TypedDict

from .exact import Num, to_ns
from .model import Scenario
from .steady import Analysis, Counts
from .timeline import ChainRun


class ChainReport(TypedDict):
    """Latencies in order of completion, in ns (rounded only for fluidly shared cores)."""

    transient_from_release_ns: list[int]
    transient_from_start_ns: list[int]
    steady_from_release_ns: list[int]
    steady_from_start_ns: list[int]
    steady_count: int
    steady_range_from_release_ns: list[int]
    steady_range_from_start_ns: list[int]


class Report(TypedDict):
    """One scenario. Per-cycle values are null when no cycle was found before the limit."""

    simulated_ns: int
    transient_ns: int | None
    cycle_ns: int | None
    chains: dict[str, ChainReport]
    skipped_transient: dict[str, int]
    skipped_per_cycle: dict[str, int] | None
    released_per_cycle: dict[str, int] | None
    overwritten: dict[str, int]
    starved: list[str]
    utilisation_of_cores: float
    busy_cores: float


def make_report(analysis: Analysis) -> Report:
    """Split at the start of the cycle; without a cycle everything counts as transient."""
    scenario = analysis.scenario
    first, second = analysis.first, analysis.second
    split: Num = first.now if first is not None else analysis.end.now
    busy = _busy_cores(first, second) if first and second else _busy_cores(None, analysis.end)
    at_split = first if first is not None else analysis.end
    return Report(
        simulated_ns=to_ns(analysis.end.now),
        transient_ns=to_ns(first.now) if first is not None else None,
        cycle_ns=to_ns(second.now - first.now) if first and second else None,
        chains=_chains(analysis, split),
        skipped_transient=_timers(scenario, at_split.skipped),
        skipped_per_cycle=(
            _timers(scenario, _minus(second.skipped, first.skipped)) if first and second else None
        ),
        released_per_cycle=_released(scenario, first, second) if first and second else None,
        overwritten={
            cb.id: count
            for cb, count in zip(scenario.callbacks, analysis.end.overwritten, strict=True)
            if count
        },
        starved=list(analysis.starved),
        utilisation_of_cores=round(float(busy / scenario.effective_cores), 6),
        busy_cores=round(float(busy), 6),
    )


def _busy_cores(begin: Counts | None, end: Counts) -> Fraction:
    """Cores in use on average between two instants."""
    span = end.now - (begin.now if begin is not None else 0)
    work = end.work - (begin.work if begin is not None else 0)
    return Fraction(work) / Fraction(span) if span else Fraction(0)


def _minus(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _timers(scenario: Scenario, values: tuple[int, ...]) -> dict[str, int]:
    pairs = zip(scenario.callbacks, values, strict=True)
    return {cb.id: value for cb, value in pairs if cb.is_timer}


def _released(scenario: Scenario, first: Counts, second: Counts) -> dict[str, int]:
    """Periods per cycle: those that ran and those that were skipped."""
    ran = _timers(scenario, _minus(second.started, first.started))
    skipped = _timers(scenario, _minus(second.skipped, first.skipped))
    return {name: ran[name] + skipped[name] for name in ran}


def _chains(analysis: Analysis, split: Num) -> dict[str, ChainReport]:
    runs: dict[str, list[ChainRun]] = {}
    for run in analysis.timeline.chain_runs:
        runs.setdefault(">".join(run.path), []).append(run)
    # Completions at the very instant of the split belong to the transient: states are compared
    # after everything at an instant has been done.
    return {path: _chain(of, split) for path, of in sorted(runs.items())}


def _chain(runs: list[ChainRun], split: Num) -> ChainReport:
    transient = [r for r in runs if r.end <= split]
    steady = [r for r in runs if r.end > split]
    from_release = [to_ns(r.from_release) for r in steady]
    from_start = [to_ns(r.from_start) for r in steady]
    return ChainReport(
        transient_from_release_ns=[to_ns(r.from_release) for r in transient],
        transient_from_start_ns=[to_ns(r.from_start) for r in transient],
        steady_from_release_ns=from_release,
        steady_from_start_ns=from_start,
        steady_count=len(steady),
        steady_range_from_release_ns=[min(from_release), max(from_release)] if steady else [],
        steady_range_from_start_ns=[min(from_start), max(from_start)] if steady else [],
    )
