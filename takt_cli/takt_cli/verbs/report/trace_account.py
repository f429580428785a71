"""The ends of a chain's activations, also unfinished ones: sentences, a part of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from takt_cli.verbs.report.trace_figures import Account, ReportedChain
from takt_cli.verbs.report.trace_parts import head_cell, table, time_cell, word_cell

_MISSES = ("lost", "overdue", "skipped")
_MOST_PLACES = 3
_WORDS: dict[str, Callable[[int, str], str]] = {
    "lost": lambda count, at: f"{count:,} lost at {at}",
    "overdue": lambda count, at: f"{count:,} still under way at {at} after the deadline",
    "skipped": lambda count, at: f"{count:,} skipped by {at}",
    "unfinished": lambda count, at: f"{count:,} still under way at {at}",
    "superseded": lambda count, at: f"{count:,} replaced by newer data at {at}",
}


def missed_share(chain: ReportedChain) -> str:
    """Write the share of activations that missed: '4.3 %'."""
    share = 100 * chain.missed / max(chain.counted, 1)
    return f"{share:.0f} %" if share >= 10 else f"{share:.2g} %"


def misses(account: Account) -> str:
    """Write how activations missed: '13 late, 2 lost at /fusion:sub(/points)'."""
    return _listed(account, _MISSES)


def account_words(chain: ReportedChain) -> str:
    """Describe the ends of all activations that were not in time; empty if there are none."""
    return _listed(chain.account, tuple(_WORDS)) if chain.account else ""


def _listed(account: Account, kinds: Sequence[str]) -> str:
    told = [f"{account.late:,} late"] if account.late else []
    for kind in kinds:
        places = [one for one in account.stops if one.kind == kind]
        told += [_WORDS[kind](one.count, one.callback) for one in places[:_MOST_PLACES]]
        rest = sum(one.count for one in places[_MOST_PLACES:])
        if rest:
            told.append(_WORDS[kind](rest, "other callbacks"))
    return ", ".join(told)


def unknown_accounts(chains: Sequence[ReportedChain]) -> str:
    """Name the chains with an unknown number of unfinished activations, and the reasons."""
    told: dict[str, list[str]] = {}
    for chain in chains:
        if chain.account is None and chain.account_why:
            told.setdefault(chain.account_why, []).append(chain.name)
    items = "".join(
        f"<li>{escape(', '.join(names))}: {escape(why)}.</li>" for why, names in told.items()
    )
    return (
        '<p class="weak">Of these chains the trace does not tell which activations never ended, so '
        f'that only those count that ended:</p><ul class="weak">{items}</ul>'
        if items
        else ""
    )


def never_ended(chain: ReportedChain) -> str:
    """List unfinished activations: when, where and why each stopped."""
    account = chain.account
    if account is None or not account.stopped:
        return ""
    rows = "".join(
        f"<tr>{time_cell(one.release_ns)}{word_cell(one.kind)}{word_cell(one.callback)}"
        f"{word_cell(one.reason)}</tr>"
        for one in account.stopped
    )
    head = head_cell("released") + head_cell("kind", word=True)
    head += head_cell("stopped at", word=True) + head_cell("why", word=True)
    hidden = sum(one.count for one in account.stops) - len(account.stopped)
    more = f'<p class="weak">and {hidden:,} more</p>' if hidden > 0 else ""
    return f"<h3>Activations that never ended</h3>{table(head, rows, kind='narrow')}{more}"
