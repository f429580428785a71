"""One picture of `takt top`: lines that are exactly as many and as wide as the terminal has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from takt_cli.base.streams import spell
from takt_cli.base.units import exactly, how_many
from takt_cli.tables.table import Cell, Mood, Table
from takt_cli.verbs.top.rates import Pair
from takt_cli.verbs.top.state import FOOTER, HELP, State
from takt_cli.verbs.top.tables import KINDS, NARROW, WORDS, idle_rows, phase_notes, unknown_notes
from takt_cli.verbs.top.watch import View

_GAP = "  "
_NARROWEST_NAME = 16
_STYLES: dict[Mood, str] = {"": "", "good": "", "bad": "bold red", "weak": "dim"}
_MOST_LINES = 4  # of one sentence
_ABOVE = 2  # headline and troubles
_MOST_NOTES = 3  # lines below the table
_TALL = 14  # a terminal with this number of lines has room for all of them


@dataclass(frozen=True)
class Size:
    """Columns and lines of a terminal, and the encoding of its characters."""

    width: int
    height: int
    encoding: str = "utf-8"


def picture(view: View, table: Table, state: State, size: Size, interval_ns: int) -> list[Text]:
    """Draw all lines; moves the rows and columns of `state` to existing ones."""
    lines = [
        _line(headline(view.pairs, state, interval_ns, size.width), size, "bold"),
        _line(_trouble(view, state), size, "bold red" if view.troubles() else ""),
    ]
    if state.help:
        lines += [_line(text, size) for text in _help(view, size.width)]
    else:
        lines += _table_lines(view, table, state, size)
    room = max(0, size.height - 1)
    lines = lines[:room] + [_line("", size)] * (room - len(lines))
    return [*lines, _line(_footer(state), size, "reverse")][-size.height :]


def headline(pairs: Sequence[Pair], state: State, interval_ns: int, width: int) -> str:
    """Describe the watched processes: 'takt top, each 1 s: 2 processes, 5 chains, 12 threads'.

    Omits the last parts if they do not fit as a whole.
    """
    executors = [executor for pair in pairs for executor in pair.now.executors]
    parts = [pairs[0].now.words if len(pairs) == 1 else how_many(len(pairs), "process")]
    alarms = sum(pair.now.alarms.active for pair in pairs)
    if alarms:
        parts.append(f"{how_many(alarms, 'alarm')} active")
    parts += [
        how_many(sum(len(one.chains) for one in executors), "chain"),
        how_many(sum(len(one.callbacks) for one in executors), "callback"),
        how_many(sum(len(one.threads) for one in executors), "thread"),
    ]
    begin = f"takt top, {'PAUSED' if state.paused else f'each {exactly(interval_ns)}'}: "
    while len(parts) > 1 and len(begin) + cell_len(", ".join(parts)) > width:
        parts.pop()
    return begin + ", ".join(parts)


def _trouble(view: View, state: State) -> str:
    troubles = view.troubles()
    if troubles:
        return troubles[0] + (f", and {len(troubles) - 1} more" if len(troubles) > 1 else "")
    if not view.pairs:
        return "no process runs under takt yet; `takt exec -- PROGRAM` starts one"
    if state.filter and not state.typing:
        return f"filter: {state.filter}"
    return next(iter(phase_notes(view.pairs)), "")


def _footer(state: State) -> str:
    if state.typing:
        return f"filter: {state.filter}_   (enter keeps it, escape shows all rows)"
    return FOOTER


def _help(view: View, width: int) -> list[str]:
    """Explain the keys, and show in full the sentences without room in the table."""
    lines = [f"  {keys:<12}{words}" for keys, words in HELP]
    told = [
        *dict.fromkeys(note for one in KINDS.values() for note in one.make(view.pairs).notes),
        *view.troubles(),
        *phase_notes(view.pairs),
        *unknown_notes(view.pairs),
    ]
    wrapped = [line for one in told for line in wrap(one, max(20, width), max_lines=_MOST_LINES)]
    return ["", *lines, "each key leads back to the table", "", *wrapped]


def _table_lines(view: View, table: Table, state: State, size: Size) -> list[Text]:
    most = _MOST_NOTES if size.height >= _TALL else 1
    below, wanted = 1, state.row
    lines, notes = _with_notes(view, table, state, size, most, below)
    while below < len(notes):
        below, state.row = len(notes), wanted
        lines, notes = _with_notes(view, table, state, size, most, below)
    notes = [""] * (below - len(notes)) + notes
    lines += [_line("", size)] * (size.height - _ABOVE - 1 - below - len(lines))
    return [*lines, *(_line(note, size, "dim") for note in notes)]


def _with_notes(
    view: View, table: Table, state: State, size: Size, most: int, below: int
) -> tuple[list[Text], list[str]]:
    """Draw the rows above the lines of notes, and return the notes: at most `most` lines."""
    rows = state.chosen(table)
    room = max(1, size.height - _ABOVE - 2 - below)
    folded = _folded(table, state)
    if folded:
        rows = [row for row in rows if not any(row is one for one in folded)]
        room = max(1, room - 1)
    state.page = room
    state.row = max(0, min(state.row, len(rows) - room))
    part = rows[state.row : state.row + room]
    widths = _widths(table, rows, state, size)
    shown = _columns(table, state, widths, size.width)
    # Cut names get the remaining room.
    free = size.width - sum(widths[index] + len(_GAP) for index in shown) + len(_GAP)
    widths[0] = min(_wanted(table, rows, state, size, 0), widths[0] + max(0, free))
    titles = [Cell(_title(name, table, state)) for name in table.columns]
    lines = [_row(titles, table, shown, widths, size, "reverse")]
    lines += [_row(row, table, shown, widths, size) for row in part]
    if folded:
        lines.append(
            _line(f"{how_many(len(folded), 'idle callback')}: press i to show", size, "dim")
        )
    elif not rows and view.pairs:
        lines.append(
            _line(f"no {state.kind.name}" + (" pass the filter" if state.filter else ""), size)
        )
    parts = [*_hidden(table, state, len(rows), len(part), shown), *table.notes]
    return lines, _packed(parts, size.width, most)


def _folded(table: Table, state: State) -> list[list[Cell]]:
    """Give the rows that one line replaces; never rows that a filter looks for."""
    if state.shown != "b" or state.idle or state.filter:
        return []
    rows = idle_rows(table)
    return rows if len(rows) > 1 else []


def _title(name: str, table: Table, state: State) -> str:
    if name != state.sort(table.columns):
        return name
    return f"{name}{'^' if state.shown in state.reversed else 'v'}"


def _hidden(table: Table, state: State, rows: int, part: int, shown: Sequence[int]) -> list[str]:
    """Name the shown rows and columns if not all are shown."""
    parts = []
    if part < rows:
        parts.append(f"rows {state.row + 1}-{state.row + part} of {rows:,}")
    if len(shown) < len(table.columns):
        last = f"-{shown[-1] + 1}" if len(shown) > 2 else ""
        first = shown[1] + 1 if len(shown) > 1 else 1
        parts.append(f"columns {first}{last} of {len(table.columns)}: left, right")
    return parts


def _packed(parts: Sequence[str], width: int, most: int) -> list[str]:
    """Write notes into at most this number of lines, several on one line if they fit."""
    lines: list[str] = []
    for part in parts:
        if lines and len(f"{lines[-1]}; {part}") <= width:
            lines[-1] += f"; {part}"
        else:
            more = wrap(part, max(1, width))
            if len(lines) + len(more) <= most:
                lines += more
    return lines


def _widths(table: Table, rows: Sequence[Sequence[Cell]], state: State, size: Size) -> list[int]:
    """Width of each column; the name takes what the others leave, but has a least width."""
    widths = [_wanted(table, rows, state, size, index) for index in range(len(table.columns))]
    if sum(widths) + len(_GAP) * (len(widths) - 1) > size.width:
        for index, column in enumerate(table.columns):
            least = max(NARROW.get(column, widths[index]), len(_title(column, table, state)))
            widths[index] = min(widths[index], least)
    others = sum(widths[1:]) + len(_GAP) * (len(widths) - 1)
    seen = sum(width + len(_GAP) for width in widths[1 : state.kind.seen + 1])
    share = min(size.width * 2 // 5, size.width - seen) if seen else size.width * 2 // 5
    name = max(_NARROWEST_NAME, size.width - others, share)
    widths[0] = max(1, min(widths[0], name, size.width))
    most = max(1, size.width - widths[0] - len(_GAP))
    return [widths[0], *(min(width, most) for width in widths[1:])]


def _wanted(
    table: Table, rows: Sequence[Sequence[Cell]], state: State, size: Size, index: int
) -> int:
    texts = [spelled(row[index].text[: size.width], size.encoding) for row in rows]
    return max([len(_title(table.columns[index], table, state)), *map(cell_len, texts)])


def _columns(table: Table, state: State, widths: Sequence[int], width: int) -> list[int]:
    """Choose the columns that fit: the name, and others from `state.column` on."""
    count = len(table.columns)

    def fitting(first: int) -> list[int]:
        shown, used = [0], widths[0]
        for index in range(first, count):
            used += len(_GAP) + widths[index]
            if used > width:
                break
            shown.append(index)
        return shown

    first = max(1, min(state.column, count - 1))
    wanted = table.columns.index(state.sort(table.columns))
    if state.follow and wanted:
        first = min(first, wanted)
        while first < wanted and wanted not in fitting(first):
            first += 1
    while first > 1 and fitting(first - 1)[-1] == count - 1:
        first -= 1  # no room is left free on the right
    state.column = first
    return fitting(first)


def _row(
    cells: Sequence[Cell],
    table: Table,
    shown: Sequence[int],
    widths: Sequence[int],
    size: Size,
    style: str = "",
) -> Text:
    line = Text(no_wrap=True, style=style)
    for index in shown:
        text = cut(spelled(cells[index].text, size.encoding), widths[index], size.encoding)
        blank = " " * (widths[index] - cell_len(text))
        left = index == 0 or table.columns[index] in WORDS
        line.append(_GAP if index else "")
        line.append(text + blank if left else blank + text, style=_STYLES[cells[index].mood])
    return _padded(line, size)


def cut(text: str, width: int, encoding: str = "utf-8") -> str:
    """Cut the middle of a text that is too wide: beginnings and ends of names differ."""
    if len(text) > 2 * width:
        text = text[:width] + text[-width:]
    if cell_len(text) <= width:
        return text
    dots = "…" if spelled("…", encoding) == "…" else "~"
    head = set_cell_size(text, (width - 1) // 2)
    rest = width - cell_len(head) - 1
    tail = text[len(text) - rest :] if rest > 0 else ""
    while cell_len(tail) > rest:
        tail = tail[1:]
    return set_cell_size(f"{head}{dots}{tail}", width)


def spelled(text: str, encoding: str) -> str:
    """Replace characters that the terminal lacks, before widths are counted."""
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError as error:
        words, end = spell(error)
        return text[: error.start] + words + spelled(text[end:], encoding)


def _line(text: str, size: Size, style: str = "") -> Text:
    words = spelled(text, size.encoding)
    return _padded(Text(set_cell_size(words, min(cell_len(words), size.width)), style=style), size)


def _padded(line: Text, size: Size) -> Text:
    line.no_wrap = True
    line.append(" " * max(0, size.width - line.cell_len))
    return line
