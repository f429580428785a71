"""Sentences about a trace: warnings, and the callback that kept each step waiting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from takt_cli.base.units import human
from takt_cli.verbs.report.trace_figures import PARTS, Activation, ReportedChain, Step, TraceReport
from takt_cli.verbs.report.trace_parts import PHRASES

_MOST_BLOCKERS = 4
# Parts that are waits, and those with a named cause.
_NAMED = ("group", "queue", "core")
_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}
# Shares of a response: shorter waits are not worth a sentence, nor are shorter times in the
# middleware.
_UNNOTICED = 0.02
_NOTED = 0.1


def warnings(report: TraceReport) -> list[str]:
    """Say which figures are incomplete or were not measured, and how to get them."""
    found = []
    if report.dropped:
        where = ", ".join(f"{one.words} {one.dropped:,}" for one in report.processes if one.dropped)
        are = "record is" if report.dropped == 1 else "records are"
        found.append(
            f"{report.dropped:,} {are} missing ({where}): the ring of a thread was full, so that "
            "the figures of this page are incomplete. Trace again with a larger --records."
        )
    if not report.measured.cpu:
        found.append(
            "CPU times were not measured for all runs. The part 'ran' is therefore the time from "
            "start to end of a callback, also while it slept. `takt trace record --cpu` measures "
            "them."
        )
    if not report.measured.kernel:
        lost = "blocked" if report.measured.cpu else "ran"
        found.append(
            "The kernel's run-queue delays were not measured. Where a callback lost its core "
            f"while it ran, the part '{lost}' therefore has that time. "
            "`takt trace record --kernel` measures them."
        )
    for host in report.hosts if len(report.hosts) > 1 else ():
        if host.synchronised is False:
            found.append(
                f"The clock of {host.name} was not synchronised: times between this host and the "
                "others may be wrong by any amount."
            )
        elif host.clock_uncertainty_ns is None:
            found.append(
                f"The uncertainty of the clock of {host.name} is unknown: do not rely on times "
                "between this host and the others."
            )
    return found


def rank(number: int) -> str:
    """Name an activation by its place: 'Longest', 'Second longest'."""
    if number == 1:
        return "Longest"
    return f"{_ORDINALS.get(number, f'{number}th').capitalize()} longest"


def about_activation(activation: Activation, deadline_ns: int | None) -> str:
    """Say how long it took, when, and against which deadline."""
    words = (
        f"{human(activation.response_ns)}, released {human(activation.release_ns)} into the trace"
    )
    if deadline_ns:
        spare = deadline_ns - activation.response_ns
        side = "before" if spare >= 0 else "after"
        words += f", ended {human(abs(spare))} {side} the deadline"
    return words


def largest_part(activation: Activation) -> str:
    """Name the largest part of the time."""
    split = activation.split
    if split.total_ns <= 0:
        return ""
    ranked = sorted(PARTS, key=lambda part: -split.parts[part])
    told = []
    for part in ranked[:3]:
        share = split.parts[part] / split.total_ns
        if share > _UNNOTICED:
            told.append(f"{human(split.parts[part])} ({100 * share:.0f} %) {PHRASES[part]}")
    return f"Of {human(activation.response_ns)}: {'; '.join(told)}." if told else ""


def reasons(activation: Activation) -> list[str]:
    """Name the callback or thread that kept each step waiting: one sentence for each wait."""
    least = _UNNOTICED * activation.response_ns
    found = []
    for number, step in enumerate(activation.steps, start=1):
        for why in _NAMED:
            waited = step.split.parts[why]
            named = sorted((b for b in step.blocked_by if b.why == why), key=lambda b: -b.ns)
            if max([waited, *(b.ns for b in named)]) > least:
                found.append(_reason(number, step, why, waited, named))
        kept = min(float(step.kept_ns), step.split.parts["blocked"])
        if kept > least:
            found.append(_kept(number, step, kept))
        if step.split.parts["blocked"] - kept > least:
            found.append(
                f"Step {number}: {step.callback} slept, or waited for a lock: "
                f"{human(step.split.parts['blocked'] - kept)}. The trace does not tell for which."
            )
        if step.split.parts["middleware"] > max(least, _NOTED * activation.response_ns):
            found.append(
                f"Step {number}: {step.callback} waited "
                f"{human(step.split.parts['middleware'])} for the middleware."
            )
    if (activation.host_stall_ns or 0) > least:
        found.append(f"Meanwhile the host had a core for {human(activation.host_stall_ns)}.")
    return found


def _kept(number: int, step: Step, ns: float) -> str:
    other = step.published_by or "another callback of its node"
    return (
        f"Step {number}: the node of {step.callback} kept the message for {human(ns)}, until "
        f"{other} published the result."
    )


def _reason(number: int, step: Step, why: str, waited: float, named: Sequence[Any]) -> str:
    thread = step.thread or str(step.tid)
    waits = {
        "group": "for its callback group",
        "queue": f"for its thread {thread}",
        "core": "for a core" if step.core is None else f"for core {step.core}",
    }
    ns = waited or sum(blocker.ns for blocker in named)
    words = f"Step {number}: {step.callback} waited {human(ns)} {waits[why]}"
    if not named:
        return f"{words}; the trace does not name the callbacks or threads that it waited for."
    listed = [f"{blocker.what} ({human(blocker.ns)})" for blocker in named[:_MOST_BLOCKERS]]
    hidden = len(named) - _MOST_BLOCKERS
    if hidden > 0:
        listed.append(f"{hidden} more")
    if not all(blocker.what.startswith("/") for blocker in named):
        return f"{words}: {'; '.join(listed)}."
    names = " and ".join([", ".join(listed[:-1]), listed[-1]] if listed[1:] else listed)
    ran = {"group": f"in which {names} ran", "queue": f"which ran {names}"}
    return f"{words}, {ran.get(why, f'where {names} ran')}."


def in_the_way(chain: ReportedChain) -> list[tuple[str, str, float, int]]:
    """List the causes of the worst activations' waits: name, why, time, number of activations.

    `why` is that of a blocker, or `input`: the node kept a message for its other input.
    """
    total: dict[tuple[str, str], float] = {}
    seen: dict[tuple[str, str], set[int]] = {}
    for index, activation in enumerate(chain.worst):
        for step in activation.steps:
            found = [(one.what, one.why, one.ns) for one in step.blocked_by]
            if step.kept_ns:
                found.append((step.published_by or step.callback, "input", step.kept_ns))
            for what, why, ns in found:
                total[what, why] = total.get((what, why), 0.0) + ns
                seen.setdefault((what, why), set()).add(index)
    ranked = sorted(total.items(), key=lambda item: -item[1])
    return [(what, why, ns, len(seen[what, why])) for (what, why), ns in ranked]
