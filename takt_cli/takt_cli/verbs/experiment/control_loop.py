"""`takt experiment control-loop`: what is to be shown, the tables, and the study."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from takt_cli.base.console import note
from takt_cli.base.errors import TaktError
from takt_cli.base.units import NS_PER_S, significant
from takt_cli.pages.axes import Figure
from takt_cli.pages.histogram import histogram, outline
from takt_cli.results.run_results import ChainResult
from takt_cli.results.samples import bucket_percentile, percentile
from takt_cli.running.control_loop import HostStalls, Loop, Measured, plan, run
from takt_cli.running.middleware import check_middleware
from takt_cli.running.other_programs import OtherPrograms
from takt_cli.running.without_rights import Programs, missing_right
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.experiment.asked import Asked, experiment, others_used

CYCLES = 1_000_000
MOST_EXCUSED = 0.01
"""Of the cycles; with more of them in host stalls the run shows little."""
_COLOURS = ("#2563eb", "#d97706")
_PERCENTS = (50.0, 99.0, 99.9, 99.99)
_THREADS = 2  # at least: one of each program
_PERIOD_NS = 1_000_000
_TRACED_S = 5
_EXPLANATIONS = (
    "A plain C++ program without ROS runs a loop at 1 kHz (takt_host::CyclicProgram). takt_run has "
    "three nodes: a camera at 50 Hz, a detector and a planner. Both programs run without rights, "
    "and one configurator daemon grants what their schedule asks for.",
    "First both programs are traced under a schedule of one priority for each program. takt makes "
    "a system model of the trace, and plans both programs together; they run under this plan, "
    "with a busy process of ordinary priority on each core.",
    "A cycle misses if it ends after the next release, and each release that the loop skips is "
    "another miss. A thread of priority 99 wakes on the loop's core each millisecond, in the "
    "middle between two releases: if it wakes more than 0.3 ms late although no other thread "
    "kept it waiting, the host had the core, and misses in this time are the host's.",
    "All files are in the folder of the page: trace, system model, plan, and the raw results.",
)


@dataclass(frozen=True)
class Claim:
    """A claim with the figure that decides it."""

    text: str
    figure: str
    holds: bool


@dataclass(frozen=True)
class Misses:
    """The loop's misses, divided by whether the host had the loop's core."""

    own: int
    excused: int


def misses(loop: Loop, stalls: HostStalls, virtual: bool) -> Misses:
    """Excuse the misses in whose time a host stall of the loop's core lies.

    Without a host, and where the witness could not tell stalls apart, none is excused.
    """
    spans = sorted(tuple(span) for span in stalls.spans_ns) if virtual and not stalls.blind else []
    begins = [span[0] for span in spans]
    excused = 0
    for late in loop.late:
        # Spans of one core do not overlap: only the last one that begins before the end counts.
        last = bisect.bisect_right(begins, late.end_ns) - 1
        if last >= 0 and spans[last][1] > late.begin_ns:
            excused += late.misses
    return Misses(loop.misses - excused, excused)


def judge(done: Measured, virtual: bool, wanted: int) -> list[Claim]:
    """Judge all claims; `wanted`: cycles."""
    loop = done.loop
    counted = misses(loop, done.stalls, virtual)
    outside = (
        "outside host stalls" if not done.stalls.blind else "with host stalls, which nobody saw"
    )
    states = [thread for thread in done.threads if thread[3] != "as_asked"]
    nodes = done.nodes.chains
    return [
        Claim(
            f"the control loop misses none of {wanted:,} cycles outside host stalls",
            f"{counted.own:,} misses {outside} in {loop.releases:,} cycles",
            counted.own == 0 and loop.releases >= wanted,
        ),
        Claim(
            f"host stalls excuse at most {MOST_EXCUSED:.0%} of the cycles",
            f"{counted.excused:,} misses in {len(done.stalls.spans_ns):,} host stalls",
            counted.excused <= MOST_EXCUSED * max(loop.releases, 1),
        ),
        Claim(
            "each thread of both programs has what the plan asks for, granted by one daemon to "
            "programs without rights",
            f"{len(done.threads) - len(states)} of {len(done.threads)} threads as asked",
            not states and len(done.threads) >= _THREADS and done.granted >= len(done.threads),
        ),
        Claim(
            "the nodes work meanwhile: their chain ends for 99 % of the images",
            ", ".join(f"{one.completed:,} of {one.expected:,}" for one in nodes) or "no chain",
            bool(nodes) and all(_ended(one) for one in nodes),
        ),
        Claim(
            "the loop's thread has no page fault in the measured time",
            f"{loop.minor_faults + loop.major_faults} page faults",
            loop.minor_faults + loop.major_faults == 0,
        ),
    ]


def _ended(chain: ChainResult) -> bool:
    return chain.completed > 0 and chain.completed >= 0.99 * chain.expected


def tables(done: Measured, virtual: bool, wanted: int) -> list[Table]:
    """Show the claims, then the loop's times, the chain, and the threads."""
    claims = Table("What was to be shown", ["claim", "verdict", "measured"])
    for claim in judge(done, virtual, wanted):
        word = Cell("met", "good") if claim.holds else Cell("MISSED", "bad")
        claims.add(claim.text, word, claim.figure)
    times = Table(
        f"The control loop: 1 kHz, {done.loop.work_ns / 1000:g} µs of work",
        ["time", "cycles", *(f"p{percent:g} µs" for percent in _PERCENTS), "max µs"],
    )
    for words, all_of in (
        ("from the release to the begin", done.loop.wake_ups),
        ("from the release to the end", done.loop.responses),
    ):
        values = (quantile(all_of, percent) for percent in _PERCENTS)
        times.add(words, count_cell(all_of.count), *map(_us, values), _us(all_of.max_ns))
    times.notes.append("all cycles, those in host stalls too")
    if done.stalls.blind:
        times.notes.append(f"host stalls could not be told apart: {done.stalls.blind}")
    if not virtual:
        times.notes.append("this machine has no host, so no miss is excused")
    chains = Table(
        "The nodes' chain", ["chain", "images", "p50 ms", "p99 ms", "max ms", "deadlines missed"]
    )
    for chain in done.nodes.chains:
        values = chain.responses.values
        chains.add(
            chain.name,
            count_cell(chain.completed),
            _ms(percentile(values, 50)),
            _ms(percentile(values, 99)),
            _ms(float(values.max()) if len(values) else None),
            count_cell(chain.missed_deadlines),
        )
    chains.notes.append("all images, those in host stalls too")
    threads = Table("Threads under the plan", ["executor", "thread", "has", "state"])
    for executor, name, words, state in done.threads:
        threads.add(executor, name, words, state.replace("_", " "))
    return [claims, times, chains, threads]


