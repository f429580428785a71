"""Small scenarios whose start times differ from order to order, for a known reason.

Messages come from executor 1, whose timers have a thread each, so that the consumers in
executor 0 see exact arrival times.
"""

from __future__ import annotations

from .model import Callback, Executor, Scenario

MS = 1_000_000
PERIOD = 100 * MS
HORIZON = 2 * PERIOD


def _timer(name: str, offset_ms: int, cost_ms: int, executor: int, **more: object) -> Callback:
    return Callback(
        id=name,
        kind="timer",
        cost_ns=cost_ms * MS,
        group=f"group_{name}",
        executor=executor,
        period_ns=PERIOD,
        offset_ns=offset_ms * MS,
        **more,  # type: ignore[arg-type]
    )


def _subscription(name: str, topic: str, cost_ms: int, group: str | None = None) -> Callback:
    return Callback(
        id=name,
        kind="subscription",
        cost_ns=cost_ms * MS,
        group=group or f"group_{name}",
        subscribes=topic,
        depth=10,
    )


def _scenario(callbacks: list[Callback], executor: Executor) -> Scenario:
    sources = sum(1 for cb in callbacks if cb.executor == 1)
    return Scenario(tuple(callbacks), (executor, Executor("fifo", sources)), HORIZON)


def arrival_order(executor: Executor) -> Scenario:
    """`busy` runs 1-11 ms; `late_registered` gets its message at 3 ms, `early_registered` at 5.

    The polling point at 11 ms forgets which came first.
    """
    return _scenario(
        [
            _subscription("early_registered", "/x", 2),
            _subscription("late_registered", "/y", 2),
            _subscription("busy", "/z", 10),
            _timer("source_z", 0, 1, 1, publishes=("/z",)),
            _timer("source_y", 2, 1, 1, publishes=("/y",)),
            _timer("source_x", 4, 1, 1, publishes=("/x",)),
        ],
        executor,
    )


def timer_delay(executor: Executor) -> Scenario:
    """Four messages arrive at 1 ms (4 ms of work each); `urgent` elapses at 10, `slow` at 12.

    The window lasts until 17 ms, and then `slow` goes first because it was registered first.
    """
    return _scenario(
        [
            _timer("slow", 12, 3, 0, priority=1),
            _timer("urgent", 10, 1, 0, priority=2),
            *(_subscription(name, "/burst", 4) for name in ("a", "b", "c", "d")),
            _timer("source", 0, 1, 1, publishes=("/burst",)),
        ],
        executor,
    )


def blocked_window(executor: Executor) -> Scenario:
    """Two threads; `first` (10 ms) and `second` share a group, `other` elapses at 5 ms.

    From 1 to 11 ms the window holds only `second`, which is blocked.
    """
    return _scenario(
        [
            _timer("other", 5, 1, 0, priority=1),
            _subscription("first", "/burst", 10, group="shared"),
            _subscription("second", "/burst", 2, group="shared"),
            _timer("source", 0, 1, 1, publishes=("/burst",)),
        ],
        executor,
    )


def demonstrations() -> dict[str, Scenario]:
    """Every demonstration under every order that tells something."""
    result: dict[str, Scenario] = {}
    orders = {
        "window": Executor("window"),
        "window_immediate": Executor("window", timers="immediate"),
        "fifo": Executor("fifo"),
        "priority": Executor("priority"),
    }
    for name, executor in orders.items():
        result[f"arrival_order_{name}"] = arrival_order(executor)
        result[f"timer_delay_{name}"] = timer_delay(executor)
    pools = {
        "window": Executor("window", 2),
        "window_parked": Executor("window", 2, poll="parked"),
        "window_immediate": Executor("window", 2, timers="immediate"),
        "stock": Executor("stock", 2),
        "fifo": Executor("fifo", 2),
        "priority": Executor("priority", 2),
    }
    for name, executor in pools.items():
        result[f"blocked_window_{name}"] = blocked_window(executor)
    return result
