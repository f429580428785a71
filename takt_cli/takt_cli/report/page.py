"""Puts the page together: style, tables, plots and plotly itself, all in one file."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from plotly.offline import get_plotlyjs

from takt_cli import __version__
from takt_cli.report.figures import Figure, colours, distribution, over_time, thread_load
from takt_cli.report.paths import paths_of
from takt_cli.study import Study, warnings_of
from takt_cli.table import Cell, Table

_MOST_PATHS = 16


def write_report(study: Study, path: Path) -> None:
    """Write the page in one go, so that a half-written one is never opened."""
    part = path.with_suffix(".part")
    part.write_text(build_page(study), encoding="utf-8")
    part.replace(path)


def build_page(study: Study) -> str:
    """Build the whole page as text."""
    figures: dict[str, Figure] = {}
    body = "\n".join(
        [
            _header(study),
            *(_table(table) for table in study.tables),
            _legend(study),
            _paths(study, figures),
            _threads(study, figures),
            _footer(study),
        ]
    )
    return Template(_asset("page.html")).substitute(
        title=escape(study.title),
        style=_asset("style.css"),
        body=body,
        # "</" would end the script element from within a string.
        figures=json.dumps(figures, separators=(",", ":")).replace("</", "<\\/"),
        plotly=get_plotlyjs().replace("</script", "<\\/script"),
        script=_asset("page.js"),
    )


def _asset(name: str) -> str:
    return files("takt_cli.report").joinpath("assets", name).read_text(encoding="utf-8")


def _header(study: Study) -> str:
    sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in study.sentences)
    when = study.made.strftime("%Y-%m-%d %H:%M %Z")
    return (
        f"<header><h1>{escape(study.title)}</h1>"
        f'<p class="weak">{escape(study.host.describe())} · {escape(when)}</p>'
        f'<div class="verdict">{sentences}</div></header>'
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    notes = "".join(f"<li>{escape(note)}</li>" for note in table.notes)
    return (
        f'<section><h2>{escape(table.title)}</h2><div class="scroll"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        + (f'<ul class="notes">{notes}</ul>' if notes else "")
        + "</section>"
    )


def _cell(cell: Cell) -> str:
    mood = f' class="{cell.mood}"' if cell.mood else ""
    return f"<td{mood}>{escape(cell.text)}</td>"


def _legend(study: Study) -> str:
    colour = colours(study.configurations)
    items = "".join(
        f'<li><span class="key" style="background: var({colour[c.name]})"></span>'
        f"<b>{escape(c.name)}</b>{': ' + escape(c.note) if c.note else ''}</li>"
        for c in study.configurations
    )
    return f'<section class="legend" id="legend"><h2>Configurations</h2><ul>{items}</ul></section>'


def _paths(study: Study, figures: dict[str, Figure]) -> str:
    colour = colours(study.configurations)
    stalled = any(c.results.stalls for c in study.configurations)
    paths = paths_of(study.configurations)
    parts = [
        '<section id="latency"><h2>Latency distributions and response over time</h2>'
        '<p class="weak">Left: share of activations done within a time; the further left and the '
        "steeper, the better. Right: each activation over the run"
        + ("; a cross is one that a host stall touched." if stalled else ".")
        + "</p>"
    ]
    for index, path in enumerate(paths[:_MOST_PATHS]):
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
    return "".join(parts) + "</section>"


def _threads(study: Study, figures: dict[str, Figure]) -> str:
    figures["threads"] = thread_load(study.configurations, colours(study.configurations))
    return (
        '<section id="load"><h2>Load per thread</h2><div class="plot wide" id="threads"></div>'
        "</section>"
    )


def _footer(study: Study) -> str:
    facts = "".join(f"<li>{escape(text)}</li>" for text in study.explanations)
    warnings = "".join(f"<li>{escape(text)}</li>" for text in warnings_of(study.configurations))
    runs = "".join(f"<li>{escape(_run_words(study, i))}</li>" for i in _indices(study))
    return (
        '<section id="reproduce"><h2>How it was measured</h2>'
        f"<p>Repeat it with</p><pre>{escape(study.command)}</pre>"
        + (f"<ul>{facts}</ul>" if facts else "")
        + f"<h3>Runs</h3><ul>{runs}</ul>"
        + (f"<h3>Warnings</h3><ul>{warnings}</ul>" if warnings else "")
        + f'</section><footer class="weak">takt {__version__}</footer>'
    )


def _indices(study: Study) -> range:
    return range(len(study.configurations))


def _run_words(study: Study, index: int) -> str:
    configuration = study.configurations[index]
    run = configuration.results
    stalls = f", {len(run.stalls)} host stalls of {run.stall_ns / 1e6:.3g} ms" if run.stalls else ""
    return (
        f"{configuration.name}: graph {run.graph}, "
        f"{'schedule ' + run.schedule if run.schedule else 'order ' + run.order}, "
        f"work × {run.work_scale:.3g}, {run.duration_ns / 1e9:g} s after "
        f"{run.warmup_ns / 1e9:g} s of warm-up, phases {run.phases}{stalls}"
    )
