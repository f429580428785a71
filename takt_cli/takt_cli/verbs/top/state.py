"""The user's choice of rows and columns, and the effect of each key on it. Knows no terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.top.tables import KINDS, WORDS, Kind

FOOTER = "c:chains b:callbacks t:threads <> r:sort /:filter space:pause h:help q:quit"
HELP = (
    ("c b t", "show chains, callbacks, threads; the tab key shows the next table"),
    ("< >", "sort by the column before, or by the next one; s is the same as >"),
    ("r", "reverse the order"),
    ("/", "show rows with a text in a name; enter keeps it, escape ends it"),
    ("i", "show idle callbacks, too, or fold them into one line"),
    ("space", "hold the figures, and go on; p does the same"),
    ("left right", "show other columns"),
    ("up down", "show other rows; page up, page down, home and end, too"),
    ("q", "quit; Ctrl-C does the same"),
)
_MOST_FILTER = 200


@dataclass
class State:
    """The choice of the shown table, its rows and its columns."""

    shown: str = "c"
    paused: bool = False
    help: bool = False
    ended: bool = False
    typing: bool = False  # the user types a filter
    idle: bool = False  # show idle callbacks, too
    filter: str = ""
    row: int = 0  # the first shown row
    column: int = 1  # the first shown column after the name
    follow: bool = True  # move the columns until the sorting one is visible
    page: int = 1  # number of rows that were shown last
    sorted_by: dict[str, str] = field(default_factory=dict)
    reversed: set[str] = field(default_factory=set)

    @property
    def kind(self) -> Kind:
        """The table that is shown."""
        return KINDS[self.shown]

    def sort(self, columns: Sequence[str]) -> str:
        """Give the title of the sorting column: one of these columns."""
        chosen = self.sorted_by.get(self.shown, "")
        return chosen if chosen in columns else self.kind.sort

    def press(self, key: str, columns: Sequence[str]) -> None:
        """Carry out one key; `columns`: titles of the shown table."""
        if self.typing:
            self._type(key)
        elif self.help and key != "q":
            self.help = False
        elif key in KINDS:
            self._show(key)
        elif key == "tab":
            order = list(KINDS)
            self._show(order[(order.index(self.shown) + 1) % len(order)])
        elif key in ("<", ">", "s", ",", "."):
            self._sort(-1 if key in "<," else 1, columns)
        elif key in ("left", "right"):
            self.follow = False
            self.column += 1 if key == "right" else -1
        elif key in ("up", "down", "page up", "page down", "home", "end"):
            self._scroll(key)
        else:
            self._switch(key)

    def chosen(self, table: Table) -> list[list[Cell]]:
        """Give the rows that the filter passes, in order."""
        rows = table.rows
        if self.filter:
            words = [i for i, name in enumerate(table.columns) if i == 0 or name in WORDS]
            wanted = self.filter.casefold()
            rows = [row for row in rows if any(wanted in row[i].text.casefold() for i in words)]
        sort = self.sort(table.columns)
        index = table.columns.index(sort)
        return ordered(rows, index, index == 0 or sort in WORDS, self.shown in self.reversed)

    def _show(self, key: str) -> None:
        self.shown, self.row, self.column, self.follow = key, 0, 1, True

    def _sort(self, step: int, columns: Sequence[str]) -> None:
        at = columns.index(self.sort(columns))
        self.sorted_by[self.shown] = columns[(at + step) % len(columns)]
        self.row, self.follow = 0, True

    def _scroll(self, key: str) -> None:
        most = 1 << 30  # the table is shorter; drawing it corrects this
        by = {"up": -1, "down": 1, "page up": -self.page, "page down": self.page}
        self.row = max(0, self.row + by.get(key, -most if key == "home" else most))

    def _switch(self, key: str) -> None:
        if key == "r":
            self.reversed ^= {self.shown}
        elif key == "/":
            self.typing = True
        elif key == "escape":
            self.filter = ""
        elif key == "i":
            self.idle = not self.idle
        elif key in (" ", "p"):
            self.paused = not self.paused
        elif key in ("h", "?"):
            self.help = True
        elif key in ("q", "Q", "interrupt"):
            self.ended = True

    def _type(self, key: str) -> None:
        self.row = 0
        if key in ("enter", "interrupt"):
            self.typing = False
        elif key == "escape":
            self.typing, self.filter = False, ""
        elif key == "backspace":
            self.filter = self.filter[:-1]
        elif key == "clear":
            self.filter = ""
        elif len(key) == 1 and len(self.filter) < _MOST_FILTER:
            self.filter += key


def ordered(rows: Sequence[list[Cell]], index: int, words: bool, back: bool) -> list[list[Cell]]:
    """Sort by one column: names from a on, numbers from the largest on, and missing ones last."""

    def key(row: list[Cell]) -> tuple[float, str]:
        cell = row[index]
        if words and cell.value is None:
            return 0, cell.text.casefold()
        return cell.value if cell.value is not None else 0, ""

    # Rows with equal figures stay in the order of names.
    rows = sorted(rows, key=lambda row: row[0].text.casefold(), reverse=back and index == 0)
    known = [row for row in rows if words or row[index].value is not None]
    numbers = any(row[index].value is not None for row in known)
    missing = [row for row in rows if not words and row[index].value is None]
    known.sort(key=key, reverse=numbers != back)
    return [*known, *missing]
