"""The figures of the experiment `isolation`, as tables and plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from takt_cli.base.cores import cores_words
from takt_cli.base.units import significant
from takt_cli.pages.axes import Figure, layout
from takt_cli.results.samples import Samples, percentile
from takt_cli.tables.run_tables import ms
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.experiment.isolation import (
    ARRANGEMENTS,
    CHAIN,
    LOAD,
    PERIOD_NS,
    PLANNED,
    POOL_THREADS,
    STOCK,
    Measured,
)
from takt_cli.verbs.experiment.isolation_claims import (
    by_cell,
    involuntary,
    switches,
    threads,
    voluntary,
)

_COLOURS = ("--s1", "--s2", "--s3", "--s4", "--s5", "--s6")


def tables(found: Sequence[Measured]) -> list[Table]:
    """Costs and latencies; a row for each cell and arrangement."""
    return [_costs(found), _latencies(found)]


def _activations(one: Measured) -> int:
    return sum(cost.due for cost in one.costs)


def _costs(found: Sequence[Measured]) -> Table:
    table = Table(
        "Costs; switches and system calls per activation of a chain of four callbacks",
        [
            *("callbacks in processes", "arrangement", "threads"),
            *("voluntary", "involuntary", "× pool (vol.)", "× pool (invol.)"),
            *("receivers", "system calls", "RSS MiB", "PSS MiB"),
        ],
        words=2,
    )
    for cell, of in by_cell(found).items():
        pool = of.get(STOCK)
        for name, one in of.items():
            count = max(_activations(one), 1)
            receivers = sum(cost.receivers for cost in one.costs)
            table.add(
                cell.name,
                name,
                count_cell(threads(one)),
                _number(voluntary(one) / count),
                _number(involuntary(one) / count),
                _ratio(one, pool, voluntary),
                _ratio(one, pool, involuntary),
                _number(receivers / count) if cell.processes > 1 else Cell("–"),
                Cell("–")
                if one.calls_per_activation is None
                else _number(one.calls_per_activation),
                _mib([cost.resident_kib for cost in one.costs]),
                _mib([cost.proportional_kib for cost in one.costs]),
            )
    table.notes += [
        "threads: executor threads of all processes; × pool: over the stock pool, same rounds",
        "receivers: switches of the threads that read the pipes between processes, in no other "
        "column but system calls",
        "system calls: of all threads, in runs of their own under strace -f -c, which is slow; – "
        "where activations were lost",
        "RSS counts pages that processes share once in each of them, PSS once in all",
    ]
    if all(one.calls_per_activation is None for one in found):
        table.notes[2] = (
            "system calls: not counted (strace is not installed, may not trace, or was off)"
        )
    return table


def _latencies(found: Sequence[Measured]) -> Table:
    table = Table(
        "Latency of a chain of four callbacks, from its release to its end (ms)",
        [
            *("callbacks in processes", "arrangement", "samples"),
            *("p50", "p99", "max", "max of each round", "lost"),
        ],
        words=2,
    )
    for cell, of in by_cell(found).items():
        for name, one in of.items():
            values = responses(one)
            each = [ms(float(c.responses.max())).text for c in one.costs if len(c.responses)]
            table.add(
                cell.name,
                name,
                count_cell(len(values)),
                ms(percentile(values, 50)),
                ms(percentile(values, 99)),
                ms(float(values.max()) if len(values) else None),
                ", ".join(each) or "–",
                count_cell(sum(cost.lost for cost in one.costs), bad_above=0),
            )
    table.notes.append("lost: activations that had not ended two periods after the measurement")
    return table


def responses(one: Measured) -> Samples:
    """Give the latencies of all runs."""
    return np.concatenate([cost.responses for cost in one.costs] or [np.empty(0)])


def _number(value: float) -> Cell:
    return Cell(significant(value), value=round(value, 4))


def _ratio(one: Measured, pool: Measured | None, count: Callable[[Measured], int]) -> Cell:
    if pool is None or not count(pool) or one is pool:
        return Cell("–")
    ratio = count(one) / count(pool)
    return Cell(f"{significant(ratio)} ×", value=round(ratio, 4))


def _mib(kib: Sequence[int | None]) -> Cell:
    known = [value for value in kib if value is not None]
    if not known:
        return Cell("–")
    value = float(np.median(known)) / 1024
    return Cell(significant(value), value=round(value, 3))


def figures(found: Sequence[Measured]) -> list[tuple[str, Figure]]:
    """Plot switches over callbacks, once for each number of processes."""
    processes = sorted({one.cell.processes for one in found})
    return [
        (
            f"Context switches, {count} process{'es' if count > 1 else ''}",
            _switches([one for one in found if one.cell.processes == count]),
        )
        for count in processes
    ]


def _switches(found: Sequence[Measured]) -> Figure:
    data = []
    for name, colour in zip(ARRANGEMENTS, _COLOURS, strict=True):
        own = [one for one in found if one.arrangement == name and one.costs]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": [one.cell.callbacks for one in own],
                "y": [round(switches(one) / max(_activations(one), 1), 3) for one in own],
                "line": {"color": colour, "width": 3 if name == PLANNED else 2},
                "hovertemplate": f"%{{y}} with %{{x}} callbacks, {name}<extra></extra>",
            }
        )
    frame = layout("callbacks", "switches per activation")
    frame["yaxis"].update(rangemode="tozero")
    frame["showlegend"] = True
    return {"data": data, "layout": frame}


def explanations(cores: Sequence[int]) -> list[str]:
    """Explain the measurement and its limits."""
    return [
        f"Chains of {CHAIN} callbacks, each callback in a group of its own, each chain released "
        f"every {PERIOD_NS // 10**6} ms; the work of all callbacks together is {LOAD:.0%} of "
        f"{cores_words(cores)}, whatever their number. Phases are drawn once and "
        "the same in all arrangements.",
        "takt_core runs the callbacks, without ROS and DDS. Within a process a message is an "
        "announcement to the executor; between processes it goes through a pipe, which a "
        "receiving thread reads.",
        f"one thread: one in each process. stock pool: {POOL_THREADS} threads, or as many as "
        "callbacks, in each process, which pick as rclcpp's pool does; they sleep and wake as "
        "takt's threads do, so that rclcpp's wait set costs more than this pool. takt pool: the "
        "same threads in takt's order fifo. isolated: one thread for each group, under the "
        "kernel's fair scheduler. isolated, real-time: these threads under SCHED_FIFO, each chain "
        "with the priority that it has in the model. planned: the schedule of takt plan.",
        "Switches are those that the kernel counts for each executor thread during the "
        "measurement, from /proc.",
    ]
