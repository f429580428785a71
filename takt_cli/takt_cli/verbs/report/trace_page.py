"""The page of a trace: chains against deadlines, where their time went, callbacks, threads, clocks.

The page has no plotting library: its pictures are SVG. Without scripts it is whole; its own script
sorts tables, finds rows and changes the theme.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from string import Template

from takt_cli.base.printable import printable
from takt_cli.base.units import how_many, human
from takt_cli.base.version import VERSION
from takt_cli.files.outputs import write_text
from takt_cli.pages.asset import asset
from takt_cli.verbs.report.trace_chains import chain_sections, overview, splits
from takt_cli.verbs.report.trace_figures import TraceReport
from takt_cli.verbs.report.trace_parts import sentence
from takt_cli.verbs.report.trace_tables import (
    callbacks_section,
    hosts_section,
    slices_section,
    threads_section,
)
from takt_cli.verbs.report.trace_verdict import by_interest, verdict
from takt_cli.verbs.report.trace_words import warnings

# The fill of the part `blocked` in pictures.
_STRIPES = (
    '<svg class="defs" width="0" height="0" aria-hidden="true"><defs><pattern id="stripes" '
    'width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect class="p-dark" width="6" height="6"/><rect class="p-pale" width="2.5" height="6"/>'
    "</pattern></defs></svg>"
)
_NAMED = 3  # so many processes and hosts are named in the header


def write_trace_page(report: TraceReport, path: Path, command: str, title: str | None) -> None:
    """Write the page in one go, so that a half-written one is never opened."""
    write_text(path, trace_page(report, command, title))


def trace_page(report: TraceReport, command: str, title: str | None = None) -> str:
    """Build the whole page as text."""
    chains = by_interest(report.chains)
    heading = printable(title or default_title(report))
    body = "\n".join(
        [
            _STRIPES,
            _header(report, heading),
            overview(chains),
            splits(report, chains),
            chain_sections(report, chains),
            callbacks_section(report),
            slices_section(report),
            threads_section(report),
            hosts_section(report),
            _footer(command),
        ]
    )
    return Template(asset("page.html")).substitute(
        title=escape(heading),
        style=asset("style.css") + asset("trace.css", __package__),
        body=body,
        figures="{}",
        plotly="",
        script=asset("theme.js") + asset("trace.js", __package__),
    )


def default_title(report: TraceReport) -> str:
    """Name the programs of a trace: 'Trace of camera and fusion (2 processes)'."""
    counted = Counter(one.program.rpartition("/")[2] or "?" for one in report.processes)
    names = [
        f"{name} ({how_many(number, 'process')})" if number > 1 else name
        for name, number in counted.items()
    ]
    return f"Trace of {_listed(names, 'program')}" if names else "Trace"


def _listed(names: Sequence[str], what: str) -> str:
    """Join names: 'a', 'a and b', 'a, b, c and 4 more programs'."""
    shown, hidden = list(names[:_NAMED]), len(names) - _NAMED
    if hidden > 0:
        return f"{', '.join(shown)} and {how_many(hidden, f'more {what}')}"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]


def _header(report: TraceReport, heading: str) -> str:
    facts = [f"{human(report.duration_ns)} of {how_many(len(report.processes), 'process')}"]
    if report.hosts:
        facts.append(f"on {_listed([host.name for host in report.hosts], 'host')}")
    made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    sentences = "".join(f"<p>{sentence(words)}</p>" for words in verdict(report))
    missing = "".join(f"<li>{sentence(words)}</li>" for words in warnings(report))
    return (
        f'<header><h1>{escape(heading)}</h1><p class="weak">{escape(" ".join(facts))} · page made '
        f'<span class="whole">{escape(made)}</span></p>'
        f'<div class="verdict">{sentences}</div>'
        + (f'<ul class="missing">{missing}</ul>' if missing else "")
        + f"{_contents(report)}</header>"
    )


def _contents(report: TraceReport) -> str:
    links = [("chains", "Chains"), ("split", "Parts of the response")] if report.chains else []
    links += [("callbacks", "Callbacks"), ("slices", "User slices")]
    links += [("threads", "Threads"), ("hosts", "Hosts and processes")]
    return f"<nav>{''.join(f'<a href=#{name}>{words}</a>' for name, words in links)}</nav>"


def _footer(command: str) -> str:
    return (
        '<section id="reproduce"><h2>How this page was made</h2>'
        f"<pre>{escape(command)}</pre>"
        '<p class="weak"><code>takt trace record --for 10s --cpu</code> makes such a trace.'
        "</p></section>"
        f'<footer class="weak">takt {VERSION}</footer>'
    )
