"""One table model for the terminal, the HTML report and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

Mood = Literal["", "good", "bad", "weak"]
_STYLES: dict[Mood, str] = {"": "", "good": "bold green", "bad": "bold red", "weak": "dim"}
# Longer cells are sentences or paths, which may go on in the next line.
_LONG = 30
_NARROWEST = 8
_GAP = 2  # blanks between columns


@dataclass(frozen=True)
class Cell:
    """One value as shown; JSON gets `value` where that differs from the text."""

    text: str
    mood: Mood = ""
    value: float | int | None = None


@dataclass
class Table:
    """Rows under titled columns; the first column names the row."""

    title: str
    columns: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    words: int = 1  # so many columns hold words and stand to the left

    def __post_init__(self) -> None:
        """Refuse a column without a title: its readers would have to guess."""
        if not all(title.strip() for title in self.columns):
            raise ValueError(f"a column has no title: {self.columns}")

    def add(self, *cells: Cell | str) -> None:
        """Add one row, as wide as the columns."""
        row = [cell if isinstance(cell, Cell) else Cell(cell) for cell in cells]
        if len(row) != len(self.columns):
            raise ValueError(f"{len(row)} cells for {len(self.columns)} columns: {row}")
        self.rows.append(row)

    def widths(self) -> list[int]:
        """How wide each column must at least be so that nothing breaks inside a word."""
        least = []
        for index, column in enumerate(self.columns):
            texts = [row[index].text for row in self.rows]
            if index < self.words or max(map(len, texts), default=0) > _LONG:
                # Sentences go on in the next line, and so do the longest of names.
                texts = [word[:_LONG] for text in texts for word in text.split()]
            least.append(max(map(len, [*column.split(), *texts, "-"])))
        return least

    def fitting(self, width: int) -> list[list[int]]:
        """Columns of each of the tables, one below the other, that this one takes at that width.

        Not more of them than it takes, and none much wider than the others.
        """
        parts = self._parts(width)
        for narrower in range(width - 1, _NARROWEST, -1):
            closer = self._parts(narrower)
            if len(closer) > len(parts) or len(parts) == 1:
                break
            parts = closer
        return parts

    def _parts(self, width: int) -> list[list[int]]:
        least = self.widths()
        parts: list[list[int]] = [[0]]
        for index in range(1, len(self.columns)):
            taken = sum(least[i] + _GAP for i in [*parts[-1], index])
            if taken - _GAP > width and len(parts[-1]) > 1:
                parts.append([0])
            parts[-1].append(index)
        return parts

    def _given(self, shown: Sequence[int], width: int) -> dict[int, int]:
        """Share a width out among columns: first their least width, then their wanted width."""
        least = self.widths()
        given = {index: least[index] for index in shown}
        free = width + _GAP - sum(given[index] + _GAP for index in shown)
        if free < 0:  # a first column of long words gives way, and breaks
            given[shown[0]] = max(_NARROWEST, given[shown[0]] + free)
        for index in shown:
            texts = [self.columns[index], *(row[index].text for row in self.rows)]
            more = min(max(free, 0), max(map(len, texts)) - given[index])
            given[index] += max(more, 0)
            free -= max(more, 0)
        return given

    def to_rich(self, shown: Sequence[int], width: int) -> RichTable:
        """For the terminal: these columns of it at that width."""
        given = self._given(shown, width)
        table = RichTable(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
        for index in shown:
            table.add_column(
                Text(self.columns[index]),
                justify="left" if index < self.words else "right",
                overflow="fold",
                width=given[index],
            )
        for row in self.rows:
            cells = [row[index] for index in shown]
            table.add_row(*(Text(cell.text, style=_STYLES[cell.mood]) for cell in cells))
        return table

    def print_to(self, console: Console, *, apart: bool = True) -> None:
        """Print the table, in several below each other where it is too wide, and then the notes.

        `apart`: with a blank line above.
        """
        if apart:
            console.print()
        if self.title:
            console.print(self.title, style="bold", markup=False)
        for number, part in enumerate(self.fitting(console.width)):
            if number:
                console.print()
            self._print_part(console, part)
        for note in self.notes:
            console.print(note, style="dim", markup=False)

    def _print_part(self, console: Console, shown: Sequence[int]) -> None:
        """Print some columns, and no blanks at the ends of lines."""
        for segments in console.render_lines(self.to_rich(shown, console.width), pad=False):
            line = Text()
            for segment in segments:
                line.append(segment.text, segment.style)
            line.rstrip()
            console.print(line, soft_wrap=True)

    def to_json(self) -> dict[str, Any]:
        """For programs: numbers where there are numbers."""
        return {
            "title": self.title,
            "columns": self.columns,
            "rows": [
                [cell.text if cell.value is None else cell.value for cell in row]
                for row in self.rows
            ],
            "notes": self.notes,
        }


def count_cell(count: int, bad_above: int | None = None) -> Cell:
    """Show a count; red above a limit."""
    mood: Mood = "bad" if bad_above is not None and count > bad_above else ""
    return Cell(f"{count:,}", mood, count)
