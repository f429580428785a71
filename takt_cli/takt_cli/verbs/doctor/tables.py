"""Findings and fixes as people read them."""

from __future__ import annotations

from collections import Counter
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
    """Print the headline, a table of the costly findings or of all, and the remedies."""
    told = [one for one in by_gravity(findings) if everything or one.costs_latency]
    console.print(headline(findings), style="bold", markup=False)
    table = Table("", ["finding", "severity", "what is"], words=3)
    for finding in told:
        mood = _MOODS[finding.severity]
        table.add(finding.id, Cell(finding.severity, mood), finding.verdict.now)
    if told:
        table.print_to(console)
    for finding in told:
        _explain(console, finding)
    if not everything:
        others = Counter(one.severity for one in by_gravity(findings) if not one.costs_latency)
        words = ", ".join(f"{number} {severity}" for severity, number in others.items())
        more = f"Other findings: {words}. `takt doctor --all` lists and explains all findings."
        console.print(f"\n{more}", style="dim", markup=False)


def _explain(console: Console, finding: Finding) -> None:
    console.print(f"\n{finding.check.title} ({finding.id}: {finding.severity})", style="bold")
    lines = [f"Is: {finding.verdict.now}.", f"Better: {finding.check.better}.", finding.check.why]
    if finding.verdict.remedy:
        lines.append(f"Do: {finding.verdict.remedy}.")
    for line in lines:
        console.print(Padding(Text(line), (0, 0, 0, 2)))


def sentence(outcome: Outcome) -> str:
    """Describe the outcome of an action in one line."""
    action = outcome.action
    said = f"{action.what}: {action.before or 'none'} -> {action.after}"
    verb = {"done": "", "failed": "NOT DONE: ", "planned": "would write "}[outcome.result]
    return f"{verb}{said}{f' ({outcome.words})' if outcome.words else ''}"
