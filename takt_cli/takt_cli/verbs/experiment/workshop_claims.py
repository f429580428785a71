"""What each exercise of the workshop has to show, as functions of its samples.

A claim is judged only on samples that are there: without a right, with too few samples, or with too
many of them in host stalls it is not judged, and does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from takt_cli.base.units import human
from takt_cli.verbs.experiment.workshop_program import END_TO_END, FIRST_TO_LAST, Run

MS, US = 1_000_000, 1000
WAKEUP, LOOP, SLEEP = "Wakeup", "Loop", "Sleep"
POSITION, CONSTANTS, QUEUE = "GetDesiredPosition", "GetPIDConstants", "UpdateQueue"
NOTHING = "Nothing"  # an empty slice beside each of these three
PERIOD = "period"
FRAME = 33_333_333  # ns, of the camera
_OFF = 150 * US
_LATE = 8 * MS  # mean or median of a wrong order
_SPREAD = 5 * MS
_CYCLES = 10_000  # of each thread, that the first exercise asks for

# Shares of the samples that a run of that length should have.
_THERE = 0.99  # of a right variant, with those in host stalls
_CLEAN = 0.5  # of a right variant, outside of host stalls
_MOSTLY_CLEAN = 0.9  # the same, where the quantity that is judged is also what shows a host stall
_OF_FAULT = 0.1  # of a wrong variant, which may have few

# Of the longest empty slice: a slice up to this long may be the machine's fault alone.
_AS_LONG = 2

Runs = Mapping[str, Run]


@dataclass(frozen=True)
class Claim:
    """A claim with the figure that decides it.

    `fault`: it says that a wrong variant shows its fault. Where it does not, the exercise proved
    nothing. `unjudged`: why the samples decide nothing; such a claim does not hold.
    """

    text: str
    figure: str
    holds: bool
    fault: bool = False
    unjudged: str = ""

    @property
    def word(self) -> str:
        """The verdict."""
        if self.unjudged:
            return f"NOT JUDGED: {self.unjudged}"
        if self.fault:
            return "fault shown" if self.holds else "PROVED NOTHING"
        return "met" if self.holds else "MISSED"


def expected(run: Run, name: str) -> int:
    """How many slices of that name a run of that length should have."""
    of_camera = name in (PERIOD, END_TO_END, FIRST_TO_LAST)
    threads = len(run.cores) if name == WAKEUP else 1
    return int(threads * run.duration_ns / (FRAME if of_camera else MS))


def why_unjudged(run: Run, name: str, *, fault: bool, clean_share: float = _CLEAN) -> str:
    """Why the slices of that name decide nothing; empty if they decide."""
    if run.refused:
        return "right missing"
    if fault and not run.stalls_seen:
        return "host stalls could not be told apart"
    clean = len(run.clean(name))
    there = clean + len(run.stalled(name))
    wanted = expected(run, name)
    if clean < (_OF_FAULT if fault else clean_share) * wanted or clean == 0:
        return f"{clean:,} of {wanted:,} samples outside of host stalls"
    # The first and the last one may be cut off.
    if not fault and there < _THERE * wanted - 1:
        return f"{there:,} of {wanted:,} samples"
    return ""


def _claim(
    text: str,
    figure: str,
    holds: bool,
    run: Run,
    name: str,
    *,
    fault: bool = False,
    clean_share: float = _CLEAN,
) -> Claim:
    why = why_unjudged(run, name, fault=fault, clean_share=clean_share)
    return Claim(text, figure, holds and not why, fault, why)


def worst(run: Run, name: str) -> float:
    """Give the longest slice of that name outside of host stalls; 0 without one."""
    return float(run.clean(name).max(initial=0))


def _beyond(run: Run, name: str, limit_ns: float) -> str:
    samples = run.clean(name)
    return (
        f"{human(worst(run, name))}; {int((samples > limit_ns).sum()):,} of {len(samples):,} beyond"
    )


def _fails(run: Run, name: str, limit_ns: float, words: str) -> Claim:
    """Claim that the wrong variant is late."""
    return _claim(
        f"{words}: a slice is longer than {human(limit_ns)}",
        _beyond(run, name, limit_ns),
        worst(run, name) > limit_ns,
        run,
        name,
        fault=True,
    )


def _within(run: Run, name: str, limit_ns: float, words: str) -> Claim:
    """Claim that the right variant keeps a limit outside of host stalls."""
    return _claim(
        f"{words}: no slice is longer than {human(limit_ns)}",
        _beyond(run, name, limit_ns),
        worst(run, name) <= limit_ns,
        run,
        name,
    )


def _no_wait(run: Run, name: str, limit_ns: float, words: str) -> Claim:
    """Claim the same of a variant that never waits, where empty slices tell the machine's part.

    A thread of priority 99 notices a host stall of 0.3 ms or more. An empty slice shows shorter
    ones: where some are beyond the limit, too, the machine may have made the others long.
    """
    claim = _within(run, name, limit_ns, words)
    empty = worst(run, NOTHING)
    if claim.holds or claim.unjudged or empty <= limit_ns or worst(run, name) > _AS_LONG * empty:
        return claim
    return replace(claim, unjudged=f"empty slices took up to {human(empty)}")


def _mean(run: Run, name: str) -> float:
    samples = run.clean(name)
    return float(samples.mean()) if len(samples) else 0.0


def wakeups(runs: Runs) -> Iterator[Claim]:
    """Judge exercise 1."""
    other, fifo = runs["other"], runs["fifo"]
    late = worst(other, WAKEUP)
    yield _claim(
        "under SCHED_OTHER a thread wakes more than 1 ms late or misses a period",
        f"{human(late)}, {other.overruns:,} overruns",
        late > MS or other.overruns > 0,
        other,
        WAKEUP,
        fault=True,
    )
    fewest = min(
        (len(fifo.clean(f"{WAKEUP} of {owner}")) for owner in fifo.owners(WAKEUP)), default=0
    )
    yield _claim(
        f"under SCHED_FIFO 80 no thread misses a period in at least {_CYCLES:,} cycles each",
        f"{fifo.overruns:,} overruns in {fewest:,} cycles of a thread",
        fifo.overruns == 0 and fewest >= _CYCLES,
        fifo,
        WAKEUP,
        clean_share=_MOSTLY_CLEAN,
    )


def one_value(runs: Runs) -> Iterator[Claim]:
    """Judge exercise 2-1."""
    atomic = runs["atomic"]
    yield _fails(runs["mutex"], POSITION, MS, "std::mutex")
    yield _no_wait(atomic, POSITION, 50 * US, "AtomicValue")
    yield _claim(
        "AtomicValue: the controller misses no period",
        f"{atomic.overruns:,} overruns",
        atomic.overruns == 0,
        atomic,
        POSITION,
    )


def three_values(runs: Runs) -> Iterator[Claim]:
    """Judge exercise 2-2."""
    yield _fails(runs["mutex"], CONSTANTS, MS, "std::mutex")
    yield _within(runs["pi_mutex"], CONSTANTS, MS, "PiMutex")
    yield _no_wait(runs["latest"], CONSTANTS, 20 * US, "Exchange")
    yield _no_wait(runs["try_lock"], CONSTANTS, 20 * US, "try_lock")
    yield _no_wait(runs["compare_and_swap"], CONSTANTS, 20 * US, "compare-and-swap")


def queue(runs: Runs) -> Iterator[Claim]:
    """Judge exercise 2-3."""
    ring = runs["ring"]
    yield _fails(runs["mutex"], QUEUE, MS, "std::queue and std::mutex")
    yield _no_wait(ring, QUEUE, 100 * US, "SpscRing")
    yield _claim(
        "SpscRing: the controller allocates nothing, and the ring drops nothing",
        f"{ring.allocations} allocations, {ring.dropped} dropped",
        ring.allocations == 0 and ring.dropped == 0,
        ring,
        QUEUE,
    )


def _logger_first(run: Run) -> str:
    images = run.images()
    first = sum(image.logger_first for image in images)
    return f"logger first in {first:,} of {len(images):,}"


def default_executor(runs: Runs) -> Iterator[Claim]:
    """Judge exercise 3-1."""
    stock, first = runs["stock-idle"], runs["detector_first-idle"]
    images = stock.images()
    share = sum(image.logger_first for image in images) / max(len(images), 1)
    mean = _mean(stock, FIRST_TO_LAST)
    yield _claim(
        f"in ROS 2's order the logger goes first, in 99 % of the images, and the mean from the "
        f"first start to the last end is at least {human(_LATE)}",
        f"{_logger_first(stock)}, mean {human(mean)}",
        share >= 0.99 and mean >= _LATE,
        stock,
        FIRST_TO_LAST,
        fault=True,
    )
    if "rclcpp-idle" in runs:
        of_rclcpp = runs["rclcpp-idle"]
        late = _mean(of_rclcpp, FIRST_TO_LAST)
        yield _claim(
            f"on rclcpp's executor the actuation waits for the logger, whichever goes first: that "
            f"mean is at least {human(_LATE)}",
            f"{_logger_first(of_rclcpp)}, mean {human(late)}",
            late >= _LATE,
            of_rclcpp,
            FIRST_TO_LAST,
            fault=True,
        )
    better = _mean(first, FIRST_TO_LAST)
    yield _claim(
        "by priority on the same thread that mean is at most half as long",
        f"{_logger_first(first)}, mean {human(better)}",
        better <= mean / 2,
        first,
        FIRST_TO_LAST,
    )


def priorities(runs: Runs) -> Iterator[Claim]:
    """Judge exercise 3-2."""
    for load, words in (("-idle", "idle"), ("", "under load")):
        stock = runs[f"stock{load}"]
        mean = _mean(stock, END_TO_END)
        yield _claim(
            f"in ROS 2's order, {words}: the mean is at least {human(_LATE)}",
            human(mean),
            mean >= _LATE,
            stock,
            END_TO_END,
            fault=True,
        )
        yield _within(
            runs[f"following_pool{load}"], END_TO_END, 6 * MS, f"the following pool, {words}"
        )
        yield _within(runs[f"planned{load}"], END_TO_END, 4 * MS, f"the plan, {words}")


def timer(runs: Runs) -> Iterator[Claim]:
    """Judge exercise 4-1.

    A single late start would show nothing of the logger: most periods are to be off.
    """
    stock, own = runs["timer_stock-idle"], runs["timer_own_thread-idle"]
    samples = stock.clean(PERIOD)
    low, high = np.percentile(samples, [5, 95]) if len(samples) else (0.0, 0.0)
    yield _claim(
        f"one thread: 90 % of the periods spread over at least {human(_SPREAD)}",
        f"{low / MS:.3f} to {high / MS:.3f} ms",
        high - low >= _SPREAD,
        stock,
        PERIOD,
        fault=True,
    )
    samples = own.clean(PERIOD)
    least, most = (samples.min(), samples.max()) if len(samples) else (0.0, 0.0)
    yield _claim(
        f"a thread of its own: no period is more than {human(_OFF)} from 33.333 ms",
        f"{least / MS:.3f} to {most / MS:.3f} ms",
        max(most - FRAME, FRAME - least) <= _OFF,
        own,
        PERIOD,
        clean_share=_MOSTLY_CLEAN,
    )


def chain(runs: Runs) -> Iterator[Claim]:
    """Judge exercise 4-2."""
    stock = runs["stock-idle"]
    samples = stock.clean(END_TO_END)
    median = float(np.median(samples)) if len(samples) else 0.0
    yield _claim(
        f"one executor: the median is at least {human(_LATE)}",
        human(median),
        median >= _LATE,
        stock,
        END_TO_END,
        fault=True,
    )
    yield _within(runs["realtime_chain-idle"], END_TO_END, 4 * MS, "the schedule")
    yield _within(runs["groups_on_two_executors-idle"], END_TO_END, 4 * MS, "two executors")
