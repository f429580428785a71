"""Finds the exact cycle of a schedule by comparing states."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from .engine import Engine
from .exact import Num
from .model import Scenario
from .timeline import Timeline


@dataclass(frozen=True)
class Counts:
    """Running totals at one instant."""

    now: Num
    work: Num
    started: tuple[int, ...]
    skipped: tuple[int, ...]
    overwritten: tuple[int, ...]


@dataclass(frozen=True)
class Analysis:
    """A timeline, and where it repeats: after `first` everything recurs at `second`.

    Without a cycle both are None. `starved` lists callbacks that are ready all through the cycle
    and never start: they never will.
    """

    scenario: Scenario
    timeline: Timeline
    end: Counts
    first: Counts | None
    second: Counts | None
    starved: tuple[str, ...]


def _counts(engine: Engine) -> Counts:
    return Counts(
        engine.now,
        engine.work,
        tuple(cb.started for cb in engine.callbacks),
        tuple(cb.skipped for cb in engine.callbacks),
        tuple(cb.overwritten for cb in engine.callbacks),
    )


def analyse(scenario: Scenario, limit_ns: int | None = None) -> Analysis:
    """Run until the state repeats, latencies included, or until the limit (default: horizon)."""
    limit = limit_ns if limit_ns is not None else scenario.horizon_ns
    engine = Engine(scenario)
    schedule_states: dict[Hashable, Counts] = {}
    full_states: dict[Hashable, Counts] = {}
    alive: frozenset[int] | None = None
    starved: tuple[str, ...] = ()
    while engine.now < limit:
        if alive is None:
            earlier = schedule_states.setdefault(engine.state_key(None), _counts(engine))
            if earlier.now != engine.now:
                started = _counts(engine).started
                stuck = [
                    cb
                    for cb in engine.callbacks
                    if cb.ready and started[cb.index] == earlier.started[cb.index]
                ]
                starved = tuple(cb.spec.id for cb in stuck)
                alive = frozenset(range(len(started))) - {cb.index for cb in stuck}
        if alive is not None:
            earlier = full_states.setdefault(engine.state_key(alive), _counts(engine))
            if earlier.now != engine.now:
                return Analysis(
                    scenario, engine.timeline, _counts(engine), earlier, _counts(engine), starved
                )
        if not engine.step():
            break
    return Analysis(scenario, engine.timeline, _counts(engine), None, None, starved)
