"""The pairs for people, and as a document for programs."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from takt_cli.tables.table import Table
from takt_cli.verbs.audit.pairs import Executor, Pair, SideBySide

# More rows than this are for programs.
_MOST_ROWS = 200


def print_pairs(console: Console, schedule: str, found: SideBySide) -> None:
    """Print a table for each executor that has pairs, and why another has none."""
    for executor in found.executors:
        _print_executor(console, schedule, executor)


def _print_executor(console: Console, schedule: str, executor: Executor) -> None:
    count = executor.pair_count
    name = executor.name or executor.schedule_executor
    pairs = "1 pair of callbacks" if count == 1 else f"{count:,} pairs of callbacks"
    head = f"executor {name}: " if name else ""
    if count == 0:
        line = f"{head}{schedule} lets no callbacks run side by side that ran one at a time before"
        console.print(line, markup=False, soft_wrap=True)
    else:
        line = f"{head}{pairs} ran one at a time, and {schedule} lets them run side by side"
        table = Table(line, ["callback", "threads", "beside", "threads"], words=4)
        for pair in executor.pairs[:_MOST_ROWS]:
            first, second = executor.callbacks[pair.first], executor.callbacks[pair.second]
            beside = "itself" if pair.first == pair.second else second.id
            table.add(first.id, " ".join(first.threads), beside, " ".join(second.threads))
        if count > _MOST_ROWS:
            table.notes.append(f"and {count - _MOST_ROWS:,} more; --json has up to 10,000")
        table.print_to(console, apart=False)
    for sentence in executor.notes:
        console.print(f"note: {sentence}", style="dim", markup=False, soft_wrap=True)


def as_document(schedule: str, found: SideBySide) -> dict[str, Any]:
    """Give the document that `--json` prints."""
    executors = []
    for executor in found.executors:
        executors.append(
            {
                "name": executor.name,
                "schedule_executor": executor.schedule_executor,
                "before": executor.before,
                "pairs": [_pair(executor, pair) for pair in executor.pairs],
                "pair_count": executor.pair_count,
                "kept": executor.kept,
                "already": executor.already,
                "notes": list(executor.notes),
            }
        )
    return {"schema": 1, "schedule": schedule, "executors": executors}


def _pair(executor: Executor, pair: Pair) -> dict[str, Any]:
    callbacks = []
    for place in (pair.first, pair.second):
        callback = executor.callbacks[place]
        callbacks.append(
            {"id": callback.id, "group": callback.group, "threads": list(callback.threads)}
        )
    return {"first": callbacks[0], "second": callbacks[1]}
