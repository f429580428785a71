"""The page of a hyperperiod: a row for each callback with the windows of its jobs, and a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from takt_cli.base.units import how_many, human
from takt_cli.base.version import VERSION
from takt_cli.files.outputs import write_text
from takt_cli.pages.asset import asset
from takt_cli.results.explanation import ExplainedChain, Explanation, Hyperperiod
from takt_cli.verbs.explain.hyperperiod_rows import Drawing

_COLOURS = 8  # that style.css has


def write_hyperperiod(found: Explanation, path: Path, **words: Any) -> None:
    """Write the page, or only the picture if the file is an .svg, in one go."""
    alone = path.suffix == ".svg"
    write_text(path, hyperperiod_picture(found) if alone else hyperperiod_page(found, **words))


def hyperperiod_picture(found: Explanation) -> str:
    """Build the picture alone, in light colours."""
    style = f"{asset('style.css').partition('}')[0]}}}\nsvg {{ font-family: sans-serif; }}\n"
    return Drawing(found.hyperperiod, _colours(found)).alone(
        style + asset("timeline.css", __package__)
    )


def _colours(found: Explanation) -> dict[str, str]:
    names = [chain.name for chain in found.chains]
    return {name: f"--s{index % _COLOURS + 1}" for index, name in enumerate(names)}


def hyperperiod_page(
    found: Explanation, *, schedule: str, command: str, chain: str | None = None
) -> str:
    """Build the whole page of what `takt_explain --json --jobs` printed.

    `chain`: the one that is selected when the page opens.
    """
    hyperperiod = found.hyperperiod
    colours = _colours(found)
    title = f"One hyperperiod of {Path(schedule).name}"
    body = "\n".join(
        [
            _header(title, hyperperiod, found.when_bounds_hold),
            '<section class="hyperperiod">',
            _legend(),
            _chains(found.chains, colours, chain),
            Drawing(hyperperiod, colours).for_page(),
            "</section>",
            _without(hyperperiod.without),
            _footer(command),
        ]
    )
    return Template(asset("page.html")).substitute(
        title=escape(title),
        style=asset("style.css")
        + asset("timeline.css", __package__)
        + asset("hyperperiod.css", __package__),
        body=body,
        figures="{}",
        plotly="",
        script=asset("theme.js") + asset("hyperperiod.js", __package__),
    )


def _header(title: str, hyperperiod: Hyperperiod, when: str) -> str:
    rows = hyperperiod.rows
    jobs = sum(len(row.jobs) for row in rows)
    threads = {(row.executor, *row.threads) for row in rows}
    made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    return (
        f'<header><h1>{escape(title)}</h1><p class="weak">page made '
        f'<span class="whole">{escape(made)}</span></p><div class="verdict">'
        f"<p>The timers' releases repeat every {human(hyperperiod.length_ns)}: "
        f"{how_many(jobs, 'job')} of {how_many(len(rows), 'callback')} on "
        f"{how_many(len(threads), 'thread')}. Each job starts and ends within its window, in each "
        "hyperperiod, while no timer skips a period and no message is lost."
        f"{f'</p><p>{escape(when)}' if when else ''}</p></div></header>"
    )


def _legend() -> str:
    return (
        '<p class="legend-line"><span><i class="sample release"></i>may be released</span>'
        '<span><i class="sample finish"></i>may run, until its latest end</span>'
        '<span><i class="sample piece"></i>runs, in a simulation with worst execution times</span>'
        '<span><i class="sample tick"></i>release of a timer</span></p>'
    )


def _chains(
    chains: Sequence[ExplainedChain], colours: Mapping[str, str], chosen: str | None
) -> str:
    """Buttons that select a chain, the most important one first."""
    return f'<div class="chains">{"".join(_buttons(chains, colours, chosen))}</div>'


def _buttons(
    chains: Sequence[ExplainedChain], colours: Mapping[str, str], chosen: str | None
) -> Iterator[str]:
    for index, chain in enumerate(chains):
        name, bound, deadline = chain.name, chain.bound_ns, chain.deadline_ns
        words = "no bound" if bound is None else f"at most {human(bound)}"
        words += "" if deadline is None else f", deadline {human(deadline)}"
        pressed = "true" if name == chosen else "false"
        yield (
            f'<button type="button" class="chain" data-chain="{index}" aria-pressed="{pressed}" '
            f'data-colour="{colours[name]}" title="{escape(words)}">'
            f'<i class="key" style="background: var({colours[name]})"></i>{escape(name)}</button>'
        )


def _without(sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    items = "".join(f"<li>{escape(words)}</li>" for words in sentences)
    return f'<section><h2>Callbacks without windows</h2><ul class="notes">{items}</ul></section>'


def _footer(command: str) -> str:
    return (
        f'<section id="reproduce"><h2>How this page was made</h2><pre>{escape(command)}</pre>'
        f'</section><footer class="weak">takt {VERSION}</footer>'
    )
