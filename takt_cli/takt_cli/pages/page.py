"""Puts the page together: style, tables, plots and plotly itself, all in one file."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from plotly.offline import get_plotlyjs

from takt_cli.base.version import VERSION
from takt_cli.files.outputs import write_text
from takt_cli.pages.asset import asset
from takt_cli.pages.axes import Figure
from takt_cli.pages.figures import colours, distribution, over_time, thread_load
from takt_cli.pages.paths import paths_of
from takt_cli.pages.study import Study
from takt_cli.results.configuration import Configuration, full_name, warnings_of
from takt_cli.tables.table import Cell, Table

_MOST_PATHS = 16


def write_report(study: Study, path: Path) -> None:
    """Write the page in one go, so that a half-written one is never opened."""
    write_text(path, build_page(study))


def build_page(study: Study) -> str:
    """Build the whole page as text."""
    figures: dict[str, Figure] = {}
    body = "\n".join(
        [
            _header(study),
            *(_table(table) for table in study.tables),
            *(_plot(title, figure, figures) for title, figure in study.figures),
            *(_section(title, runs, figures) for title, runs in study.sections().items()),
            _footer(study),
        ]
    )
    return Template(asset("page.html")).substitute(
        title=escape(study.title),
        style=asset("style.css"),
        body=body,
        # "</" would end the script element from within a string.
        figures=json.dumps(figures, separators=(",", ":")).replace("</", "<\\/"),
        plotly=_packed(get_plotlyjs()),
        script=asset("theme.js") + asset("page.js"),
    )


def _packed(code: str) -> str:
    """Pack a script as the browser unpacks it: of plotly's 4.8 MB that leaves 2.0."""
    return b64encode(zlib.compress(code.encode(), 9)).decode()


def _header(study: Study) -> str:
    sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in study.sentences)
    when = study.made.strftime("%Y-%m-%d %H:%M %Z")
    return (
        f"<header><h1>{escape(study.title)}</h1>"
        f'<p class="weak">{escape(study.host.describe())} · '
        f'<span class="whole">{escape(when)}</span></p>'
        f'<div class="verdict">{sentences}</div></header>'
    )


def _table(table: Table) -> str:
    head = "".join(
        f"<th{_classes('word' if index < table.words else '')}>{escape(column)}</th>"
        for index, column in enumerate(table.columns)
    )
    rows = "".join(f"<tr>{_cells(row, table.words)}</tr>" for row in table.rows)
    notes = "".join(f"<li>{escape(note)}</li>" for note in table.notes)
    return (
        f'<section><h2>{escape(table.title)}</h2><div class="scroll"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        + (f'<ul class="notes">{notes}</ul>' if notes else "")
        + "</section>"
    )


def _cells(row: Sequence[Cell], words: int) -> str:
    return "".join(
        f"<td{_classes(cell.mood, 'word' if index < words else '')}>{escape(cell.text)}</td>"
        for index, cell in enumerate(row)
    )


def _classes(*names: str) -> str:
    given = " ".join(name for name in names if name)
    return f' class="{given}"' if given else ""


def _plot(title: str, figure: Figure, figures: dict[str, Figure]) -> str:
    """One plot of the whole study."""
    name = f"plot{len(figures)}"
    figures[name] = figure
    return f'<section><h2>{escape(title)}</h2><div class="plot wide" id="{name}"></div></section>'


def _section(
    title: str, configurations: Sequence[Configuration], figures: dict[str, Figure]
) -> str:
    """One comparison: the meaning of the colours, then its plots."""
    number = len(figures)
    colour = colours(configurations)
    about = f": {escape(title)}" if title else ""
    return (
        f'<section class="latency"><h2>Latency distributions and response over time{about}</h2>'
        + _legend(configurations, colour)
        + _paths(configurations, colour, figures, number)
        + _threads(configurations, colour, figures, number)
        + "</section>"
    )


def _legend(configurations: Sequence[Configuration], colour: dict[str, str]) -> str:
    """Name the run of each colour; the names stay in view beside all plots."""

    def key(name: str) -> str:
        return f'<span class="key" style="background: var({colour[name]})"></span>'

    notes = "".join(
        f"<li>{key(c.name)}<b>{escape(c.name)}</b>: {escape(c.note)}</li>"
        for c in configurations
        if c.note
    )
    chips = "".join(f"<span>{key(c.name)}{escape(c.name)}</span>" for c in configurations)
    stalled = any(s.stalled.any() for path in paths_of(configurations) for _, s in path.series)
    return (
        (f'<ul class="legend">{notes}</ul>' if notes else "")
        + '<p class="weak">Left: share of activations done within a time; the further left and the '
        "steeper, the better. A curve that ends below 100 % is of a chain of which the other "
        "activations did not complete; those that newer data replaced are left out. Right: each "
        "activation over the run"
        + ("; a cross is one that a host stall touched." if stalled else ".")
        + f'</p><div class="chips">{chips}</div>'
    )


def _paths(
    configurations: Sequence[Configuration],
    colour: dict[str, str],
    figures: dict[str, Figure],
    number: int,
) -> str:
    parts = []
    paths = paths_of(configurations)
    for index, path in enumerate(paths[:_MOST_PATHS], start=number):
        left, right = f"ecdf{index}", f"time{index}"
        figures[left] = distribution(path, colour)
        figures[right] = over_time(path, colour)
        parts.append(
            f"<h3>{escape(path.name)}</h3>"
            f'<p class="weak">{escape(path.about)}</p><div class="pair">'
            f'<div class="plot" id="{left}"></div><div class="plot" id="{right}"></div></div>'
        )
    hidden = len(paths) - _MOST_PATHS
    if hidden > 0:
        parts.append(f'<p class="weak">{hidden} more chains are in the raw results.</p>')
    return "".join(parts)


def _threads(
    configurations: Sequence[Configuration],
    colour: dict[str, str],
    figures: dict[str, Figure],
    number: int,
) -> str:
    name = f"threads{number}"
    figures[name] = thread_load(configurations, colour)
    return f'<h3>Load per thread</h3><div class="plot wide" id="{name}"></div>'


def _footer(study: Study) -> str:
    facts = "".join(f"<li>{escape(text)}</li>" for text in study.explanations)
    warnings = "".join(f"<li>{escape(text)}</li>" for text in warnings_of(study.configurations))
    runs = "".join(f"<li>{escape(_run_words(c))}</li>" for c in study.configurations)
    return (
        '<section id="reproduce"><h2>How it was made</h2>'
        f"<p>Repeat it with</p><pre>{escape(study.command)}</pre>"
        + (f"<ul>{facts}</ul>" if facts else "")
        + (f"<h3>Runs</h3><ul>{runs}</ul>" if runs else "")
        + (f"<h3>Warnings</h3><ul>{warnings}</ul>" if warnings else "")
        + f'</section><footer class="weak">takt {VERSION}</footer>'
    )


def _run_words(configuration: Configuration) -> str:
    run = configuration.results
    count = len(run.held_up)
    stalls = f", host stalls: {count} ({run.stall_ns / 1e6:.3g} ms)" if count else ""
    return (
        f"{full_name(configuration)}: graph {run.graph}, "
        f"{'schedule ' + run.schedule if run.schedule else 'order ' + run.order}, "
        f"work × {run.work_scale:.3g}, {run.duration_ns / 1e9:g} s after "
        f"{run.warmup_ns / 1e9:g} s of warm-up, phases {run.phases}{stalls}"
    )
