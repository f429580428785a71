"""The three tables of `takt top`: chains, callbacks and threads, one row for each.

An asterisk marks a figure since watching began; all others are of the last interval, or of now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from takt_cli.base.callback_ids import is_introspection
from takt_cli.base.cores import core_list
from takt_cli.base.units import human, parse_whole
from takt_cli.control.statistics import Chain, Executor
from takt_cli.tables.table import Cell, Mood, Table, count_cell
from takt_cli.verbs.top.rates import (
    CallbackFigures,
    ChainFigures,
    Pair,
    ThreadFigures,
    callbacks,
    chains,
    threads,
)

NONE = Cell("–", "weak")
SINCE = "*: since watching began"
OTHERS = "figures without *: of the last interval, or of now"
DIFFERS = "!: not as asked, see `takt status`"
ELSEWHERE = "from –: crosses processes, and is not counted; `takt trace` joins it"
ARRIVAL = "from TOPIC: counted from its arrival in this process; `takt trace` has the rest"
ABSENT = "chains whose last callback is in none of these processes: "
PROCESS = "process"
FROM = "from"
# From the id of a callback that takes messages.
_TOPIC = re.compile(r":(?:sub|waitable|service|client)\(([^()]*)\)")
_EVENT = re.compile(r":waitable\(event\)(#\d+)?$")
# Columns of words beside the first ones.
WORDS = frozenset({PROCESS, FROM, "thread", "policy", "cores", "running"})
# Columns that become narrower in a narrow terminal, down to a least width.
NARROW = {FROM: 10}

Figures = TypeVar("Figures", ChainFigures, CallbackFigures, ThreadFigures)


@dataclass(frozen=True)
class Kind:
    """One of the tables: its name, its first sorting column, and its function.

    `seen`: the number of columns that stay visible beside the name, which becomes narrower for
    them.
    """

    name: str
    sort: str
    make: Callable[[Sequence[Pair]], Table]
    seen: int = 0


def chain_table(pairs: Sequence[Pair]) -> Table:
    """Make a row for each chain, of the process that has its last callback."""
    crossing = [one for each in _executors_of(pairs) for one in each.chains if _crosses(one)]
    table = _table(
        "Chains",
        (one for pair in pairs for one in chains(pair)),
        {
            "chain": lambda one: Cell(one.total.name),
            "deadline": lambda one: _time(one.total.deadline_ns),
            "missed": lambda one: _bad(one.misses),
            "missed*": lambda one: _total(_counted(one, one.total.misses), one.misses),
            "in a row": lambda one: _bad(_counted(one, one.total.consecutive_misses)),
            FROM: _from,
            "max*": lambda one: _time(one.total.response.max_ns, one.total.deadline_ns),
            "p99*": lambda one: _time(one.total.response.p99_ns, one.total.deadline_ns),
            "mean": lambda one: _time(one.response_mean_ns, one.total.deadline_ns),
            "rate/s": lambda one: _rate(one.rate_hz),
            PROCESS: lambda one: Cell(_where(one)),
        },
        pairs,
        1,
        () if crossing else (FROM,),
    )
    for note in dict.fromkeys(ARRIVAL if one.counted else ELSEWHERE for one in crossing):
        table.notes.insert(0, note)
    if absent := _endless(pairs):
        table.notes.append(f"{ABSENT}{', '.join(absent)}")
    return table


def phase_notes(pairs: Sequence[Pair]) -> list[str]:
    """Describe the disturbances of phases on which bounds rest, the latest first."""
    found = [
        (0 if one.phases.last is None else one.phases.last.ago_ns, pair.now.words, one)
        for pair in pairs
        for one in pair.now.executors
        if one.phases is not None and not one.phases.quiet
    ]
    found.sort(key=lambda each: (each[2].phases.bounds_hold == "yes", each[0], each[1]))
    return [f"phases of {one.name}, {where}: {one.phases}" for _, where, one in found]


def callback_table(pairs: Sequence[Pair]) -> Table:
    """Make a row for each callback."""
    return _table(
        "Callbacks",
        (one for pair in pairs for one in callbacks(pair)),
        {
            "callback": lambda one: Cell(one.total.id),
            PROCESS: lambda one: Cell(_where(one)),
            "thread": lambda one: Cell(thread_words(one.total.threads)),
            "rate/s": lambda one: _rate(one.rate_hz),
            "arrive/s": lambda one: _rate(one.arrivals_hz),
            "busy %": lambda one: _percent(one.busy),
            "waiting": _waiting,
            "oldest": lambda one: _time(one.total.oldest_age_ns),
            "resp p99*": lambda one: _time(one.total.response.p99_ns, one.total.deadline_ns),
            "resp max*": lambda one: _time(one.total.response.max_ns, one.total.deadline_ns),
            "exec mean": lambda one: _time(one.execution_mean_ns, one.total.budget_ns),
            "exec max*": lambda one: _time(one.total.execution.max_ns, one.total.budget_ns),
            "missed": lambda one: _bad(one.misses),
            "missed*": lambda one: _total(one.total.misses, one.misses),
            "overran*": lambda one: _total(one.total.overruns, one.overruns),
            "lost*": lambda one: _total(one.total.lost, one.lost),
            "overwr.*": lambda one: _total(one.total.overwritten, one.overwritten),
            "skipped*": _skipped,
            "priority": lambda one: count_cell(one.total.effective_priority),
        },
        pairs,
        3,
    )


def thread_table(pairs: Sequence[Pair]) -> Table:
    """Make a row for each executor thread."""
    table = _table(
        "Threads",
        (one for pair in pairs for one in threads(pair)),
        {
            "thread": lambda one: Cell(one.total.name),
            PROCESS: lambda one: Cell(_where(one)),
            "policy": _policy,
            "cores": lambda one: Cell(core_list(one.total.cores) or "–"),
            "tid": _number,
            "CPU %": lambda one: _percent(one.cpu),
            "delay %": lambda one: _percent(one.run_queue_delay),
            "vol/s": lambda one: _rate(one.voluntary_hz),
            "invol/s": lambda one: _rate(one.involuntary_hz),
            "faults/s": lambda one: _rate(one.faults_hz),
            "migr/s": lambda one: _rate(one.migrations_hz),
            "running": _running,
        },
        pairs,
        4,
    )
    if any(thread.asked_differs for one in _executors_of(pairs) for thread in one.threads):
        table.notes.insert(0, DIFFERS)
    return table


KINDS = {
    "c": Kind("chains", "missed*", chain_table, 6),
    "b": Kind("callbacks", "busy %", callback_table),
    "t": Kind("threads", "CPU %", thread_table),
}


def unknown_notes(pairs: Sequence[Pair]) -> list[str]:
    """Name the figures that a process cannot give, and why; one note for equal reasons."""
    processes: dict[str, list[str]] = {}
    for pair in pairs:
        for why in dict.fromkeys(pair.now.unknown):
            processes.setdefault(why, []).append(pair.now.words)
    return [
        f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {why}"
        for why, names in processes.items()
    ]


def _table(
    title: str,
    figures: Iterable[Figures],
    columns: dict[str, Callable[[Figures], Cell]],
    pairs: Sequence[Pair],
    words: int,
    unused: tuple[str, ...] = (),
) -> Table:
    """Make a table without unused columns; `words`: the number of word columns at its beginning.

    It has the column of the process only if rows come from several places.
    """
    if len(pairs) == 1 and len(pairs[0].now.executors) < 2:
        unused = (*unused, PROCESS)
    shown = {name: cell for name, cell in columns.items() if name not in unused}
    words -= sum(name in unused for name in list(columns)[:words])
    table = Table(title, list(shown), words=words)
    for one in figures:
        table.add(*(cell(one) for cell in shown.values()))
    if any(name.endswith("*") for name in shown):
        table.notes += [SINCE, OTHERS]
    return table


def _executors_of(pairs: Sequence[Pair]) -> Iterator[Executor]:
    for pair in pairs:
        yield from pair.now.executors


def _endless(pairs: Sequence[Pair]) -> list[str]:
    """Give the chains whose last callback belongs to none of the processes."""
    ending = {chain.name for one in _executors_of(pairs) for chain in one.chains}
    passing = (name for one in _executors_of(pairs) for name in one.passing)
    return [name for name in dict.fromkeys(passing) if name not in ending]


def _crosses(chain: Chain) -> bool:
    return bool(chain.elsewhere) or chain.from_arrival


def _from(one: ChainFigures) -> Cell:
    """Name the point from which a chain's figures count: its release, or a topic's arrival."""
    if not _crosses(one.total):
        return Cell("release", "weak")
    if not one.total.counted:
        return NONE
    topic = _TOPIC.search(one.total.counted_from)
    return Cell(topic.group(1) if topic else "arrival")


def _counted(one: ChainFigures, count: int) -> int | None:
    return count if one.total.counted else None


def _where(one: Figures) -> str:
    """Name the process, and the executor if the process has several."""
    process = one.process
    executor = f" {one.executor}" if len(process.executors) > 1 else ""
    return f"{process.name} {process.pid}{executor}"


def thread_words(names: Sequence[str]) -> str:
    """Name the threads of a thread set: 'hot rest.0-1'."""
    counted: dict[str, list[int]] = {}
    for name in names:
        base, _, number = name.rpartition(".")
        if base and parse_whole(number) is not None:
            counted.setdefault(base, []).append(int(number))
        else:
            counted.setdefault(name, [])
    return " ".join(
        f"{base}.{core_list(numbers)}" if numbers else base for base, numbers in counted.items()
    )


def _number(one: ThreadFigures) -> Cell:
    return Cell(str(one.total.tid), value=one.total.tid) if one.total.tid else NONE


def _rate(hz: float | None) -> Cell:
    if hz is None:
        return NONE
    decimals = 0 if hz == 0 or hz >= 100 else 1 if hz >= 10 else 2
    return Cell(f"{hz:,.{decimals}f}", value=hz)


def _percent(share: float | None) -> Cell:
    return NONE if share is None else Cell(f"{100 * share:.1f}", value=100 * share)


def _time(ns: float | None, limit_ns: float | None = None) -> Cell:
    """Show a duration; red above the limit."""
    if ns is None:
        return NONE
    mood: Mood = "bad" if limit_ns is not None and ns > limit_ns else ""
    return Cell(human(ns), mood, ns)


def _bad(count: int | None) -> Cell:
    return NONE if count is None else count_cell(count, bad_above=0)


def _total(count: int | None, lately: int | None) -> Cell:
    """Show a total; red where it grew in the last interval."""
    if count is None:
        return NONE
    return Cell(f"{count:,}", "bad" if lately else "", count)


def _skipped(one: CallbackFigures) -> Cell:
    """Show how many periods a timer skipped; no other callback has periods."""
    timer = one.total.kind == "timer"
    return _total(one.total.skipped_periods if timer else None, one.skipped_periods)


def idle_rows(table: Table) -> list[list[Cell]]:
    """Give the rows of idle parameter services and middleware events."""
    rate, waiting = (table.columns.index(name) for name in ("rate/s", "waiting"))
    return [
        row
        for row in table.rows
        if _seldom_runs(row[0].text) and not row[rate].value and not row[waiting].value
    ]


def _seldom_runs(id_: str) -> bool:
    """Tell whether it is a callback that each node has, and that seldom runs."""
    return is_introspection(id_) or _EVENT.search(id_) is not None


def _waiting(one: CallbackFigures) -> Cell:
    """Show the waiting messages, and the size of the history; a dash: it keeps all."""
    total = one.total
    depth = ""
    if total.kind != "timer":
        depth = "/–" if total.depth is None else f"/{total.depth:,}" if total.depth else ""
    return Cell(f"{total.waiting:,}{depth}", "bad" if one.overwritten else "", total.waiting)


def _policy(one: ThreadFigures) -> Cell:
    total = one.total
    words = "–" if total.policy in ("", "inherit") else total.policy
    if total.policy in ("fifo", "rr"):
        words = f"{total.policy} {total.priority}"
    elif total.policy in ("other", "batch"):
        words = f"nice {total.nice}" if total.policy == "other" else f"batch {total.nice}"
    return Cell(f"{words} !", "bad") if total.asked_differs else Cell(words)


def _running(one: ThreadFigures) -> Cell:
    if one.total.running is None or one.running_ns is None:
        return NONE
    words = f"{human(one.running_ns)} {one.total.running.callback}"
    return Cell(words, value=one.running_ns)
