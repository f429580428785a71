"""The exercises of the workshop: their variants and the presenters' figures.

The exercises are those of the ROSCon 2023 workshop on real-time programming. Its presenters
measured on a Raspberry Pi 4 with PREEMPT_RT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from takt_cli.verbs.experiment import workshop_claims as claims
from takt_cli.verbs.experiment.workshop_claims import (
    CONSTANTS,
    LOOP,
    NOTHING,
    PERIOD,
    POSITION,
    QUEUE,
    SLEEP,
    WAKEUP,
    Claim,
    Runs,
)
from takt_cli.verbs.experiment.workshop_program import END_TO_END, FIRST_TO_LAST

_PENDULUM = "The controller of an inverted pendulum runs at 1 kHz under SCHED_FIFO 80."
_PINNED = (
    "Both threads and a busy one share the first core: an ordinary thread that loses its core "
    "while it holds a mutex of the controller keeps the controller waiting."
)
_EMPTY = (
    "Nothing: an empty slice beside each of the controller's. What it takes is the machine's: "
    "where empty slices are beyond a limit, too, the claim is not judged."
)
_CAMERA = (
    "A camera of 30 Hz publishes images from a thread of its own at FIFO 90, but in exercise "
    "4-1. A logger and an object detector take them, in two groups of one node. The logger "
    "subscribes first, uses its core for 1 to 10 ms and sleeps for 1 ms; the detector uses it "
    "for 3 ms, and publishes for an actuation of 0.15 ms. The nodes are takt_rcl's."
)
_FIFO_20 = (
    "In the wrong variant the thread of logger and detector has FIFO 20, so that other programs do "
    "not disturb it."
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

_FROM_99 = (
    "a slice is in a host stall where a thread of priority 99 on the core came more than 0.3 ms "
    "late, or work stood still for 0.1 ms, and the kernel ran no other thread meanwhile"
)


@dataclass(frozen=True)
class Variant:
    """A way of running an exercise."""

    name: str  # as takt_workshop has it
    words: str
    presenters: str = "–"  # their worst time of the judged slice
    stress: bool = True
    schedule: str = ""  # of the shipped ones
    of_rclcpp: bool = False  # measured only where takt is built with rclcpp

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
    excluded: str = _FROM_99  # which slices are in host stalls, and so not in the figures


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
                Variant("fifo", "SCHED_FIFO 80", "avg 16.1 µs, max 31 µs"),
                Variant("raw_other", "raw loop, OTHER"),
                Variant("raw_fifo", "raw loop, FIFO 80"),
            ),
            judge=claims.wakeups,
            explanations=(
                "A cyclic thread on each core runs at 1 kHz and works for 200 µs. A busy "
                "thread of SCHED_OTHER keeps each core in use. Wakeup: from a cycle's release "
                "to the moment at which its thread runs. A wake-up that is a period late "
                "misses that period: LoopOverrun.",
            ),
            excluded="a wake-up is in a host stall if it came more than 0.3 ms late and the kernel "
            "ran no other thread for most of that time: max has no such wake-up",
        ),
        Exercise(
            name="2-1",
            title="One value",
            slice=POSITION,
            others=(LOOP, NOTHING),
            seconds=15,
            variants=(
                Variant("mutex", "std::mutex", "4.997 ms"),
                Variant("atomic", "AtomicValue", "6 µs"),
            ),
            judge=claims.one_value,
            explanations=(
                f"{_PENDULUM} It reads the wanted angle, which an ordinary thread sets in a tight "
                "loop.",
                _PINNED,
                _EMPTY,
            ),
        ),
        Exercise(
            name="2-2",
            title="A struct of three values",
            slice=CONSTANTS,
            others=(LOOP, NOTHING),
            seconds=15,
            variants=(
                Variant("mutex", "std::mutex", "15.269 ms"),
                Variant("pi_mutex", "PiMutex", "287 µs"),
                Variant("latest", "Exchange"),
                Variant("try_lock", "try_lock"),
                Variant("compare_and_swap", "compare-and-swap"),
            ),
            judge=claims.three_values,
            explanations=(
                f"{_PENDULUM} It reads the three constants of its PID controller. An ordinary "
                "thread reads them in a tight loop, too; with Exchange, which has one reader, and "
                "with compare-and-swap it writes them.",
                "try_lock: while the ordinary thread has the mutex, the controller uses the "
                "constants that it has. Compare-and-swap: the ordinary thread repeats its own "
                "while the controller reads.",
                _PINNED,
                _EMPTY,
                "AtomicValue does not compile for a struct of three doubles: the processor cannot "
                "read it at once.",
            ),
        ),
        Exercise(
            name="2-3",
            title="A queue",
            slice=QUEUE,
            others=(LOOP, NOTHING),
            seconds=15,
            variants=(
                Variant("mutex", "queue and std::mutex", "3.41 ms"),
                Variant("ring", "SpscRing", "5 µs"),
            ),
            judge=claims.queue,
            explanations=(
                f"{_PENDULUM} It hands a sample to an ordinary thread in each cycle. That "
                "thread takes all samples each 10 ms and works for 200 µs with each; with the "
                "mutex it holds it meanwhile.",
                _PINNED,
                _EMPTY,
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
                Variant("rclcpp", "rclcpp's executor", stress=False, of_rclcpp=True),
                Variant(
                    "detector_first",
                    "by priority",
                    stress=False,
                    schedule="detector_first",
                ),
            ),
            judge=claims.default_executor,
            explanations=(
                _CAMERA,
                "rclcpp's executor: the same callbacks in nodes of rclcpp, on its "
                "SingleThreadedExecutor. Since Iron a hash table of addresses decides there which "
                "of two subscriptions goes first; the detector's message waits for the other one "
                "all the same, because the executor looks for messages only when it has run all "
                "that it found.",
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
            judge=claims.priorities,
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
            judge=claims.timer,
            explanations=(f"{_CAMERA} Here the logger uses its core for 20 to 35 ms.", _FIFO_20),
            cyclic=False,
            excluded="a period is in a host stall where, at one of its ends, a thread of priority "
            "99 that was due with the timer came more than 0.1 ms late and the kernel ran no other "
            "thread meanwhile",
        ),
        Exercise(
            name="4-2",
            title="A real-time chain",
            slice=END_TO_END,
            others=_CAMERA_SLICES,
            seconds=20,
            variants=(
                Variant("stock", "one executor", "9–14 ms", False, "stock_realtime"),
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
            judge=claims.chain,
            explanations=(f"{_CAMERA} Here the logger uses its core for 5 to 10 ms.", _FIFO_20),
            cyclic=False,
        ),
    )
}
