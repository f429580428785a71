"""The meaning of the numbers, in a sentence or two; also when they do not favour takt."""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.base.units import human, significant
from takt_cli.results.configuration import Configuration
from takt_cli.results.run_results import Results
from takt_cli.results.samples import percentile, percentile_name, samples_needed, tail_percentile
from takt_cli.running.other_programs import NOTABLE_CORES

# Two figures of a short run with a smaller difference count as equal.
_CLEAR = 1.1
# From this share of samples on, the text mentions stalls of the host.
_STALLED = 0.01


def demo_sentences(
    takt: Configuration, pool: Configuration, single: Configuration, load: float
) -> list[str]:
    """Sentences for the demonstration.

    All of them speak of all samples, those in host stalls too, and of the percentile that the table
    shows, never of a single sample: one stall, or one unlucky moment, decides nothing.
    """
    runs = [takt.results, pool.results, single.results]
    tail = tail_percentile(len(run.kpis.hot_latency.values) for run in runs)
    mine, theirs, alone = (percentile(run.kpis.hot_latency.values, tail) for run in runs)
    unfair = busy_machine([pool, takt])
    if mine is None or theirs is None:
        return [
            *unfair,
            "The hot path completed too rarely to compare: even a median takes "
            f"{samples_needed(50)} samples; a longer --duration gives them.",
        ]
    sentences = [_first(takt.results, mine, theirs, percentile_name(tail))]
    if alone is not None:
        sentences[0] += (
            f" One thread alone is overloaded by design ({human(alone)}): the work needs "
            f"{significant(load, 2)} cores."
        )
    sentences.append(_second(takt.results, pool.results))
    sentences += _other_times(runs)
    stalled = max(run.kpis.hot_latency.stalled_share for run in runs)
    if stalled >= _STALLED:
        sentences.append(
            f"Stalls of the host touched up to {100 * stalled:.0f} % of the samples and are "
            "counted here; the table has figures without them."
        )
    return [*unfair, *sentences]


def busy_machine(configurations: Sequence[Configuration]) -> list[str]:
    """Warn first if other programs affected the numbers."""
    most = max(c.results.other_cores or 0.0 for c in configurations)
    if most < NOTABLE_CORES:
        return []
    return [
        f"Not a fair comparison: other programs used up to {significant(most, 2)} cores meanwhile. "
        "They take time from ordinary threads, and from real-time threads only with real-time "
        "priorities of their own. Repeat the comparison on an idle machine."
    ]


def granted_sentence(results: Results) -> str:
    """Name the attributes that the kernel granted to takt's threads, not those asked for."""
    executors = [thread for thread in results.threads if thread.executor]
    words = list(dict.fromkeys(thread.granted_without_cores for thread in executors))
    listed = ", ".join(word for word in words if word)
    if any(thread.policy in ("fifo", "rr") for thread in executors):
        refused = [thread for thread in executors if thread.policy not in ("fifo", "rr")]
        some = " to some threads only" if refused else ""
        return f"Real-time priorities were granted{some}: takt's threads ran as {listed}."
    hint = "`takt host` names the missing right"
    if len(words) < 2:
        return (
            "Neither real-time priorities nor nice levels were granted, so the kernel saw takt's "
            f"threads as equal ({listed or 'other'}) and only the order in each thread is takt's; "
            f"{hint}."
        )
    text = f"Real-time priorities were not granted: takt's threads ran at nice levels ({listed})"
    if results.host.autogroup:
        text += (
            ", which the kernel's autogroup lets count only among programs of the same terminal "
            "session"
        )
    return f"{text}; {hint}."


def _first(results: Results, mine: float, theirs: float, tail: str) -> str:
    floor = results.kpis.hot_floor_ns
    over = f", {significant(mine / floor)} × its physical limit" if floor else ""
    share = "half" if tail == "p50" else f"{tail.removeprefix('p')} %"
    taken = f"Under takt {share} of the hot path's runs took at most {human(mine)} ({tail}){over}"
    if theirs > _CLEAR * mine:
        ratio = significant(theirs / mine, 2)
        return (
            f"{taken}; under the stock pool of threads it was {human(theirs)}, {ratio} × as long."
        )
    if mine > _CLEAR * theirs:
        return (
            f"{taken}, and the stock pool of threads did better with {human(theirs)}: "
            "takt did not win this run."
        )
    return f"{taken}, about the same as under the stock pool of threads ({human(theirs)})."


def _second(takt: Results, pool: Results) -> str:
    better, worse, same = [], [], []
    for name, mine, theirs in _rivals(takt, pool):
        if mine == theirs:
            same.append(name)
        elif mine < theirs:
            better.append(f"{name} ({mine:,.0f} against {theirs:,.0f})")
        else:
            worse.append(f"{name} ({mine:,.0f} against {theirs:,.0f})")
    parts = []
    if better:
        parts.append(f"Against the pool takt had fewer {_and(better)}")
    if worse:
        parts.append(f"{'but' if better else 'Against the pool takt had'} more {_and(worse)}")
    if not parts:
        return f"Both had the same {_and(same)}."
    return ", ".join(parts) + "."


def _other_times(runs: Sequence[Results]) -> list[str]:
    """Compare the other times in the table for takt and the pool, which are the first two runs."""
    tail = tail_percentile(len(run.kpis.planner_lateness.values) for run in runs)
    planner = [percentile(run.kpis.planner_lateness.values, tail) for run in runs]
    due = [percentile(run.kpis.hot_from_due, 50) for run in runs]
    sentences = []
    for name, at, (mine, theirs, *_) in (
        ("the planner's lateness", tail, planner),
        ("the hot path from its due time", 50, due),
    ):
        if mine is None or theirs is None:
            continue
        if mine > _CLEAR * theirs or theirs > _CLEAR * mine:
            sentences.append(
                f"Under takt {name} was {'longer' if mine > theirs else 'shorter'} than under the "
                f"pool: {human(mine)} against {human(theirs)} ({percentile_name(at)})."
            )
    return sentences


def _rivals(takt: Results, pool: Results) -> list[tuple[str, float, float]]:
    return [
        ("hot path drops", takt.kpis.hot_drops, pool.kpis.hot_drops),
        (
            "planner cycles without fresh obstacles",
            takt.kpis.planner_stale_cycles,
            pool.kpis.planner_stale_cycles,
        ),
        ("missed deadlines", takt.missed_deadlines, pool.missed_deadlines),
        ("skipped timer periods", takt.skipped_periods, pool.skipped_periods),
        # Rounded to two digits: one switch makes no difference.
        ("context switches per second", _two(takt.switches_per_s), _two(pool.switches_per_s)),
    ]


def _two(value: float) -> float:
    return float(f"{value:.2g}")


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
