"""Lines about the entries of a schedule that `takt apply` and `takt reset` change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from takt_cli.control.changes import OUTCOMES, ScheduleAnswer
from takt_cli.control.status import Part

_WOULD = {
    "applied": "would be applied",
    "failed": "would fail",
    "skipped": "would be skipped",
    "unchanged": "unchanged",
}

Verbose = Annotated[
    bool, typer.Option("--verbose", help="List the entries that are unchanged, too.")
]


def entry_lines(
    answers: Sequence[ScheduleAnswer], dry_run: bool, verbose: bool
) -> Iterator[tuple[str, bool]]:
    """Yield a line for each entry, and whether it is a bad one; most entries are unchanged."""
    for one in answers:
        for change in one.parts:
            for part in change.parts:
                if verbose or part.outcome != "unchanged" or part.why:
                    place = f"{one.process.words}, executor {change.name}"
                    bad = part.outcome in ("failed", "skipped")
                    yield f"{place}: {_entry(part, dry_run)}", bad


def _entry(part: Part, dry_run: bool) -> str:
    outcome = _WOULD[part.outcome] if dry_run else part.outcome
    return f"{part.what}: {outcome}{f': {part.why}' if part.why else ''}"


def count_words(number: Any, dry_run: bool) -> str:
    """Count entries by outcome: '3 applied, 1 failed, 5 unchanged'."""
    words = [
        f"{number[outcome]:,} {_WOULD[outcome] if dry_run else outcome}"
        for outcome in OUTCOMES
        if number[outcome]
    ]
    return ", ".join(words) or "it has no entries"
