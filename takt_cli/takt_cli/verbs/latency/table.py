"""Tables and sentences about wake-up latencies."""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.base.units import human
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.latency.results import Cycles, LatencyRun, Thread

PERCENTILES = (50.0, 99.0, 99.9)


def latency_table(run: LatencyRun, virtual: bool) -> Table:
    """One row for each thread, and one for all of them."""
    stalls = virtual and run.own
    columns = ["thread", "cycles", "min", "avg", "p50", "p99", "p99.9", "max", "overruns"]
    if stalls:
        columns += ["in host stalls", "max with them", "overruns with them"]
    table = Table(f"{run.name}: wake-up latency{' outside host stalls' if stalls else ''}", columns)
    threads = [*run.threads, run.total] if len(run.threads) > 1 else run.threads
    for thread in threads:
        table.add(thread.name, *_figures(thread.ordinary), *(_stalls(thread) if stalls else ()))
    table.notes.extend(_notes(run, virtual))
    return table


def _figures(cycles: Cycles) -> list[Cell]:
    if not cycles.count:
        return [count_cell(0), *[Cell("–")] * 7]
    times = [cycles.min_ns, cycles.mean_ns, *map(cycles.percentile, PERCENTILES), cycles.max_ns]
    return [
        count_cell(cycles.count),
        *(Cell(human(value), value=value) for value in times),
        _overruns(cycles),
    ]


def _stalls(thread: Thread) -> list[Cell]:
    every = thread.all
    worst = Cell(human(every.max_ns), value=every.max_ns) if every.count else Cell("–")
    return [count_cell(thread.held_up.count), worst, Cell(f"{every.overruns:,}")]


def _overruns(cycles: Cycles) -> Cell:
    return Cell("–") if cycles.overruns is None else count_cell(cycles.overruns, 0)


def _notes(run: LatencyRun, virtual: bool) -> list[str]:
    notes = []
    if run.own and not all(thread.accounted for thread in run.threads):
        notes.append(
            "This kernel keeps no account of the time that threads wait, so that takt marks no "
            "host stall."
        )
    unexplained = sum(thread.unexplained for thread in run.threads)
    if not virtual and unexplained:
        notes.append(
            f"No thread explains {unexplained:,} wake-ups that were more than 0.3 ms late: "
            "firmware (SMI) or disabled interrupts had the core. The figures include them."
        )
    notes.extend(
        f"{thread.name}: the thread began under {thread.granted} and ended under {thread.at_end}."
        for thread in run.threads
        if thread.at_end != thread.granted
    )
    faults = sum(thread.page_faults for thread in run.threads)
    if faults:
        notes.append(f"The cyclic threads had {faults:,} page faults while they ran.")
    return notes


def rights_line(run: LatencyRun) -> str:
    """Name the refused attributes in one line; empty if the kernel refused none."""
    if not run.refused:
        return ""
    missing = [
        f"{thread.name} ran under {thread.granted} instead of {thread.asked}"
        for thread in run.threads
        if not thread.has_its_policy
    ]
    if not run.memory_locked:
        missing.append("memory was not locked")
    what = "; ".join(missing) or "the kernel refused some attributes"
    return f"Missing rights: {what}. {run.refused[0]}"


def sentences(runs: Sequence[LatencyRun], setting: str, virtual: bool) -> list[str]:
    """Describe the result in a few sentences: `runs` begins with the requested one."""
    first = runs[0].total
    if not first.all.count:
        return ["The measurement ended before its first cycle."]
    outside = " outside host stalls" if virtual else ""
    count = first.ordinary.overruns or 0
    text = (
        f"{runs[0].name}, {setting}: the worst wake-up{outside} was {human(first.ordinary.max_ns)} "
        f"late, with {count:,} overrun{'' if count == 1 else 's'} in {first.all.count:,} cycles."
    )
    result = [text]
    if virtual and first.held_up.count:
        result.append(
            f"The host of this virtual machine held up {first.held_up.count:,} of the cycles; "
            f"with them the worst is {human(first.all.max_ns)} and the overruns are "
            f"{first.all.overruns:,}."
        )
    pairs = [[run for run in runs if run.own], [run for run in runs if not run.own]]
    for (own, *others), outside_too in zip([p for p in pairs if p], (True, False), strict=False):
        for fair in others:
            result.append(_ratio(own, fair, outside_too and virtual))
    return result


def _ratio(run: LatencyRun, fair: LatencyRun, virtual: bool) -> str:
    mine, theirs = run.total, fair.total
    text = f"{fair.name} was {human(theirs.ordinary.max_ns)} late at worst: "
    text += f"{times(theirs.ordinary, mine.ordinary)} as much as {run.name}"
    if virtual and (mine.held_up.count or theirs.held_up.count):
        text += f" ({times(theirs.all, mine.all)} with host stalls)"
    return text + "."


def ratio(more: Cycles, less: Cycles) -> float | None:
    """Divide the maxima; None where one is missing."""
    return more.max_ns / less.max_ns if more.count and less.max_ns else None


def times(more: Cycles, less: Cycles) -> str:
    """Say the ratio of the maxima."""
    found = ratio(more, less)
    return "–" if found is None else f"{found:,.3g} times"
