"""One table model for the terminal, the HTML report and JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

Mood = Literal["", "good", "bad", "weak"]
_STYLES: dict[Mood, str] = {"": "", "good": "bold green", "bad": "bold red", "weak": "dim"}


@dataclass(frozen=True)
class Cell:
    """One value as shown; `value` is what JSON gets where it differs from the text."""

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

    def add(self, *cells: Cell | str) -> None:
        """Add one row, as wide as the columns."""
        row = [cell if isinstance(cell, Cell) else Cell(cell) for cell in cells]
        if len(row) != len(self.columns):
            raise ValueError(f"{len(row)} cells for {len(self.columns)} columns: {row}")
        self.rows.append(row)

    def to_rich(self) -> RichTable:
        """For the terminal."""
        table = RichTable(
            title=self.title,
            title_justify="left",
            title_style="bold",
            header_style="bold",
        )
        for index, column in enumerate(self.columns):
            table.add_column(
                Text(column), justify="left" if index < self.words else "right", overflow="fold"
            )
        for row in self.rows:
            table.add_row(*(Text(cell.text, style=_STYLES[cell.mood]) for cell in row))
        return table

    def print_to(self, console: Console) -> None:
        """Print the table, and below it the notes at full width."""
        console.print(self.to_rich())
        for note in self.notes:
            console.print(note, style="dim", markup=False)

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


def join_notes(notes: Iterable[str]) -> list[str]:
    """Keep each note once, in order."""
    return [note for note in dict.fromkeys(notes) if note]
