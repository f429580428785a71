"""The raw records of a run: when each callback ran, and how long it worked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from takt_cli.documents.document import Document
from takt_cli.documents.told import read_told


class Records(Document, at="records"):
    """All runs of callbacks of one run of a graph."""

    def rows(self, *columns: str) -> Iterator[tuple[str, list[int]]]:
        """Give each run: the id of its callback, and its values in these columns."""
        callback = self.columns.index("callback")
        places = [self.columns.index(name) for name in columns]
        for row in self.runs:
            yield self.callbacks[row[callback]], [row[place] for place in places]


def read_records(path: Path) -> Records:
    """Read the file that takt_run wrote with --records."""
    return read_told(Records, json.loads(path.read_text(encoding="utf-8")), "takt_run")
