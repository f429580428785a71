"""The parts of a response time: names, colours and meanings; and small pieces of the page."""

from __future__ import annotations

import re
from html import escape

from takt_cli.base.units import human
from takt_cli.verbs.report.trace_figures import PARTS, Distribution, Split, TraceReport

# Longer tables are not shown in full at once.
_MOST_ROWS = 40
# A column of words has its full width from the first number of characters to the second.
_NARROW, _WIDEST, _WIDEST_BELOW = 20, 42, 26

COLOURS = {
    "middleware": "--s3",
    "group": "--s5",
    "queue": "--s2",
    "core": "--s7",
    "ran": "--s1",
    "blocked": "--muted",
}
MEANINGS = {
    "middleware": "the message was under way, or a thread took it from the middleware",
    "group": "another callback of the same exclusive group ran",
    "queue": "the thread ran other callbacks",
    "core": "the thread waited for a core, or for its wake-up",
    "ran": "the callback ran",
    "blocked": "it slept, or waited for a lock or for its node's other input",
}
# Sentences about them: "5 ms (40 %) ..."
PHRASES = {
    "middleware": "in the middleware",
    "group": "waiting for the callback group",
    "queue": "waiting for its thread, which ran other callbacks",
    "core": "waiting for a core or for the wake-up of its thread",
    "ran": "running",
    "blocked": "blocked: it slept, or waited for a lock or for its node's other input",
}


def legend(report: TraceReport) -> str:
    """Explain the colours of the parts."""
    wall = _WALL if report.measured.kernel else f"{_WALL} or had no core"
    meanings = MEANINGS if report.measured.cpu else {**MEANINGS, "ran": wall}
    items = "".join(
        f'<span><i class="key p-{part}"></i><b>{part}</b> {escape(meanings[part])}</span>'
        for part in PARTS
    )
    return f'<div class="parts-legend">{items}</div>'


_WALL = "from start to end of the callback, also where it slept"


def split_bar(split: Split) -> str:
    """One bar over the whole width, divided into the parts."""
    total = split.total_ns
    if total <= 0:
        return '<span class="weak">–</span>'
    pieces = []
    for part in PARTS:
        share = 100 * split.parts[part] / total
        if share < 0.05:
            continue
        words = f"{part}: {human(split.parts[part])}, {share:.0f} %"
        label = f"{share:.0f} %" if share >= 9 else ""
        pieces.append(
            f'<span class="p-{part}" style="width:{share:.2f}%" title="{escape(words)}">'
            f"{label}</span>"
        )
    words = escape(words_of(split))
    return f'<div class="split" role="img" aria-label="{words}">{"".join(pieces)}</div>'


def words_of(split: Split) -> str:
    """Name all parts that took time."""
    return ", ".join(f"{part} {human(ns)}" for part, ns in split.parts.items() if ns > 0) or "none"


def time_cell(ns: float | None, mood: str = "") -> str:
    """One time in a table; a script sorts by its value."""
    kind = f' class="{mood}"' if mood else ""
    return f'<td{kind} data-v="{-1 if ns is None else ns:.0f}">{human(ns)}</td>'


def number_cell(number: int, mood: str = "", more: str = "") -> str:
    """One count in a table."""
    kind = f' class="{mood}"' if mood else ""
    return f'<td{kind} data-v="{number}">{number:,}{escape(more)}</td>'


def word_cell(text: str, below: str = "", link: str = "") -> str:
    """Words in a table, with weaker ones below."""
    shown = escape(text)
    if link:
        shown = f'<a href="#{escape(link)}">{shown}</a>'
    under = f'<div class="below">{escape(below)}</div>' if below else ""
    # Otherwise columns of numbers would squeeze a long id into five lines; so the table scrolls.
    longest = min(max(len(text), min(len(below), _WIDEST_BELOW)), _WIDEST)
    wide = f' style="min-width:{longest}ch"' if longest > _NARROW else ""
    return f'<td class="word"{wide}>{shown}{under}</td>'


def figures_of(one: Distribution) -> str:
    """Cells of a distribution: count, min, mean, p50, p99, max."""
    times = (one.min_ns, one.mean_ns, one.p50_ns, one.p99_ns, one.max_ns)
    return number_cell(one.count) + "".join(time_cell(ns) for ns in times)


def table(head: str, rows: str, *, kind: str = "") -> str:
    """Wrap rows; a script lets readers sort them by a click on a title.

    Very many rows are in a box of their own that scrolls, which says so.
    """
    count = rows.count("<tr")
    tall = count > _MOST_ROWS
    said = f'<p class="weak">{count:,} rows: this box scrolls.</p>' if tall else ""
    return (
        f'{said}<div class="scroll{" tall" if tall else ""}"><table class="sorted {kind}"><thead>'
        f"<tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def head_cell(title: str, *, word: bool = False, about: str = "", sorted_by: bool = False) -> str:
    """Title of a column."""
    attributes = ' class="word"' if word else ""
    attributes += f' title="{escape(about)}"' if about else ""
    attributes += ' aria-sort="descending"' if sorted_by else ""
    return f"<th{attributes}>{escape(title)}</th>"


def svg_open(width: float, height: float, words: str) -> str:
    """Begin a picture that is as wide as the page; `</svg></div>` ends it."""
    return (
        f'<div class="scroll"><svg class="plot-svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(words)}">'
    )


def sentence(words: str) -> str:
    """Write a sentence: commands between backticks as code, and a number beside its unit."""
    words = re.sub(r"(?<=\d) (?=(?:ns|µs|ms|s|%)\b|%)", "\u00a0", escape(words))
    return re.sub("`([^`]+)`", r"<code>\1</code>", words)
