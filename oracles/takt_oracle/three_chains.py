"""Three chains of three callbacks, one period: the experiment in six configurations."""

from __future__ import annotations

from .model import Callback, Executor, Scenario

PERIOD_NS = 300_000_000
QOS_DEPTH = 10

# Callback numbers per executor in registration order, and threads per executor.
CONFIGURATIONS: dict[str, tuple[tuple[tuple[int, ...], ...], int]] = {
    "SingleThread": (((1, 2, 3, 4, 5, 6, 7, 8, 9),), 1),
    "MultiThread": (((1, 2, 3, 4, 5, 6, 7, 8, 9),), 3),
    "MultiExecutor1": (((1, 2, 3), (4, 5, 6), (7, 8, 9)), 1),
    "MultiExecutor2": (((1, 5, 9), (2, 6, 7), (3, 4, 8)), 1),
    "MultiExecutor3": (((1, 4, 7), (2, 5, 8), (3, 6, 9)), 1),
    "MultiExecutor4": (((1, 4, 7), (8, 5, 2), (9, 6, 3)), 1),
}
GROUPINGS = ("own", "reentrant", "default")


def three_chains(
    configuration: str,
    cost_ns: int,
    *,
    cores: int | None = None,
    kernel: str = "own",
    order: str = "window",
    timers: str = "snapshot",
    poll: str = "empty",
    skip: str = "after",
    groups: str = "own",
    horizon_ns: int = 20 * PERIOD_NS,
) -> Scenario:
    """Chain k is c(3k-2) > c(3k-1) > c(3k); the first is a timer.

    `groups`: one exclusive group per callback, one reentrant group per executor, or one
    exclusive group per executor (what a node gets by default). With `priority`, chain 1 is the
    most urgent and within a chain the last callback is.
    """
    lists, threads = CONFIGURATIONS[configuration]
    callbacks = []
    for index, numbers in enumerate(lists):
        for number in numbers:
            chain, position = divmod(number - 1, 3)
            callbacks.append(
                Callback(
                    id=f"c{number}",
                    kind="timer" if position == 0 else "subscription",
                    cost_ns=cost_ns,
                    group=f"g{number}" if groups == "own" else f"executor{index}",
                    group_type="reentrant" if groups == "reentrant" else "mutually_exclusive",
                    executor=index,
                    period_ns=PERIOD_NS if position == 0 else None,
                    publishes=(f"t{number}",) if position < 2 else (),
                    subscribes=f"t{number - 1}" if position > 0 else None,
                    priority=3 * (2 - chain) + position,
                    depth=None if position == 0 else QOS_DEPTH,
                )
            )
    executor = Executor(order=order, threads=threads, timers=timers, poll=poll)
    return Scenario(
        callbacks=tuple(callbacks),
        executors=(executor,) * len(lists),
        horizon_ns=horizon_ns,
        kernel=kernel,
        cores=cores,
        skip=skip,
    )
