"""Runs several configurations one after the other under one progress display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from takt_cli.base.console import err, note, progress
from takt_cli.results.configuration import Configuration
from takt_cli.running.runner import RunRequest, run


@dataclass(frozen=True)
class Planned:
    """One run to come."""

    name: str
    request: RunRequest
    note: str = ""
    muted: bool = False
    accent: bool = False
    section: str = ""


def total_s(planned: Sequence[Planned]) -> float:
    """How long all runs should take."""
    return sum(item.request.expected_s() for item in planned)


def run_all(planned: Sequence[Planned]) -> list[Configuration]:
    """Run them all; the bar counts seconds, so that it tells the time left well.

    Beside the results of each run its raw records are kept: all figures follow from them.
    """
    done: list[Configuration] = []
    quiet = not err().is_terminal
    with progress() as bar:
        task = bar.add_task("", total=total_s(planned))
        before = 0.0
        for number, item in enumerate(planned, start=1):
            name = ", ".join(part for part in (item.section, item.name) if part)
            title = f"{number}/{len(planned)} {name}"
            bar.update(task, description=title)
            if quiet:
                note(f"{title} ({item.request.expected_s():.0f} s)")
            length = item.request.expected_s()

            def report(share: float, start: float = before, length: float = length) -> None:
                bar.update(task, completed=start + share * length)

            output = item.request.output
            request = replace(item.request, records=output.with_suffix(".records.json"))
            results = run(request, report)
            before += length
            done.append(
                Configuration(
                    item.name,
                    results,
                    item.note,
                    item.muted,
                    item.accent,
                    item.section,
                    kept=output,
                    records=request.records,
                )
            )
    return done
