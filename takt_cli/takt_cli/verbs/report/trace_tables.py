"""Tables of a trace's page: distributions of callbacks and slices, threads, processes, hosts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from takt_cli.base.units import human
from takt_cli.pages.scale import Scale
from takt_cli.verbs.report.trace_figures import Distribution, ReportedCallback, TraceReport
from takt_cli.verbs.report.trace_parts import (
    figures_of,
    head_cell,
    number_cell,
    table,
    time_cell,
    word_cell,
)

_STRIP_WIDTH, _STRIP_HEIGHT = 190, 16
_FIGURES = ("count", "min", "avg", "p50", "p99", "max")
_METRICS: tuple[tuple[str, str, str, Callable[[ReportedCallback], Distribution | None]], ...] = (
    (
        "execution",
        "Execution",
        "from the pick of a run by its thread to the end",
        lambda c: c.execution,
    ),
    ("cpu", "CPU", "the CPU time of a run", lambda c: c.cpu),
    ("delay", "Start delay", "from the release of a run to its pick", lambda c: c.start_delay),
    ("response", "Response", "from the release of a run to its end", lambda c: c.response),
)


def callbacks_section(report: TraceReport) -> str:
    """Build four tables of the callbacks; the reader chooses one of them without a script."""
    title = "<h2>Callbacks</h2>"
    if not report.callbacks:
        return f'<section id="callbacks">{title}<p>No callback ran in the trace.</p></section>'
    choices, bodies = [], []
    for index, (name, words, about, of) in enumerate(_METRICS):
        rows = [(callback, of(callback)) for callback in report.callbacks]
        known = [(callback, one) for callback, one in rows if one is not None]
        checked = " checked" if index == 0 else ""
        choices.append(
            f'<input type="radio" name="metric" id="m-{name}"{checked}>'
            f'<label for="m-{name}">{words}</label>'
        )
        body = _distribution_table(
            [(_callback_cell(callback, report), one) for callback, one in known], "callback"
        )
        if not known:
            body = (
                '<p class="missing">CPU times were not measured. '
                "<code>takt trace record --cpu</code> measures them.</p>"
            )
        bodies.append(f'<div class="of-{name}"><p class="weak">{words}: {about}.</p>{body}</div>')
    return (
        f'<section id="callbacks">{title}<div class="metrics">{"".join(choices)}{"".join(bodies)}'
        f"</div>{_percentile_note()}</section>"
    )


def slices_section(report: TraceReport) -> str:
    """Build a table of the spans of user code."""
    if not report.slices:
        return (
            '<section id="slices"><h2>User slices</h2><p class="weak">The programs marked no '
            "slices. <code>takt_trace::Tracer</code> marks them in your code.</p></section>"
        )
    programs = report.programs
    rows = [
        (word_cell(one.name, programs.get(one.pid, f"pid {one.pid}")), one.duration)
        for one in report.slices
    ]
    return (
        '<section id="slices"><h2>User slices</h2>'
        '<p class="weak">From begin to end of the spans that your code marks.</p>'
        f"{_distribution_table(rows, 'slice')}</section>"
    )


def _percentile_note() -> str:
    return (
        '<p class="weak">A percentile has at least ten runs beyond it: p50 needs 20 runs, p99 '
        "1,000. In the last column the line goes from min to max, the bar from p50 to p99, and "
        "the tick is the average. A click on a title sorts the table.</p>"
    )


def _callback_cell(callback: ReportedCallback, report: TraceReport) -> str:
    program = report.programs.get(callback.pid, f"pid {callback.pid}")
    executor = f"executor {callback.executor} of " if callback.executor else ""
    return word_cell(callback.id, f"{executor}{program}")


def _distribution_table(rows: Sequence[tuple[str, Distribution]], what: str) -> str:
    """Build a table in which the longest comes first."""
    lows = [one.min_ns for _, one in rows if one.count and one.min_ns is not None]
    highs = [one.max_ns for _, one in rows if one.count and one.max_ns is not None]
    low, high = max(min(lows, default=1.0), 1.0), max(highs, default=1.0)
    scale = Scale(low, max(high, low), 3, _STRIP_WIDTH - 3, log=True)
    ranked = sorted(rows, key=lambda row: -(row[1].max_ns or 0.0))
    body = "".join(
        f'<tr>{cell}{figures_of(one)}<td class="strip">{_strip(one, scale)}</td></tr>'
        for cell, one in ranked
    )
    head = head_cell(what, word=True)
    head += "".join(head_cell(name, sorted_by=name == "max") for name in _FIGURES)
    head += f'<th class="strip">{human(low, 2)} … {human(high, 2)}, log</th>'
    return table(head, body, kind="distributions")


def _strip(one: Distribution, scale: Scale) -> str:
    if not one.count or one.min_ns is None or one.max_ns is None:
        return ""
    middle = _STRIP_HEIGHT / 2
    left, right = scale.at(one.min_ns), scale.at(one.max_ns)
    parts = [f'<path class="range" d="M{left} {middle}H{max(right, left + 1)}"/>']
    if one.p50_ns is not None and one.p99_ns is not None:
        begin, end = scale.at(one.p50_ns), scale.at(one.p99_ns)
        parts.append(
            f'<rect class="p-ran" x="{begin}" y="{middle - 4}" width="{max(end - begin, 1):.1f}" '
            'height="8"/>'
        )
    if one.mean_ns is not None:
        parts.append(f'<path class="mean" d="M{scale.at(one.mean_ns)} {middle - 6}v12"/>')
    return (
        f'<svg width="{_STRIP_WIDTH}" height="{_STRIP_HEIGHT}" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def threads_section(report: TraceReport) -> str:
    """Build a table of the threads, the busiest first."""
    if not report.threads:
        return ""
    programs, whole = report.programs, max(report.duration_ns, 1)
    rows = []
    for one in sorted(report.threads, key=lambda thread: -thread.busy_ns):
        share = min(100 * one.busy_ns / whole, 100.0)
        rows.append(
            f"<tr>{word_cell(one.name or str(one.tid), programs.get(one.pid, f'pid {one.pid}'))}"
            f"{word_cell(one.executor or '–')}{number_cell(one.runs)}{time_cell(one.busy_ns)}"
            f'<td data-v="{share:.3f}" class="busy"><span class="meter">'
            f'<i class="p-ran" style="width:{share:.1f}%"></i></span>{share:.1f} %</td></tr>'
        )
    head = head_cell("thread", word=True) + head_cell("executor", word=True)
    head += head_cell("runs") + head_cell("in callbacks", sorted_by=True)
    head += head_cell("share of the trace")
    return (
        f'<section id="threads"><h2>Threads</h2>{table(head, "".join(rows))}'
        '<p class="weak">In callbacks: from start to end of each run, also while the callback '
        "slept or its thread had no core.</p></section>"
    )


def hosts_section(report: TraceReport) -> str:
    """Build tables of the hosts with their clocks, and of the processes with their records."""
    hosts = "".join(
        f"<tr>{word_cell(one.name)}{_synchronised(one.synchronised, len(report.hosts) > 1)}"
        f"{time_cell(one.clock_uncertainty_ns)}</tr>"
        for one in report.hosts
    )
    processes = "".join(
        f"<tr>{word_cell(one.words, one.program)}{word_cell(one.host or '–')}"
        f"{number_cell(one.threads)}{number_cell(one.records)}"
        f"{number_cell(one.dropped, 'bad' if one.dropped else '')}</tr>"
        for one in report.processes
    )
    process_head = head_cell("process", word=True) + head_cell("host", word=True)
    process_head += "".join(map(head_cell, ("threads", "records", "dropped")))
    host_head = head_cell("host", word=True) + head_cell("clock synchronised")
    host_head += head_cell("clock uncertainty")
    parts = ['<section id="hosts"><h2>Hosts and processes</h2>']
    if report.hosts:
        parts.append(table(host_head, hosts))
        parts.append(f'<p class="weak">{escape(_clock_words(report))}</p>')
    if report.processes:
        parts.append(table(process_head, processes))
    return "".join([*parts, "</section>"])


def _synchronised(known: bool | None, matters: bool) -> str:
    words = {True: "yes", False: "no", None: "unknown"}[known]
    return f'<td class="{"bad" if known is False and matters else ""}">{words}</td>'


def _clock_words(report: TraceReport) -> str:
    if len(report.hosts) < 2:
        return "All processes read one clock, so that times between them are exact."
    return (
        "Times between two hosts, such as those of messages in the middleware, may be wrong by "
        "the uncertainties of both clocks together."
    )
