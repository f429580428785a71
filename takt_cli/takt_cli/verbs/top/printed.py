"""`takt top` without a screen: all three tables at once, and the document for programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from takt_cli.control.statistics import Chain, ProcessStatistics
from takt_cli.verbs.top import rates
from takt_cli.verbs.top.rates import CallbackFigures, ChainFigures, Pair, ThreadFigures
from takt_cli.verbs.top.state import State
from takt_cli.verbs.top.tables import (
    ARRIVAL,
    DIFFERS,
    ELSEWHERE,
    KINDS,
    OTHERS,
    SINCE,
    phase_notes,
    unknown_notes,
)
from takt_cli.verbs.top.watch import View, Watch

SCHEMA = 1
# Figures of a chain; null if the process cannot count it.
_COUNTS = (
    "activations",
    "overdue",
    "misses",
    "consecutive_misses",
    "largest_consecutive_misses",
    "misses_in_window",
)


def two_looks(
    wanted: Sequence[str], pause_s: float, sleep: Callable[[float], None] = time.sleep
) -> View:
    """Read the processes twice, so that there are rates."""
    watch = Watch(wanted)
    watch.ask()
    watch.settle()
    if watch.view().pairs:
        sleep(pause_s)
        watch.ask()
        watch.settle()
    return watch.view()


def print_tables(console: Console, view: View) -> None:
    """Print chains, callbacks and threads, one below the other, and then the notes."""
    notes: list[str] = []
    for key, kind in KINDS.items():
        table = kind.make(view.pairs)
        table.rows = State(shown=key).chosen(table)
        notes += table.notes
        table.notes = []
        if table.rows:
            table.print_to(console, apart=key != "c")
        else:
            console.print(f"no {kind.name}", style="dim")
    order = [SINCE, OTHERS, DIFFERS, ARRIVAL, ELSEWHERE]
    known = [note for note in order if note in notes]
    others = [note for note in notes if note not in order]
    notes = [*known, *others, *unknown_notes(view.pairs)]
    for note in [*phase_notes(view.pairs), *notes]:
        console.print(note, style="dim", markup=False, soft_wrap=True)


def document(view: View) -> dict[str, Any]:
    """Give all figures for programs: totals, and the last interval under `last`."""
    return {
        "schema": SCHEMA,
        "ok": bool(view.pairs) and not view.silent and not view.absent,
        "processes": [_process(pair) for pair in view.pairs],
        "chains": _all(view.pairs, rates.chains),
        "callbacks": _all(view.pairs, rates.callbacks),
        "threads": _all(view.pairs, rates.threads),
        "silent": [one.as_json() for one in view.silent],
    }


def _process(pair: Pair) -> dict[str, Any]:
    now = pair.now
    return {
        **_origin(now),
        "program": now.program,
        "host": now.host,
        "rmw": now.rmw,
        "time_ns": now.time_ns,
        "since_ns": now.since_ns,
        "interval_ns": pair.ns,
        "unknown": list(now.unknown),
        "executors": [
            {
                "name": one.name,
                "spinning": one.spinning,
                "phases": None if one.phases is None else asdict(one.phases),
            }
            for one in now.executors
        ],
        "alarms": asdict(now.alarms),
    }


def _all(
    pairs: Sequence[Pair],
    make: Callable[[Pair], Iterable[ChainFigures | CallbackFigures | ThreadFigures]],
) -> list[dict[str, Any]]:
    """Give one object for each row: the names, the process's own figures, and the last ones."""
    rows = []
    for one in (one for pair in pairs for one in make(pair)):
        totals = asdict(one.total)
        if isinstance(one.total, Chain) and not one.total.counted:
            totals |= dict.fromkeys(_COUNTS)
        last = {
            name: value
            for name, value in vars(one).items()
            if name not in ("process", "executor", "total")
        }
        rows.append({**_origin(one.process), "executor": one.executor, **totals, "last": last})
    return rows


def _origin(process: ProcessStatistics) -> dict[str, Any]:
    return {"process": process.name, "pid": process.pid}
