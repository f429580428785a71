"""The pairs for people, and as a document for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from takt_cli.documents.document import as_json
from takt_cli.tables.table import Table
from takt_cli.verbs.audit.pairs import Callback, Executor, SideBySide
from takt_cli.verbs.audit.program import Program
from takt_cli.verbs.audit.shares import Looker, Shares

# More rows than this are for programs.
_MOST_ROWS = 200


@dataclass(frozen=True)
class Row:
    """A pair; `shares`: None if only a model is known."""

    first: Callback
    second: Callback
    shares: Shares | None

    @property
    def beside(self) -> str:
        """The second callback in words."""
        return "itself" if self.first is self.second else self.second.id


def rows_of(place: int, executor: Executor, program: Program | None, looker: Looker) -> list[Row]:
    """Look at the pairs of one executor."""
    rows = []
    for pair in executor.pairs:
        first, second = executor.callbacks[pair.first], executor.callbacks[pair.second]
        shares = None
        if program is not None:
            # takt_audit may spell the ids of timers in another way.
            named = program.executors[place]["callbacks"]
            ids = (named[pair.first]["id"], named[pair.second]["id"])
            shares = looker.look(program.processes[place], ids)
        rows.append(Row(first, second, shares))
    return rows


def print_pairs(
    console: Console,
    schedule: str,
    found: SideBySide,
    rows: Sequence[Sequence[Row]],
    notes: Sequence[str],
) -> None:
    """Print what pairs share, a table of the others, and why an executor has none."""
    for executor, own in zip(found.executors, rows, strict=True):
        _print_executor(console, schedule, executor, own)
    for sentence in notes:
        _say(console, f"note: {sentence}", weak=True)


def _print_executor(
    console: Console, schedule: str, executor: Executor, rows: Sequence[Row]
) -> None:
    count = executor.pair_count
    name = executor.name or executor.schedule_executor
    head = f"executor {name}: " if name else ""
    if count == 0:
        _say(
            console,
            f"{head}{schedule} lets no callbacks run side by side that ran one at a time before",
        )
    else:
        pairs = "1 pair of callbacks" if count == 1 else f"{count:,} pairs of callbacks"
        title = f"{head}{pairs} ran one at a time, and {schedule} lets them run side by side"
        sharing = [row for row in rows if row.shares is not None and row.shares.any]
        others = [row for row in rows if row not in sharing]
        if len(others) == len(rows):
            _print_table(console, title, others, count)
        else:
            console.print(title, style="bold", markup=False, soft_wrap=True)
            for row in sharing[:_MOST_ROWS]:
                _print_shares(console, row)
            if others:
                console.print()
                _print_table(console, "", others, count - len(sharing))
        if rows and rows[0].shares is not None and others:
            _say(
                console,
                "what takt does not see (docs/audit.md), these pairs may share all the same",
            )
    for sentence in executor.notes:
        _say(console, f"note: {sentence}", weak=True)


def _print_table(console: Console, title: str, rows: Sequence[Row], count: int) -> None:
    looked = any(row.shares is not None for row in rows)
    columns = ["callback", "threads", "beside", "threads", *(["seen to share"] if looked else [])]
    table = Table(title, columns, words=len(columns))
    for row in rows[:_MOST_ROWS]:
        seen = [] if row.shares is None else ["nothing" if row.shares.seen else "(not seen)"]
        table.add(
            row.first.id,
            " ".join(row.first.threads),
            row.beside,
            " ".join(row.second.threads),
            *(seen if looked else []),
        )
    if count > len(table.rows):
        table.notes.append(f"and {count - len(table.rows):,} more; --json has up to 10,000")
    table.print_to(console, apart=False)


def _print_shares(console: Console, row: Row) -> None:
    shares = row.shares
    assert shares is not None
    first, second = row.first, row.second
    console.print()
    _say(
        console,
        f"{first.id} ({' '.join(first.threads)}) beside {row.beside} ({' '.join(second.threads)})",
    )
    for name in shares.objects:
        _say(console, f"  object    {name}")
    for variable in shares.variables:
        uses = [", ".join(how) for how in (variable.first, variable.second)]
        how = uses[0] if uses[0] == uses[1] else f"{uses[0]} / {uses[1]}"
        _say(console, f"  variable  {variable.name}: {how}")
    for race in shares.races:
        what = race.location or "unknown memory"
        sides = " / ".join(f"{side.access} in {side.where}" for side in (race.first, race.second))
        _say(console, f"  race      {what}: {sides}")


def _say(console: Console, line: str, *, weak: bool = False) -> None:
    console.print(line, style="dim" if weak else None, markup=False, soft_wrap=True)


def as_document(
    schedule: str,
    found: SideBySide,
    rows: Sequence[Sequence[Row]],
    notes: Sequence[str],
) -> dict[str, Any]:
    """Give the document that `--json` prints."""
    executors = [
        {
            "name": executor.name,
            "schedule_executor": executor.schedule_executor,
            "before": executor.before,
            "pairs": [_pair(row) for row in own],
            "pair_count": executor.pair_count,
            "kept": executor.kept,
            "already": executor.already,
            "notes": list(executor.notes),
        }
        for executor, own in zip(found.executors, rows, strict=True)
    ]
    return {"schema": 1, "schedule": schedule, "executors": executors, "notes": list(notes)}


def _pair(row: Row) -> dict[str, Any]:
    pair: dict[str, Any] = {}
    for name, one in (("first", row.first), ("second", row.second)):
        pair[name] = {"id": one.id, "group": one.group, "threads": list(one.threads)}
    pair["shares"] = None if row.shares is None else _shares(row.shares)
    return pair


def _shares(shares: Shares) -> dict[str, Any]:
    return {
        "seen": shares.seen,
        "objects": list(shares.objects),
        "variables": [
            {"name": one.name, "first": list(one.first), "second": list(one.second)}
            for one in shares.variables
        ],
        "races": [as_json(race) for race in shares.races],
    }
