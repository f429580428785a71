"""Seeded random small scenarios, rich in simultaneous events."""

from __future__ import annotations

import random
from dataclasses import replace

from .engine import Engine
from .model import KINDS, Callback, Executor, Scenario

MS = 1_000_000
DEPTH = 10


def random_scenario(seed: int, executor: Executor, horizon_ms: int = 120) -> Scenario:
    """One executor; times are whole milliseconds so that events often coincide.

    Non-timers read topics of callbacks before them, so there is no cycle; registration order is
    then shuffled so that readers may come first.
    """
    rng = random.Random(seed)
    timers = rng.randint(1, 4)
    total = timers + rng.randint(1, 5)
    groups = [f"g{i}" for i in range(rng.randint(1, 3))]
    types = {g: rng.choice(["mutually_exclusive"] * 3 + ["reentrant"]) for g in groups}
    callbacks: list[Callback] = []
    for index in range(total):
        is_timer = index < timers
        group = rng.choice(groups)
        callbacks.append(
            Callback(
                id=f"cb{index}",
                kind="timer" if is_timer else rng.choice(KINDS[1:]),
                cost_ns=rng.randint(1, 4) * MS,
                group=group,
                group_type=types[group],
                period_ns=rng.choice((5, 6, 8, 10, 12, 20)) * MS if is_timer else None,
                offset_ns=rng.choice((0, 0, 0, 1, 3)) * MS if is_timer else 0,
                publishes=(f"/t{index}",),
                subscribes=None if is_timer else f"/t{rng.randrange(index)}",
                priority=rng.randint(0, 3),
                depth=None if is_timer else DEPTH,
            )
        )
    rng.shuffle(callbacks)
    return Scenario(tuple(callbacks), (executor,), horizon_ms * MS)


def random_scenarios() -> dict[str, Scenario]:
    """Return the checked-in selection; none of them overwrites a message before its horizon."""
    result: dict[str, Scenario] = {}
    for n in range(12):
        result[f"window_single_{n:02}"] = _without_loss(1000 + n, Executor("window", 1))
        pool = Executor("window", 2 + n % 2)
        result[f"window_pool_{n:02}"] = _without_loss(2000 + n, pool)
        result[f"window_pool_parked_{n:02}"] = _without_loss(2000 + n, replace(pool, poll="parked"))
        result[f"fifo_{n:02}"] = _without_loss(3000 + n, Executor("fifo", 1 + n % 3))
        result[f"priority_{n:02}"] = _without_loss(4000 + n, Executor("priority", 1 + n % 3))
    for n in range(6):
        immediate = Executor("window", 1 + n % 3, timers="immediate")
        result[f"window_immediate_{n:02}"] = _without_loss(5000 + n, immediate)
        result[f"stock_{n:02}"] = _without_loss(7000 + n, Executor("stock", 1 + n % 3))
    return result


def _without_loss(seed: int, executor: Executor) -> Scenario:
    """Find the first of seed, seed + 100, ... in which every history is deep enough."""
    while True:
        scenario = random_scenario(seed, executor)
        engine = Engine(scenario)
        engine.run(scenario.horizon_ns)
        if not any(cb.overwritten for cb in engine.callbacks):
            return scenario
        seed += 100
