"""The statistics of all processes as named numbers, for programs that plot.

The message classes are arguments, because not every ROS installation has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from takt_cli.control.statistics import Distribution
from takt_cli.verbs.monitor.diagnostics import View

MOST_SERIES = 5000
_NS_PER_US = 1000
# Of statistics_msgs/StatisticDataType.
_AVERAGE, _MINIMUM, _MAXIMUM, _STDDEV, _COUNT = 1, 2, 3, 4, 5


def series(views: Sequence[View]) -> tuple[list[str], list[float]]:
    """Give names and values in the same order."""
    pairs = [pair for pair, _ in zip(_pairs(views), range(MOST_SERIES), strict=False)]
    return [name for name, _ in pairs], [float(value) for _, value in pairs]


def _pairs(views: Sequence[View]) -> Iterator[tuple[str, float]]:
    for program, view in _named(views):
        figures = view.figures
        if figures is None:
            continue
        for one in figures.executors:
            place = f"{program}/{one.name}"
            for chain in (chain for chain in one.chains if chain.counted):
                name = f"{place}/chain {chain.name}"
                yield from _spread(f"{name}/response_time_us", chain.response)
                yield f"{name}/activations", chain.activations
                yield f"{name}/misses", chain.misses
            for callback in one.callbacks:
                name = f"{place}/callback {callback.id}"
                yield from _spread(f"{name}/response_time_us", callback.response)
                yield f"{name}/waiting", callback.waiting
                yield f"{name}/drops", (callback.overwritten or 0) + (callback.lost or 0)
            for thread in one.threads:
                name = f"{place}/thread {thread.name}"
                yield f"{name}/cpu_time_us", thread.on_cpu_ns / _NS_PER_US
                yield f"{name}/run_queue_delay_us", thread.run_queue_delay_ns / _NS_PER_US
                yield f"{name}/involuntary_switches", thread.involuntary_switches


def _named(views: Sequence[View]) -> list[tuple[str, View]]:
    programs = Counter(view.name for view in views)
    return [
        (f"{view.name}.{view.pid}" if programs[view.name] > 1 else view.name, view)
        for view in views
    ]


def _spread(name: str, spread: Distribution) -> Iterator[tuple[str, float]]:
    for figure, value in (("mean", spread.mean_ns), ("p99", spread.p99_ns), ("max", spread.max_ns)):
        # A series without a value at some times would shift the others.
        yield f"{name}/{figure}", float("nan") if value is None else value / _NS_PER_US


def labelled(names: Sequence[str], values: Sequence[float], array: Any, dimension: Any) -> Any:
    """Make a Float64MultiArray whose dimensions' labels are the names of the series."""
    message = array()
    message.layout.dim = [dimension(label=name, size=1, stride=1) for name in names]
    message.data = list(values)
    return message


def metrics(views: Sequence[View], stamp: Any, since: Any, message: Any, point: Any) -> list[Any]:
    """Make a statistics_msgs/MetricsMessage for each chain; `since`: the stamp of a time in ns."""
    made = []
    for program, view in _named(views):
        if view.figures is None:
            continue
        for chain in (c for one in view.figures.executors for c in one.chains if c.counted):
            one = message()
            one.measurement_source_name = program
            one.metrics_source = f"response_time/{chain.name}"
            one.unit = "us"
            one.window_start, one.window_stop = since(view.figures), stamp
            spread = chain.response
            figures = (
                (_AVERAGE, spread.mean_ns),
                (_MINIMUM, spread.min_ns),
                (_MAXIMUM, spread.max_ns),
                (_STDDEV, spread.stddev_ns),
            )
            one.statistics = [
                point(data_type=kind, data=float("nan") if value is None else value / _NS_PER_US)
                for kind, value in figures
            ] + [point(data_type=_COUNT, data=float(spread.count))]
            made.append(one)
    return made
