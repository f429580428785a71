"""The exercises of the workshop: their variants, what each has to show, the presenters' figures.

The exercises are those of the ROSCon 2023 workshop on real-time programming. Its presenters
measured on a Raspberry Pi 4 with PREEMPT_RT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from takt_cli.base.units import human
from takt_cli.verbs.experiment.workshop_program import END_TO_END, FIRST_TO_LAST, Run

MS, US = 1_000_000, 1000
WAKEUP, LOOP, SLEEP = "Wakeup", "Loop", "Sleep"
POSITION, CONSTANTS, QUEUE = "GetDesiredPosition", "GetPIDConstants", "UpdateQueue"
PERIOD = "period"
FRAME = 33_333_333  # ns, of the camera
_OFF = 150 * US
_MEAN = 8 * MS
_CYCLES = 10_000  # of each thread, that the first exercise asks for

_PENDULUM = "The controller of an inverted pendulum runs at 1 kHz under SCHED_FIFO 80."
_PINNED = (
    "Both threads and a busy one share the first core: an ordinary thread that loses its core "
    "while it holds a mutex of the controller keeps the controller waiting."
)
_CAMERA = (
    "A camera of 30 Hz publishes images from a thread of its own at FIFO 90, but in exercise "
    "4-1. A logger and an object detector take them, in two groups of one node. The logger "
    "subscribes first, uses its core for 1 to 10 ms and sleeps for 1 ms; the detector uses it "
    "for 3 ms, and publishes for an actuation of 0.15 ms. The nodes are takt_rcl's."
)
_CAMERA_SLICES = (
    "DataLogger",
    "ObjectDetect",
    "Actuation",
    "MessageDelay of data_logger",
    "MessageDelay of object_detect",
    "EndToEndDelay",
)
PLANNED = "planned"  # takt plan makes this schedule

Runs = Mapping[str, Run]


@dataclass(frozen=True)
class Claim:
    """A claim with the figure that decides it.

    `fault`: it says that a wrong variant shows its fault. Where it does not, the exercise proved
    nothing.
    """

    text: str
    figure: str
    holds: bool
    fault: bool = False

    @property
    def word(self) -> str:
        """The verdict."""
        if self.fault:
            return "fault shown" if self.holds else "PROVED NOTHING"
        return "met" if self.holds else "MISSED"


@dataclass(frozen=True)
class Variant:
    """A way of running an exercise."""

    name: str  # as takt_workshop has it
    words: str
    presenters: str = "–"  # their worst time of the judged slice
    stress: bool = True
    schedule: str = ""  # of the shipped ones

    @property
    def key(self) -> str:
        """Tell it from the same variant with another load."""
        return self.name if self.stress else f"{self.name}-idle"


@dataclass(frozen=True)
class Exercise:
    """An exercise of the workshop."""

    name: str
    title: str
    slice: str  # the judged one
    others: tuple[str, ...]  # that are shown, too
    seconds: float  # of each variant
    variants: tuple[Variant, ...]
    judge: Callable[[Runs], Iterator[Claim]]
    explanations: tuple[str, ...]
    cyclic: bool = True  # has cycles that may miss periods


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
    return Claim(
        f"{words}: a slice is longer than {human(limit_ns)}",
        _beyond(run, name, limit_ns),
        worst(run, name) > limit_ns,
        fault=True,
    )


def _within(run: Run, name: str, limit_ns: float, words: str) -> Claim:
    """Claim that the right variant keeps a limit outside of host stalls."""
    return Claim(
        f"{words}: no slice is longer than {human(limit_ns)}",
        _beyond(run, name, limit_ns),
        0 < worst(run, name) <= limit_ns,
    )


def _no_overruns(run: Run, words: str) -> Claim:
    return Claim(
        f"{words}: the controller misses no period",
        f"{run.overruns:,} overruns",
        run.overruns == 0,
    )


def _wakeups(runs: Runs) -> Iterator[Claim]:
    other, fifo = runs["other"], runs["fifo"]
    late = worst(other, WAKEUP)
    yield Claim(
        "under SCHED_OTHER a thread wakes more than 1 ms late or misses a period",
        f"{human(late)}, {other.overruns:,} overruns",
        late > MS or other.overruns > 0,
        fault=True,
    )
    fewest = min(
        (len(fifo.clean(f"{WAKEUP} of {owner}")) for owner in fifo.owners(WAKEUP)), default=0
    )
    yield Claim(
        f"under SCHED_FIFO 80 no thread misses a period in at least {_CYCLES:,} cycles each",
        f"{fifo.overruns:,} overruns in {fewest:,} cycles of a thread",
        fifo.overruns == 0 and fewest >= _CYCLES,
    )


def _one_value(runs: Runs) -> Iterator[Claim]:
    yield _fails(runs["mutex"], POSITION, MS, "std::mutex")
    yield _within(runs["atomic"], POSITION, 50 * US, "AtomicValue")
    yield _no_overruns(runs["atomic"], "AtomicValue")


def _three_values(runs: Runs) -> Iterator[Claim]:
    yield _fails(runs["mutex"], CONSTANTS, MS, "std::mutex")
    yield _within(runs["pi_mutex"], CONSTANTS, MS, "PiMutex")
    yield _within(runs["latest"], CONSTANTS, 20 * US, "Exchange")


def _queue(runs: Runs) -> Iterator[Claim]:
    ring = runs["ring"]
    yield _fails(runs["mutex"], QUEUE, MS, "std::queue and std::mutex")
    yield _within(ring, QUEUE, 100 * US, "SpscRing")
    yield Claim(
        "SpscRing: the controller allocates nothing, and the ring drops nothing",
        f"{ring.allocations} allocations, {ring.dropped} dropped",
        ring.allocations == 0 and ring.dropped == 0,
    )


def _logger_first(run: Run) -> str:
    images = run.images()
    first = sum(image.logger_first for image in images)
    return f"logger first in {first:,} of {len(images):,}"


def _mean(run: Run, name: str) -> float:
    samples = run.clean(name)
    return float(samples.mean()) if len(samples) else 0.0


def _default_executor(runs: Runs) -> Iterator[Claim]:
    stock, first = runs["stock-idle"], runs["detector_first-idle"]
    images = stock.images()
    share = sum(image.logger_first for image in images) / max(len(images), 1)
    mean = _mean(stock, FIRST_TO_LAST)
    yield Claim(
        f"in ROS 2's order the logger goes first, in 99 % of the images, and the mean from the "
        f"first start to the last end is at least {human(_MEAN)}",
        f"{_logger_first(stock)}, mean {human(mean)}",
        share >= 0.99 and mean >= _MEAN,
        fault=True,
    )
    better = _mean(first, FIRST_TO_LAST)
    yield Claim(
        "by priority on the same thread that mean is at most half as long",
        f"{_logger_first(first)}, mean {human(better)}",
        0 < better <= mean / 2,
    )


def _priorities(runs: Runs) -> Iterator[Claim]:
    for load, words in (("-idle", "idle"), ("", "under load")):
        mean = _mean(runs[f"stock{load}"], END_TO_END)
        yield Claim(
            f"in ROS 2's order, {words}: the mean is at least {human(_MEAN)}",
            human(mean),
            mean >= _MEAN,
            fault=True,
        )
        yield _within(
            runs[f"following_pool{load}"], END_TO_END, 6 * MS, f"the following pool, {words}"
        )
        yield _within(runs[f"planned{load}"], END_TO_END, 4 * MS, f"the plan, {words}")


def _off_period(run: Run) -> tuple[float, float]:
    """Give the shortest and the longest period, outside of host stalls."""
    samples = run.clean(PERIOD)
    return (float(samples.min()), float(samples.max())) if len(samples) else (0.0, 0.0)


def _timer(runs: Runs) -> Iterator[Claim]:
    for name, words, fault in (
        ("timer_stock-idle", "one thread: a period is", True),
        ("timer_own_thread-idle", "a thread of its own: no period is", False),
    ):
        shortest, longest = _off_period(runs[name])
        off = max(longest - FRAME, FRAME - shortest)
        yield Claim(
            f"{words} more than {human(_OFF)} from 33.333 ms",
            f"{shortest / MS:.3f} to {longest / MS:.3f} ms",
            off > _OFF if fault else off <= _OFF,
            fault=fault,
        )


def _chain(runs: Runs) -> Iterator[Claim]:
    yield _fails(runs["stock-idle"], END_TO_END, 4 * MS, "one executor")
    yield _within(runs["realtime_chain-idle"], END_TO_END, 4 * MS, "the schedule")
    yield _within(runs["groups_on_two_executors-idle"], END_TO_END, 4 * MS, "two executors")


EXERCISES = {
    one.name: one
    for one in (
        Exercise(
            name="1",
            title="Wake-up latency",
            slice=WAKEUP,
            others=(LOOP, SLEEP),
            seconds=10.5,
            variants=(
                Variant("other", "SCHED_OTHER", "1.1 ms"),
                Variant("fifo", "SCHED_FIFO 80", "31 µs"),
                Variant("raw_other", "raw loop, OTHER"),
                Variant("raw_fifo", "raw loop, FIFO 80"),
            ),
            judge=_wakeups,
            explanations=(
                "A cyclic thread on each core runs at 1 kHz and works for 200 µs. A busy "
                "thread of SCHED_OTHER keeps each core in use. Wakeup: from a cycle's release "
                "to the moment at which its thread runs. A wake-up that is a period late "
                "misses that period: LoopOverrun.",
                "A wake-up is in a host stall if it came more than 0.3 ms late and the kernel "
                "ran no other thread for most of that time.",
            ),
        ),
        Exercise(
            name="2-1",
            title="One value",
            slice=POSITION,
            others=(LOOP,),
            seconds=15,
            variants=(
                Variant("mutex", "std::mutex", "4.997 ms"),
                Variant("atomic", "AtomicValue", "6 µs"),
            ),
            judge=_one_value,
            explanations=(
                f"{_PENDULUM} It reads the wanted angle, which an ordinary thread sets in a tight "
                "loop.",
                _PINNED,
            ),
        ),
        Exercise(
            name="2-2",
            title="A struct of three values",
            slice=CONSTANTS,
            others=(LOOP,),
            seconds=15,
            variants=(
                Variant("mutex", "std::mutex", "15.269 ms"),
                Variant("pi_mutex", "PiMutex", "287 µs"),
                Variant("latest", "Exchange"),
            ),
            judge=_three_values,
            explanations=(
                f"{_PENDULUM} It reads the three constants of its PID controller. An ordinary "
                "thread reads them in a tight loop, too; with Exchange, which has one reader, "
                "it writes them.",
                _PINNED,
                "AtomicValue does not compile for a struct of three doubles: the processor cannot "
                "read it at once.",
            ),
        ),
        Exercise(
            name="2-3",
            title="A queue",
            slice=QUEUE,
            others=(LOOP,),
            seconds=15,
            variants=(
                Variant("mutex", "queue and std::mutex", "3.41 ms"),
                Variant("ring", "SpscRing", "5 µs"),
            ),
            judge=_queue,
            explanations=(
                f"{_PENDULUM} It hands a sample to an ordinary thread in each cycle. That "
                "thread takes all samples each 10 ms and works for 200 µs with each; with the "
                "mutex it holds it meanwhile.",
                _PINNED,
            ),
        ),
        Exercise(
            name="3-1",
            title="ROS 2's default executor",
            slice=FIRST_TO_LAST,
            others=_CAMERA_SLICES,
            seconds=20,
            variants=(
                Variant(
                    "stock",
                    "ROS 2's order",
                    "7.6 / 10.2 / 13.4 ms",
                    stress=False,
                    schedule="stock_realtime",
                ),
                Variant(
                    "detector_first",
                    "by priority",
                    stress=False,
                    schedule="detector_first",
                ),
            ),
            judge=_default_executor,
            explanations=(
                _CAMERA,
                "The presenters' logger went first in 1,327 of 1,328 images.",
                "The thread of logger and detector has FIFO 20, so that other programs do not "
                "disturb it: a real-time priority does not help where the order is wrong.",
            ),
            cyclic=False,
        ),
        Exercise(
            name="3-2",
            title="Priorities of callbacks",
            slice=END_TO_END,
            others=_CAMERA_SLICES,
            seconds=20,
            variants=(
                Variant("stock", "ROS 2's order, idle", stress=False, schedule="stock"),
                Variant("stock", "ROS 2's order, load", schedule="stock"),
                Variant(
                    "following_pool",
                    "following pool, idle",
                    stress=False,
                    schedule="following_pool",
                ),
                Variant(
                    "following_pool",
                    "following pool, load",
                    "4.17 / 4.40 / 5.87 ms",
                    schedule="following_pool",
                ),
                Variant("planned", "takt plan, idle", stress=False, schedule=PLANNED),
                Variant("planned", "takt plan, load", schedule=PLANNED),
            ),
            judge=_priorities,
            explanations=(
                _CAMERA,
                "Following pool: threads take the priority of their callback, as in the "
                "workshop's own executor. takt plan: its schedule for "
                "examples/workshop/system.yaml.",
                "At best the delay is 3.15 ms: the detector's and the actuation's work.",
            ),
            cyclic=False,
        ),
        Exercise(
            name="4-1",
            title="A real-time timer",
            slice=PERIOD,
            others=("DataLogger", "ObjectDetect"),
            seconds=20,
            variants=(
                Variant("timer_stock", "one thread", "24–39 ms", False, "timer_stock"),
                Variant(
                    "timer_own_thread",
                    "timer at FIFO 90",
                    "33.2–33.4 ms",
                    False,
                    "timer_own_thread",
                ),
            ),
            judge=_timer,
            explanations=(f"{_CAMERA} Here the logger uses its core for 20 to 35 ms.",),
            cyclic=False,
        ),
        Exercise(
            name="4-2",
            title="A real-time chain",
            slice=END_TO_END,
            others=_CAMERA_SLICES,
            seconds=20,
            variants=(
                Variant("stock", "one executor", "9–14 ms", False, "stock"),
                Variant(
                    "realtime_chain",
                    "chain at FIFO 60",
                    "3.1–3.8 ms",
                    False,
                    "realtime_chain",
                ),
                Variant(
                    "groups_on_two_executors",
                    "two executors",
                    "3.1–3.8 ms",
                    False,
                    "groups_on_two_executors",
                ),
            ),
            judge=_chain,
            explanations=(f"{_CAMERA} Here the logger uses its core for 5 to 10 ms.",),
            cyclic=False,
        ),
    )
}
