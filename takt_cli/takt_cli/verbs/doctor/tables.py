"""Findings and fixes as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from takt_cli.tables.table import Cell, Mood, Table
from takt_cli.verbs.doctor.finding import Finding, Severity, by_gravity, headline
from takt_cli.verbs.doctor.fix import Outcome

_MOODS: dict[Severity, Mood] = {
    "bad": "bad",
    "warn": "bad",
    "note": "",
    "unknown": "weak",
    "ok": "good",
}


def print_findings(console: Console, findings: Sequence[Finding], everything: bool) -> None:
    """Print the headline, a table of all findings, and what to do about the costly ones."""
    ordered = by_gravity(findings)
    console.print(headline(findings), style="bold", markup=False)
    table = Table("", ["finding", "", "what is"], words=3)
    for finding in ordered:
        mood = _MOODS[finding.severity]
        table.add(finding.id, Cell(finding.severity, mood), finding.verdict.now)
    table.print_to(console)
    told = [finding for finding in ordered if everything or finding.costs_latency]
    for finding in told:
        _explain(console, finding)
    if not everything:
        console.print("\n`takt doctor --all` explains every finding.", style="dim", markup=False)


def _explain(console: Console, finding: Finding) -> None:
    console.print(f"\n{finding.check.title} ({finding.id}: {finding.severity})", style="bold")
    lines = [f"Is: {finding.verdict.now}.", f"Better: {finding.check.better}.", finding.check.why]
    if finding.verdict.remedy:
        lines.append(f"Do: {finding.verdict.remedy}.")
    for line in lines:
        console.print(Padding(Text(line), (0, 0, 0, 2)))


def sentence(outcome: Outcome) -> str:
    """Say in one line what became of an action."""
    action = outcome.action
    said = f"{action.what}: {action.before or 'none'} -> {action.after}"
    verb = {"done": "", "failed": "NOT DONE: ", "planned": "would write "}[outcome.result]
    return f"{verb}{said}{f' ({outcome.words})' if outcome.words else ''}"
