"""A study: some runs side by side, their meaning, and the command that repeats them.

The demonstration, every experiment and `takt report` make one; the terminal, the JSON output and
the HTML report show it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from takt_cli.base.version import VERSION
from takt_cli.results.configuration import Configuration
from takt_cli.running.host import Host
from takt_cli.tables.table import Table


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
            "takt": VERSION,
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
