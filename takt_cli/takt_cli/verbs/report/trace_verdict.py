"""The verdict on a trace: which chains missed their deadlines, or that none did."""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.base.units import how_many, human
from takt_cli.verbs.report.trace_account import missed_share, misses
from takt_cli.verbs.report.trace_figures import ReportedChain, TraceReport
from takt_cli.verbs.report.trace_parts import PHRASES

_MOST_SENTENCES = 5


def by_interest(chains: Sequence[ReportedChain]) -> list[ReportedChain]:
    """Chains with misses come first, then those with the least to spare, then the slowest."""

    def key(chain: ReportedChain) -> tuple[bool, float, float]:
        longest = chain.response.max_ns or 0.0
        used = longest / chain.deadline_ns if chain.deadline_ns else 0.0
        return (chain.missed == 0, -used, -longest)

    return sorted(chains, key=key)


def verdict(report: TraceReport) -> list[str]:
    """Say which chains missed deadlines, or that none did."""
    chains = [one for one in by_interest(report.chains) if one.activations or one.missed]
    if not report.chains:
        return [
            "The trace has no chain. Chains are those of the schedule that the programs run under: "
            "declare them there, with deadlines."
        ]
    if not chains:
        return [
            "No activation of a chain ended in this trace. Trace for longer than the longest "
            "period of a chain; and trace all its processes: one that began after "
            "`takt trace start` does not trace."
        ]
    late = [chain for chain in chains if chain.missed]
    sentences = [_late(chain) for chain in late[:_MOST_SENTENCES]]
    if len(late) > _MOST_SENTENCES:
        sentences.append(f"{how_many(len(late) - _MOST_SENTENCES, 'more chain')} missed deadlines.")
    bound = [chain for chain in chains if chain.deadline_ns]
    if not bound:
        longest = max(chains, key=lambda chain: chain.response.max_ns or 0)
        return [
            "No active chain has a deadline. The longest response is that of chain "
            f"{longest.name}: {human(longest.response.max_ns)}."
        ]
    met = [chain for chain in bound if not chain.missed]
    return [*sentences, _met(met, bool(late))] if met else sentences


def _met(met: Sequence[ReportedChain], others_late: bool) -> str:
    closest = met[0]
    of = f"{human(closest.response.max_ns)} of {human(closest.deadline_ns)}"
    if len(met) == 1:
        return f"Chain {closest.name} met its deadline in all activations: it took {of} at most."
    which = "The other" if others_late else "All"
    return (
        f"{which} {len(met)} chains with a deadline met it in all activations; the closest was "
        f"{closest.name} with {of}."
    )


def _late(chain: ReportedChain) -> str:
    words = (
        f"Chain {chain.name} missed its deadline of {human(chain.deadline_ns)} in {chain.missed:,} "
        f"of {how_many(chain.counted, 'activation')} ({missed_share(chain)})"
    )
    if chain.account and chain.account.late < chain.missed:
        words += f": {misses(chain.account)}"
    if not chain.activations:
        return f"{words}. None ended."
    words += f"; the longest took {human(chain.response.max_ns)}"
    largest = _largest_wait(chain)
    return f"{words}, {largest}." if largest else f"{words}."


def _largest_wait(chain: ReportedChain) -> str:
    if not chain.worst:
        return ""
    split = chain.worst[0].split
    if split.total_ns <= 0:
        return ""
    ns = split.parts[split.largest]
    return f"mostly ({human(ns)}) {PHRASES[split.largest]}"
