"""Runs of the workshop's exercises with known slices; in those of GOOD all claims hold."""

from __future__ import annotations

from support.schemas import example
from takt_cli.verbs.experiment.workshop_claims import FRAME, MS, US
from takt_cli.verbs.experiment.workshop_program import Run

CYCLES = 10_000


def slices(name, durations, owner="a thread", begins=None, held_up=None):
    count = len(durations)
    return example(
        "workshop#slice",
        name=name,
        owner=owner,
        begins_ns=list(begins or range(count)),
        durations_ns=list(durations),
        held_up=list(held_up or [False] * count),
    )


def run(*those, cycles=CYCLES, **more):
    """Make a run of that many milliseconds on one core."""
    fields = {
        "overruns": 0,
        "overruns_in_stalls": 0,
        "dropped": 0,
        "allocations": 0,
        "refused": [],
        "stalls_seen": True,
        "stalls_without_room": 0,
        "cores": [0],
        "duration_ns": cycles * MS,
        **more,
    }
    return Run.read(example("workshop", slices=list(those), **fields))


def camera(delays_ms, logger_first=True, held_up=None, **more):
    """Make a run with images that took so long."""
    taken = [round(number * FRAME) for number in range(len(delays_ms))]
    logger, detector = (100_000, 6 * MS) if logger_first else (3 * MS, 100_000)
    return run(
        slices("EndToEndDelay", [round(ms * MS) for ms in delays_ms], "actuation", taken, held_up),
        *(
            one
            for owner, name, delay in (
                ("data_logger", "DataLogger", logger),
                ("object_detect", "ObjectDetect", detector),
            )
            for one in (
                slices("MessageDelay", [delay] * len(taken), owner, taken),
                slices(name, [3 * MS] * len(taken), owner, [one + delay for one in taken]),
            )
        ),
        **{"duration_ns": len(taken) * FRAME, **more},
    )


def periods(*ms, times=10, **more):
    """Make a run with periods that were so far off, each so many times."""
    off = [FRAME + round(one * MS) for one in ms * times]
    return run(slices("period", off, "camera"), **{"duration_ns": len(off) * FRAME, **more})


def one(name, longest, count=CYCLES, stalled=0, **more):
    """Make a run with one long slice; the first ones are in host stalls."""
    durations = [5 * US] * (count - 1) + [longest]
    held_up = [True] * stalled + [False] * (count - stalled)
    return run(slices(name, durations, held_up=held_up), **more)


GOOD = {
    "1": {
        "other": one("Wakeup", 9 * MS, overruns=5),
        "fifo": one("Wakeup", 100 * US),
        "raw_other": one("Wakeup", 5 * MS),
        "raw_fifo": one("Wakeup", 50 * US),
    },
    "2-1": {
        "mutex": one("GetDesiredPosition", 5 * MS),
        "atomic": one("GetDesiredPosition", 6 * US),
    },
    "2-2": {
        "mutex": one("GetPIDConstants", 15 * MS),
        "pi_mutex": one("GetPIDConstants", 287 * US),
        "latest": one("GetPIDConstants", 1 * US),
        "try_lock": one("GetPIDConstants", 2 * US),
        "compare_and_swap": one("GetPIDConstants", 1 * US),
    },
    "2-3": {"mutex": one("UpdateQueue", 3 * MS), "ring": one("UpdateQueue", 5 * US)},
    "3-1": {
        "stock-idle": camera([11] * 99),
        "rclcpp-idle": camera([11] * 99),
        "detector_first-idle": camera([4] * 99, False),
    },
    "3-2": {
        f"{name}{load}": camera([delay] * 50)
        for name, delay in (("stock", 11), ("following_pool", 5.9), ("planned", 3.9))
        for load in ("", "-idle")
    },
    "4-1": {
        "timer_stock-idle": periods(-8, 6),
        "timer_own_thread-idle": periods(-0.14, 0.14),
    },
    "4-2": {
        "stock-idle": camera([10] * 9),
        "realtime_chain-idle": camera([3.9] * 9),
        "groups_on_two_executors-idle": camera([3.9] * 9),
    },
}
