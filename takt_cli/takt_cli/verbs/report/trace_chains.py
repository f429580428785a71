"""The chains of a trace: against their deadlines, by the parts of their time, and one by one."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from takt_cli.base.units import how_many, human
from takt_cli.verbs.report.trace_account import (
    account_words,
    missed_share,
    never_ended,
    unknown_accounts,
)
from takt_cli.verbs.report.trace_figures import PARTS, Activation, ReportedChain, TraceReport
from takt_cli.verbs.report.trace_parts import (
    head_cell,
    legend,
    number_cell,
    sentence,
    split_bar,
    table,
    time_cell,
    word_cell,
    words_of,
)
from takt_cli.verbs.report.trace_plot import response_plot
from takt_cli.verbs.report.trace_timeline import timeline
from takt_cli.verbs.report.trace_words import (
    about_activation,
    in_the_way,
    largest_part,
    rank,
    reasons,
)

# A page of hundreds of chains with five timelines each has tens of megabytes.
_ALL_TIMELINES = 12
_OPEN_CHAINS = 2  # the first ones are open, and those with misses
_MOST_IN_THE_WAY = 6
_METER_END = 1.5  # of the deadline
_ABOUT_TIMELINES = (
    '<p class="weak">Blue: runs of the activation, with the numbers of its steps. Orange and pink: '
    "runs that kept a step waiting, on its thread or in its group. Grey: other runs. The strip "
    "below each step has the parts of its time in their colours; where within a run its thread had "
    "no core is not known.</p>"
)
_WHY = {
    "group": ("its group", "group"),
    "queue": ("its thread", "queue"),
    "core": ("a core", "core"),
    "input": ("its node's other input", "blocked"),
}


def anchor(number: int) -> str:
    """Name the section of a chain by its place on the page."""
    return f"chain-{number}"


def overview(chains: Sequence[ReportedChain]) -> str:
    """One row for each chain: deadline, misses, distribution of its response."""
    if not chains:
        return ""
    rows = []
    for number, chain in enumerate(chains, start=1):
        one = chain.response
        late = bool(chain.missed)
        share = f" ({missed_share(chain)})" if late else ""
        missed = (
            number_cell(chain.missed, "bad" if late else "good", share)
            if chain.deadline_ns
            else '<td data-v="-1">–</td>'
        )
        beyond = chain.deadline_ns is not None and (one.max_ns or 0) > chain.deadline_ns
        rows.append(
            f"<tr>{word_cell(chain.name, account_words(chain), anchor(number))}"
            f"{time_cell(chain.deadline_ns)}"
            f"{number_cell(chain.activations)}{missed}"
            + "".join(time_cell(ns) for ns in (one.min_ns, one.mean_ns, one.p50_ns, one.p99_ns))
            + time_cell(one.max_ns, "bad" if beyond else "")
            + f"{_meter(chain)}</tr>"
        )
    head = head_cell("chain", word=True)
    for title in ("deadline", "activations", "missed", "min", "avg", "p50", "p99", "max"):
        head += head_cell(title)
    head += head_cell(
        "max of the deadline", about="the longest response as a share of the deadline"
    )
    return (
        '<section id="chains"><h2>Chains against their deadlines</h2>'
        f"{table(head, ''.join(rows))}"
        '<p class="weak">Response time: from the release of the root to the end of the '
        "chain's last callback. Missed are activations that ended after the deadline, and those "
        "that never ended: a message was lost, the timer skipped the period, or the deadline had "
        "passed when the trace ended. Newer data that replaces older data is no miss. p50 needs 20 "
        f"activations, p99 needs 1,000.</p>{unknown_accounts(chains)}</section>"
    )


def _meter(chain: ReportedChain) -> str:
    if not chain.deadline_ns or chain.response.max_ns is None:
        return '<td data-v="-1">–</td>'
    used = chain.response.max_ns / chain.deadline_ns
    kind = "over" if used > 1 else "p-ran"
    width = 100 * min(used, _METER_END) / _METER_END
    at = 100 / _METER_END
    return (
        f'<td data-v="{used:.4f}"><span class="meter"><i class="{kind}" '
        f'style="width:{width:.1f}%"></i><b style="left:{at:.1f}%"></b></span>'
        f"{100 * used:.0f} %</td>"
    )


def splits(report: TraceReport, chains: Sequence[ReportedChain]) -> str:
    """Show the mean response of each chain as a stacked bar, with its figures."""
    active = [chain for chain in chains if chain.activations and chain.split.total_ns > 0]
    if not active:
        return ""
    rows = []
    for chain in active:
        cells = "".join(time_cell(chain.split.parts[part] or None) for part in PARTS)
        rows.append(
            f"<tr>{word_cell(chain.name)}{time_cell(chain.split.total_ns)}"
            f'<td class="wide">{split_bar(chain.split)}</td>{cells}</tr>'
        )
    head = head_cell("chain", word=True) + head_cell("mean")
    head += '<th class="wide">share of the mean response</th>'
    head += "".join(f'<th><i class="key p-{part}"></i>{part}</th>' for part in PARTS)
    return (
        '<section id="split"><h2>What the response times were spent on</h2>'
        f"{legend(report)}{table(head, ''.join(rows))}{_unsplit(active)}</section>"
    )


def _unsplit(chains: Sequence[ReportedChain]) -> str:
    """Write how many activations the bars do not include."""
    told = [
        f"{one.unsplit:,} of {one.activations:,} of {one.name}" for one in chains if one.unsplit
    ]
    if not told:
        return ""
    return (
        '<p class="weak">Without activations whose steps are not all in the trace: '
        f"{escape(', '.join(told))}.</p>"
    )


def chain_sections(report: TraceReport, chains: Sequence[ReportedChain]) -> str:
    """Build a section for each chain: its responses over the trace, and its longest activations."""
    return "".join(_chain(report, chain, number) for number, chain in enumerate(chains, start=1))


def _chain(report: TraceReport, chain: ReportedChain, number: int) -> str:
    worst = chain.worst if number <= _ALL_TIMELINES else chain.worst[:1]
    details = "".join(
        _activation(report, chain, one, place) for place, one in enumerate(worst, start=1)
    )
    left_out = len(chain.worst) - len(worst)
    if left_out:
        details += (
            f'<p class="weak">The page leaves out the timelines of {left_out} more activations of '
            "this chain to stay small.</p>"
        )
    late = chain.missed and number <= _ALL_TIMELINES
    opened = " open" if late or number <= _OPEN_CHAINS else ""
    return (
        f'<section class="chain" id="{anchor(number)}"><details{opened}>'
        f"<summary><h2>Chain {escape(chain.name)}</h2> <span>{escape(_summary(chain))}</span>"
        f"</summary>{_path(chain)}<h3>Response times</h3>"
        f"{response_plot(chain, report.duration_ns)}{never_ended(chain)}{_in_the_way(chain)}"
        + (f"<h3>Longest activations</h3>{_ABOUT_TIMELINES}{details}" if details else "")
        + "</details></section>"
    )


def _summary(chain: ReportedChain) -> str:
    words = how_many(chain.activations, "activation")
    if chain.activations:
        words += f", longest {human(chain.response.max_ns)}"
    if chain.deadline_ns:
        words += f"; deadline {human(chain.deadline_ns)}, {chain.missed:,} missed"
    ways = account_words(chain)
    return f"{words} ({ways})" if ways else words


def _path(chain: ReportedChain) -> str:
    steps = ' <span class="arrow">→</span> '.join(
        f"<code>{escape(one)}</code>" for one in chain.path
    )
    return f'<p class="path">{steps}</p>' if steps else ""


def _in_the_way(chain: ReportedChain) -> str:
    """Sum up the blockers of all shown activations."""
    ranked = in_the_way(chain)
    if not ranked:
        return ""
    most = max(ranked[0][2], 1)
    count = len(chain.worst)
    rows = []
    for what, why, ns, seen in ranked[:_MOST_IN_THE_WAY]:
        words, part = _WHY.get(why, (why, "core"))
        rows.append(
            f'<tr>{word_cell(what)}<td class="word"><i class="key p-{part}"></i>'
            f"{escape(words)}</td>{time_cell(ns)}"
            f'<td class="busy"><span class="meter"><i class="p-{part}" '
            f'style="width:{100 * ns / most:.1f}%"></i></span></td><td>{seen} of {count}</td></tr>'
        )
    head = head_cell("in the way", word=True) + head_cell("a step waited for", word=True)
    head += head_cell("in all") + head_cell("") + head_cell("activations")
    hidden = len(ranked) - _MOST_IN_THE_WAY
    more = f'<p class="weak">and {hidden} more that took less time</p>' if hidden > 0 else ""
    of = "the longest activation" if count == 1 else f"the {count} longest activations"
    return f"<h3>In the way of {of}</h3>{table(head, ''.join(rows), kind='narrow')}{more}"


def _activation(
    report: TraceReport, chain: ReportedChain, activation: Activation, place: int
) -> str:
    about = about_activation(activation, chain.deadline_ns)
    sentences = "".join(
        f"<li>{sentence(words)}</li>"
        for words in (largest_part(activation), *reasons(activation))
        if words
    )
    return (
        f'<details class="activation"{" open" if place == 1 else ""}>'
        f"<summary><b>{place}. {rank(place)}:</b> {escape(about)}</summary>"
        f"{split_bar(activation.split)}"
        f"{timeline(activation, chain.deadline_ns, report.programs)}"
        + (f'<ul class="reasons">{sentences}</ul>' if sentences else "")
        + f"{_steps(report, activation)}</details>"
    )


def _steps(report: TraceReport, activation: Activation) -> str:
    programs = report.programs
    rows = []
    for number, step in enumerate(activation.steps, start=1):
        where = f"{step.thread or step.tid} of {programs.get(step.pid, f'pid {step.pid}')}"
        where += "" if step.core is None else f", core {step.core}"
        cells = "".join(time_cell(step.split.parts[part] or None) for part in PARTS)
        rows.append(
            f"<tr><td>{number}</td>{word_cell(step.callback, where)}{cells}"
            f"{time_cell(step.split.total_ns)}</tr>"
        )
    head = "<th>step</th>" + head_cell("callback", word=True)
    head += "".join(f'<th><i class="key p-{part}"></i>{part}</th>' for part in PARTS)
    head += head_cell("in all")
    return (
        f'<div class="scroll"><table class="steps"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        if rows
        else f'<p class="weak">{escape(words_of(activation.split))}</p>'
    )