def quantile(times: Any, percent: float) -> int | None:
    """Give the time that `percent` of the cycles do not exceed, to within 1 %."""
    return bucket_percentile(times.count, times.max_ns, times.buckets, percent)


def figure(done: Measured) -> tuple[str, Figure]:
    """Draw both histograms of the loop."""
    lines = []
    for words, all_of, colour in (
        ("release to begin", done.loop.wake_ups, _COLOURS[0]),
        ("release to end", done.loop.responses, _COLOURS[1]),
    ):
        counts = ((float(last), count) for _, last, count in all_of.buckets)
        lines.append(outline(words, counts, {"color": colour, "width": 2}, "cycles"))
    return "The control loop's times", histogram(lines, "time (µs)", "cycles")


def sentences(claims: Sequence[Claim], done: Measured, virtual: bool) -> list[str]:
    """Sum up."""
    counted = misses(done.loop, done.stalls, virtual)
    said = [
        f"{sum(claim.holds for claim in claims)} of {len(claims)} claims were met.",
        f"The control loop missed {counted.own:,} of {done.loop.releases:,} cycles outside host "
        f"stalls and {counted.excused:,} in them, beside three ROS nodes and a busy process on "
        "each core.",
    ]
    said += [f"The loop's program says: {note}" for note in done.loop.notes]
    return said


def _us(ns: float | None) -> Cell:
    return Cell("–") if ns is None else Cell(significant(ns / 1e3), value=round(ns / 1e3, 3))


def _ms(ns: float | None) -> Cell:
    return Cell("–") if ns is None else Cell(significant(ns / 1e6), value=round(ns / 1e6, 5))


def _can_run() -> None:
    check_middleware()
    if (why := missing_right()) is not None:
        raise TaktError(why)


@experiment("control-loop", without=("samples",), before=_can_run)
def run_control_loop(
    asked: Asked,
) -> None:
    """Plan a C++ control loop with three ROS nodes, and count its misses (17 minutes)."""
    setting = asked.setting
    length = setting.duration_ns or (3 * NS_PER_S if setting.quick else CYCLES * _PERIOD_NS)
    wanted = length // _PERIOD_NS
    note(f"{setting.host.describe()}; about {length / NS_PER_S / 60 + 0.7:.1f} min.")
    others = OtherPrograms(setting.cores)
    with Programs(setting.directory / "raw") as programs:
        traced_s = 2 if setting.quick else _TRACED_S
        schedule = plan(programs, setting.directory, setting.cores, traced_s, note)
        note(f"the plan, for {length / NS_PER_S:g} s ...")
        done = run(programs, setting.directory, setting.cores, schedule, length)
    used = others.cores()
    virtual = setting.host.virtual
    judged = judge(done, virtual, wanted)
    asked.show(
        asked.study(
            {},
            [],
            title="A control loop and three ROS nodes under one plan",
            sentences=others_used(used) + sentences(judged, done, virtual),
            tables=tables(done, virtual, wanted),
            figures=[figure(done)],
            explanations=list(_EXPLANATIONS),
        )
    )
    asked.must_hold(claim.holds for claim in judged)
