"""Published starvation cases of the stock pool: two threads, synchronous timers, one victim each.

Teper et al., "Thread Carefully", EMSOFT 2024, examples 4 to 6.
"""

from __future__ import annotations

from .model import Callback, Executor, Scenario

MS = 1_000_000

# (id, group, period ms, cost ms)
_CASES: dict[int, tuple[tuple[str, str, int, int], ...]] = {
    4: (("t1", "A", 1000, 1000), ("t2", "A", 1000, 500), ("t3", "B", 1000, 500)),
    5: (
        ("t1", "A", 1000, 500),
        ("t2", "B", 1000, 500),
        ("t3", "C", 1000, 500),
        ("t4", "C", 1000, 1),
    ),
    6: (
        ("t1", "A", 1000, 333),
        ("t2", "B", 1000, 333),
        ("t3", "C", 500, 334),
        ("t4", "C", 5000, 1),
    ),
}
VICTIM = {4: "t2", 5: "t4", 6: "t4"}
PRIORITIES = ("flat", "victim_first", "victim_last")


def starvation(
    example: int,
    order: str,
    *,
    overhead_ns: int = 0,
    stagger_ns: int = 0,
    priorities: str = "flat",
    timers: str = "snapshot",
    poll: str = "empty",
    skip: str = "after",
    horizon_ns: int = 20_000 * MS,
) -> Scenario:
    """`overhead_ns` is added to each cost; `stagger_ns` separates the timers' first expiries."""
    victim = VICTIM[example]

    def priority(name: str) -> int:
        if priorities == "flat":
            return 0
        return int((name == victim) == (priorities == "victim_first"))

    callbacks = tuple(
        Callback(
            id=name,
            kind="timer",
            cost_ns=cost * MS + overhead_ns,
            group=group,
            period_ns=period * MS,
            offset_ns=index * stagger_ns,
            priority=priority(name),
        )
        for index, (name, group, period, cost) in enumerate(_CASES[example])
    )
    return Scenario(
        callbacks=callbacks,
        executors=(Executor(order=order, threads=2, timers=timers, poll=poll),),
        horizon_ns=horizon_ns,
        skip=skip,
    )
