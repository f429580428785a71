"""The pairs for people, and as a document for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from takt_cli.base.printable import printable
from takt_cli.base.processes import respelled
from takt_cli.documents.document import as_json
from takt_cli.tables.table import Table
from takt_cli.verbs.audit.pairs import Callback, Executor, SideBySide
from takt_cli.verbs.audit.program import Process, Program, Race
from takt_cli.verbs.audit.shares import Looker, Shares

# More rows than this are for programs.
_MOST_ROWS = 200
# More pairs than this are not printed one by one: each thing then has the list of its callbacks.
_MOST_PAIRS = 20


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


@dataclass(frozen=True)
class OtherRaces:
    """Races of a process that are not between two callbacks of a listed pair."""

    process: Process
    races: Sequence[Race]


@dataclass
class _Thing:
    """An object or a variable, the callbacks that use it, and how many pairs do."""

    line: str
    callbacks: dict[str, str] = field(default_factory=dict)
    pairs: int = 0


def rows_of(place: int, executor: Executor, program: Program | None, looker: Looker) -> list[Row]:
    """Look at the pairs of one executor."""
    rows = []
    for pair in executor.pairs:
        first, second = executor.callbacks[pair.first], executor.callbacks[pair.second]
        shares = None
        if program is not None:
            # takt_audit may spell the ids of timers in another way.
            ids = program.ids[place]
            shares = looker.look(program.processes[place], (ids[pair.first], ids[pair.second]))
        rows.append(Row(first, second, shares))
    return rows


def other_races(program: Program, found: SideBySide, looker: Looker) -> list[OtherRaces]:
    """Find the races of each process that no row has."""
    pairs: dict[int, list[tuple[str, str]]] = {}
    processes = {one.pid: one for one in program.processes}
    for process, ids, executor in zip(program.processes, program.ids, found.executors, strict=True):
        pairs.setdefault(process.pid, []).extend(
            (ids[pair.first], ids[pair.second]) for pair in executor.pairs
        )
    all_ = [OtherRaces(one, looker.other_races(one, pairs[one.pid])) for one in processes.values()]
    return [one for one in all_ if one.races]


def print_pairs(
    console: Console,
    schedule: str,
    found: SideBySide,
    rows: Sequence[Sequence[Row]],
    races: Sequence[OtherRaces],
    notes: Sequence[str],
) -> None:
    """Print what pairs share, a table of the others, other races, and why there are no pairs."""
    for executor, own in zip(found.executors, rows, strict=True):
        _print_executor(console, schedule, executor, own)
    for one in races:
        console.print()
        title = f"races beside the listed pairs, in process {one.process.pid}"
        program = one.process.program.rpartition("/")[2]
        _say(console, title + (f" ({printable(program)})" if program else ""))
        _print_races(console, one.races)
    for sentence in notes:
        _say(console, f"note: {respelled(sentence)}", weak=True)


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
        others = [row for row in rows if row.shares is None or not row.shares.any]
        if len(others) == len(rows):
            _print_table(console, title, others, count)
        else:
            console.print(title, style="bold", markup=False, soft_wrap=True)
            if len(sharing) > _MOST_PAIRS:
                _print_things(console, sharing)
            else:
                for row in sharing:
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
        _say(console, f"note: {respelled(sentence)}", weak=True)


def _print_table(console: Console, title: str, rows: Sequence[Row], count: int) -> None:
    looked = any(row.shares is not None for row in rows)
    columns = ["callback", "threads", "beside", "threads", *(["seen to share"] if looked else [])]
    table = Table(title, columns, words=len(columns))
    for row in rows[:_MOST_ROWS]:
        seen = [] if row.shares is None else [_nothing(row.shares)]
        table.add(
            row.first.id,
            " ".join(row.first.threads),
            row.beside,
            " ".join(row.second.threads),
            *(seen if looked else []),
        )
    if count > len(table.rows):
        has = "has them" if looked else "has up to 10,000"
        table.notes.append(f"and {count - len(table.rows):,} more; --json {has}")
    table.print_to(console, apart=False)


def _nothing(shares: Shares) -> str:
    """Say what it means that takt saw nothing shared."""
    if not shares.seen:
        return "(not seen)"
    return "nothing" if shares.code_read else "no object; variables unknown"


def _print_shares(console: Console, row: Row) -> None:
    shares = row.shares
    assert shares is not None
    first, second = row.first, row.second
    console.print()
    _say(
        console,
        f"{first.id} ({' '.join(first.threads)}) beside {row.beside} ({' '.join(second.threads)})",
    )
    for one in shares.objects:
        _say(console, f"  object    {one.name}")
    for variable in shares.variables:
        uses = [", ".join(how) for how in (variable.first, variable.second)]
        how = uses[0] if uses[0] == uses[1] else f"{uses[0]} / {uses[1]}"
        _say(console, f"  variable  {variable.name}: {how}")
    for race in shares.races:
        what = race.location or "unknown memory"
        sides = " / ".join(f"{side.access} in {side.where}" for side in (race.first, race.second))
        _say(console, f"  race      {what}: {sides}")
    if not shares.code_read:
        _say(console, "  variable  unknown")


def _print_things(console: Console, rows: Sequence[Row]) -> None:
    """Print each shared thing with its callbacks, then the races."""
    things: dict[tuple[str, ...], _Thing] = {}
    for row in rows:
        assert row.shares is not None
        for one in row.shares.objects:
            thing = things.setdefault((one.address, one.name), _Thing(f"object {one.name}"))
            _join(thing, row, "", "")
        for variable in row.shares.variables:
            thing = things.setdefault(("", *variable.key), _Thing(f"variable {variable.name}"))
            _join(thing, row, ", ".join(variable.first), ", ".join(variable.second))
    for thing in things.values():
        console.print()
        pairs = "1 pair shares it" if thing.pairs == 1 else f"{thing.pairs:,} pairs share it"
        _say(console, f"{thing.line}: {len(thing.callbacks)} callbacks; {pairs}")
        for words in thing.callbacks.values():
            _say(console, f"  {words}")
    if races := [race for row in rows if row.shares is not None for race in row.shares.races]:
        console.print()
        _say(console, "races")
        _print_races(console, races)


def _join(thing: _Thing, row: Row, first: str, second: str) -> None:
    thing.pairs += 1
    for one, how in ((row.first, first), (row.second, second)):
        words = f"{one.id} ({' '.join(one.threads)})"
        thing.callbacks.setdefault(one.id, f"{words}: {how}" if how else words)


def _print_races(console: Console, races: Sequence[Race]) -> None:
    for race in races:
        _say(console, f"  race on {race.location or 'unknown memory'}")
        for side in (race.first, race.second):
            by = side.callback or f"{side.thread}, outside of callbacks"
            _say(console, f"    {side.access} by {by} in {side.where}")


def _say(console: Console, line: str, *, weak: bool = False) -> None:
    console.print(line, style="dim" if weak else None, markup=False, soft_wrap=True)


def as_document(
    schedule: str,
    found: SideBySide,
    rows: Sequence[Sequence[Row]],
    races: Sequence[OtherRaces],
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
    return {
        "schema": 1,
        "schedule": schedule,
        "executors": executors,
        "other_races": [
            {"pid": one.process.pid, **as_json(race)} for one in races for race in one.races
        ],
        "notes": list(notes),
    }


def _pair(row: Row) -> dict[str, Any]:
    pair: dict[str, Any] = {}
    for name, one in (("first", row.first), ("second", row.second)):
        pair[name] = {"id": one.id, "group": one.group, "threads": list(one.threads)}
    pair["shares"] = None if row.shares is None else _shares(row.shares)
    return pair


def _shares(shares: Shares) -> dict[str, Any]:
    return {
        "seen": shares.seen,
        "code_read": shares.code_read,
        "objects": [one.name for one in shares.objects],
        "variables": [
            {"name": one.name, "first": list(one.first), "second": list(one.second)}
            for one in shares.variables
        ],
        "races": [as_json(race) for race in shares.races],
    }
