"""A study: some runs side by side, what they say, and how to repeat it.

The demonstration, every experiment and `takt report` make one; the terminal, the JSON output and
the HTML report show it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from takt_cli import __version__
from takt_cli.console import err, out, print_json
from takt_cli.host import Host
from takt_cli.outputs import write_text
from takt_cli.results import Results
from takt_cli.table import Table


@dataclass(frozen=True)
class Configuration:
    """One run of a study under its name."""

    name: str
    results: Results
    note: str = ""
    muted: bool = False  # shown in grey: a baseline that cannot win
    accent: bool = False  # shown in the first colour: what the study is about
    section: str = ""  # runs of one section are compared with each other and plotted together
    kept: Path | None = None  # where its results are
    records: Path | None = None  # where the raw record of each run of a callback is


@dataclass
class Study:
    """Everything that is shown."""

    kind: str
    title: str
    command: str
    host: Host
    configurations: list[Configuration]
    sentences: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[tuple[str, dict[str, Any]]] = field(default_factory=list)  # title, plotly
    explanations: list[str] = field(default_factory=list)
    measured: Mapping[str, Any] = field(default_factory=dict)
    made: datetime = field(default_factory=lambda: datetime.now().astimezone())

    def sections(self) -> dict[str, list[Configuration]]:
        """Group the runs by section, in order."""
        found: dict[str, list[Configuration]] = {}
        for configuration in self.configurations:
            found.setdefault(configuration.section, []).append(configuration)
        return found

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "takt": __version__,
            "kind": self.kind,
            "title": self.title,
            "command": self.command,
            "made": self.made.isoformat(timespec="seconds"),
            "host": self.host.as_json(),
            "sentences": self.sentences,
            "tables": [table.to_json() for table in self.tables],
            "configurations": [
                {
                    "name": c.name,
                    "section": c.section,
                    "note": c.note,
                    "label": c.results.label,
                    "results": str(c.kept) if c.kept else None,
                    "records": str(c.records) if c.records else None,
                }
                for c in self.configurations
            ],
        }


def command_line(*words: str) -> str:
    """Spell a command so that it can be pasted into a shell."""
    return shlex.join(["./takt" if _from_source() else "takt", *words])


def _from_source() -> bool:
    return Path("takt").is_file() and Path("takt_cli").is_dir()


def finish(
    study: Study, directory: Path, json_output: bool, tables_shown: int | None = None
) -> None:
    """Write report, plots and summary, print (the first) tables and sentences, name the report."""
    # Loaded here: building pages is slow to import and most commands never do.
    from takt_cli.report.page import write_report
    from takt_cli.report.svg import file_name, has_lines_only, picture

    directory.mkdir(parents=True, exist_ok=True)
    report = directory / "report.html"
    write_report(study, report)
    for title, figure in study.figures:
        if has_lines_only(figure):
            write_text(directory / file_name(title), picture(title, figure))
    summary = {**study.to_json(), "report": str(report), "results": str(directory)}
    write_text(directory / "summary.json", json.dumps(summary, indent=2, ensure_ascii=False))
    if json_output:
        print_json(summary)
        return
    print_study(study, tables_shown)
    out().print()
    if any(c.records for c in study.configurations):
        out().print(
            f"Raw data: {directory.resolve()} (samples in *.json, each run of a callback in "
            "*.records.json)",
            markup=False,
            soft_wrap=True,
        )
    out().print(f"Report: {report.resolve()}", markup=False, soft_wrap=True)


def print_study(study: Study, tables_shown: int | None = None) -> None:
    """Tables, then what they say."""
    console = out()
    for table in study.tables[:tables_shown]:
        table.print_to(console)
    console.print()
    for sentence in study.sentences:
        console.print(sentence, markup=False)
    for warning in warnings_of(study.configurations):
        err().print(f"warning: {warning}", style="yellow", markup=False)


def full_name(configuration: Configuration) -> str:
    """Name a run so that it is unique in the study."""
    return ", ".join(part for part in (configuration.section, configuration.name) if part)


def warnings_of(configurations: Sequence[Configuration]) -> list[str]:
    """Warnings of all runs, each once; those that all runs have stand without a name."""
    if not configurations:
        return []
    shared = set.intersection(*(set(c.results.warnings) for c in configurations))
    found = [w for w in configurations[0].results.warnings if w in shared]
    found += [
        f"{full_name(c)}: {w}"
        for c in configurations
        for w in c.results.warnings
        if w not in shared
    ]
    return list(dict.fromkeys(found))
