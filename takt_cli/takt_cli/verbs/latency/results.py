"""Wake-up latencies as `takt_latency` and cyclictest count them: cycles in buckets, by thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from takt_cli.documents.document import Document
from takt_cli.results.samples import bucket_percentile

Bucket = tuple[int, int, int]  # first and last latency in it (ns), and how many cycles
_NS_PER_US = 1000


@dataclass(frozen=True)
class Cycles:
    """Some cycles of a thread: exact extremes and mean, percentiles to within a bucket (1 %)."""

    count: int = 0
    min_ns: int = 0
    max_ns: int = 0
    sum_ns: float = 0.0
    overruns: int | None = 0  # None: not counted
    buckets: tuple[Bucket, ...] = ()

    @property
    def mean_ns(self) -> float | None:
        """The mean; None without a cycle."""
        return self.sum_ns / self.count if self.count else None

    def percentile(self, percent: float) -> int | None:
        """Give the latency that `percent` of the cycles do not exceed.

        None if fewer than ten cycles lie beyond it.
        """
        return bucket_percentile(self.count, self.max_ns, self.buckets, percent)


@dataclass(frozen=True)
class Thread:
    """The requested and granted attributes of one cyclic thread, and its latencies."""

    name: str  # "core 0"; "thread 1" where it is bound to no core
    asked: str = ""
    granted: str = ""
    at_end: str = ""
    accounted: bool = True  # the kernel's account can distinguish host stalls
    unexplained: int = 0  # on a machine without a host: late wake-ups that no thread explains
    page_faults: int = 0
    ordinary: Cycles = Cycles()
    held_up: Cycles = Cycles()  # in stalls of the host

    @property
    def has_its_policy(self) -> bool:
        """Whether the kernel granted the policy, the first word of 'SCHED_FIFO priority 80'."""
        return self.asked.partition(" ")[0] == self.granted.partition(" ")[0]

    @property
    def all(self) -> Cycles:
        """All cycles."""
        return merged([self.ordinary, self.held_up])


@dataclass(frozen=True)
class LatencyRun:
    """One way of running, over all of its rounds."""

    name: str
    own: bool  # takt's own program, which counts overruns and stalls
    threads: tuple[Thread, ...]
    refused: tuple[str, ...] = ()
    memory_locked: bool = True
    measured_ns: int = 0
    ended_early: bool = False

    @property
    def total(self) -> Thread:
        """All threads as one."""
        return replace(
            self.threads[0],
            name="all",
            ordinary=merged(thread.ordinary for thread in self.threads),
            held_up=merged(thread.held_up for thread in self.threads),
        )


def merged(parts: Iterable[Cycles]) -> Cycles:
    """Join all parts, as if their cycles had been counted together."""
    some = [part for part in parts if part.count]
    if not some:
        return Cycles()
    counts: Counter[tuple[int, int]] = Counter()
    for part in some:
        for first, last, count in part.buckets:
            counts[(first, last)] += count
    overruns = [part.overruns for part in some if part.overruns is not None]
    return Cycles(
        count=sum(part.count for part in some),
        min_ns=min(part.min_ns for part in some),
        max_ns=max(part.max_ns for part in some),
        sum_ns=sum(part.sum_ns for part in some),
        overruns=sum(overruns) if len(overruns) == len(some) else None,
        buckets=tuple((first, last, counts[first, last]) for first, last in sorted(counts)),
    )


def joined(rounds: Sequence[LatencyRun]) -> LatencyRun:
    """Make one run of the rounds of the same setting, thread by thread."""
    first = rounds[0]
    threads = []
    for number, thread in enumerate(first.threads):
        same = [one.threads[number] for one in rounds]
        threads.append(
            replace(
                thread,
                at_end=same[-1].at_end,
                accounted=all(one.accounted for one in same),
                unexplained=sum(one.unexplained for one in same),
                page_faults=sum(one.page_faults for one in same),
                ordinary=merged(one.ordinary for one in same),
                held_up=merged(one.held_up for one in same),
            )
        )
    return replace(
        first,
        threads=tuple(threads),
        refused=tuple(dict.fromkeys(words for one in rounds for words in one.refused)),
        memory_locked=all(one.memory_locked for one in rounds),
        measured_ns=sum(one.measured_ns for one in rounds),
        ended_early=any(one.ended_early for one in rounds),
    )


class LatencyReport(Document, at="latency"):
    """What takt_latency counted."""


def read_own(name: str, raw: Any, virtual: bool) -> LatencyRun:
    """Read the document of `takt_latency`; DamagedError if it is none.

    A late wake-up that no thread explains is a stall of the host on a virtual machine. Elsewhere
    disabled interrupts or firmware made it late: that is the machine's own latency.
    """
    report = LatencyReport.read(raw)
    threads = tuple(_own_thread(i, one, virtual) for i, one in enumerate(report.threads))
    granted = dict.fromkeys(one.granted for one in threads if not one.has_its_policy)
    return LatencyRun(
        name=f"{name} (granted: {', '.join(granted)})" if granted else name,
        own=True,
        threads=threads,
        refused=report.refused,
        memory_locked=report.memory_locked,
        measured_ns=report.measured_ns,
        ended_early=report.ended_early,
    )


def _own_thread(number: int, told: Any, virtual: bool) -> Thread:
    ordinary, late = _own_cycles(told.ordinary), _own_cycles(told.held_up)
    thread = Thread(
        name=f"thread {number + 1}" if told.core is None else f"core {told.core}",
        asked=told.asked.words,
        granted=told.granted.words,
        at_end=told.at_end.words,
        accounted=told.accounted,
        page_faults=told.minor_faults + told.major_faults,
        ordinary=ordinary,
        held_up=late,
    )
    if virtual:
        return thread
    together = merged([ordinary, late])
    return replace(thread, unexplained=late.count, ordinary=together, held_up=Cycles())


def _own_cycles(told: Any) -> Cycles:
    return Cycles(
        told.count, told.min_ns, told.max_ns, float(told.sum_ns), told.overruns, told.buckets
    )


def read_cyclictest(
    name: str, raw: Mapping[str, Any], cores: Sequence[int], measured_ns: int
) -> LatencyRun:
    """Read the JSON document of cyclictest, which counts whole microseconds.

    KeyError, TypeError or ValueError if it is none.
    """
    threads = [
        Thread(name=f"core {core}", ordinary=_their_cycles(raw["thread"][str(number)]))
        for number, core in enumerate(cores)
    ]
    return LatencyRun(name=name, own=False, threads=tuple(threads), measured_ns=measured_ns)


def _their_cycles(raw: Mapping[str, Any]) -> Cycles:
    counts = sorted((int(us), int(count)) for us, count in raw.get("histogram", {}).items())
    buckets = [(us * _NS_PER_US, us * _NS_PER_US + _NS_PER_US - 1, n) for us, n in counts if n]
    count, worst = int(raw["cycles"]), int(raw["max"]) * _NS_PER_US
    beyond = count - sum(n for _, _, n in buckets)
    if beyond > 0:  # above the last bucket; of these cycles only the maximum is known
        lowest = buckets[-1][1] + 1 if buckets else 0
        buckets.append((lowest, max(lowest, worst), beyond))
    return Cycles(
        count=count,
        min_ns=int(raw["min"]) * _NS_PER_US,
        max_ns=worst,
        sum_ns=float(raw["avg"]) * count * _NS_PER_US,
        overruns=None,
        buckets=tuple(buckets),
    )
