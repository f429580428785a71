"""Processes as `takt top` sees them: figures that grow from one look to the next."""

from __future__ import annotations

import copy
from typing import Any

from support.fake_control import ERROR, RESULT, FakeProcess

STATISTICS = 17
S = 10**9
MS = 10**6


def distribution(count=0, mean=None, largest=None, **more):
    """Give the durations of `count` runs."""
    known = count > 0
    return {
        "count": count, "min_ns": 1000 if known else None, "mean_ns": mean, "stddev_ns": None,
        "p50_ns": None, "p99_ns": largest if count >= 1000 else None, "max_ns": largest, **more,
    }  # fmt: skip


def thread(name, number=0, **more):
    """Give an executor thread that has done nothing yet."""
    return {
        "number": number, "name": name, "tid": 1000 + number, "policy": "other", "priority": 0,
        "nice": 0, "cores": [0, 1], "asked_differs": False, "running": None, "on_cpu_ns": 0,
        "run_queue_delay_ns": 0, "voluntary_switches": 0, "involuntary_switches": 0,
        "minor_faults": 0, "major_faults": 0, "migrations": 0, **more,
    }  # fmt: skip


def callback(id_, **more):
    """Give a callback that has not run yet."""
    return {
        "id": id_, "kind": "timer", "group": "/n:group(default)", "threads": ["rest"],
        "chains": [], "priority": 0, "effective_priority": 0, "depth": 0, "waiting": 0,
        "largest_waiting": 0, "oldest_age_ns": None, "arrivals": 0, "starts": 0, "empty_takes": 0,
        "overwritten": 0, "lost": None, "skipped_periods": 0, "exceptions": 0,
        "arrival_rate_hz": None, "service_rate_hz": None, "deadline_ns": None, "misses": 0,
        "consecutive_misses": 0, "largest_consecutive_misses": 0, "misses_in_window": [0, 1],
        "budget_ns": None, "overruns": 0, "response": distribution(), "execution": distribution(),
        "start_delay": distribution(), **more,
    }  # fmt: skip


def chain(name, **more):
    """Give a chain without an activation."""
    return {
        "name": name, "path": [], "priority": 0, "deadline_ns": None, "activations": 0,
        "overdue": 0, "misses": 0, "consecutive_misses": 0, "largest_consecutive_misses": 0,
        "misses_in_window": [0, 1], "response": distribution(), **more,
    }  # fmt: skip


def statistics(program, threads=(), callbacks=(), chains=(), **more):
    """Give all figures of a process with one executor."""
    executor = {
        "name": "main", "spinning": True, "threads": list(threads), "callbacks": list(callbacks),
        "chains": list(chains),
    }  # fmt: skip
    return {
        "schema": 1, "pid": 1, "program": program, "host": "robot", "time_ns": 100 * S,
        "realtime_ns": 5, "since_ns": 90 * S, "rmw": "rmw_fastrtps_cpp", "unknown": [],
        "executors": [executor],
        "alarms": {"raised": 0, "cleared": 0, "active": 0}, **more,
    }  # fmt: skip


def camera():
    """Give a process with one callback, which publishes images."""
    return statistics(
        "/opt/robot/lib/camera",
        [thread("rest", 1, on_cpu_ns=70 * MS)],
        [callback("/camera:timer(33ms)", starts=300, execution=distribution(300, 2e6, 3e6))],
        unknown=["lost: this front end knows no publication sequence numbers"],
    )


def camera_later():
    """Give the same one a second later."""
    told = camera() | {"time_ns": 101 * S}
    told["executors"][0]["threads"][0] |= {"on_cpu_ns": 135 * MS, "voluntary_switches": 30}
    runs = distribution(330, 2e6, 3e6)
    told["executors"][0]["callbacks"][0] |= {"starts": 330, "execution": runs}
    return told


def fusion():
    """Give a process with two chains, 10 s after watching began."""
    return statistics(
        "/opt/robot/lib/fusion",
        [
            thread("hot", 2, policy="fifo", priority=80, cores=[1], on_cpu_ns=2 * S),
            thread("rest", 3, asked_differs=True, on_cpu_ns=S, run_queue_delay_ns=100 * MS),
        ],
        [
            callback(
                "/fusion:sub(/points)", kind="subscription", threads=["hot"], chains=["brake"],
                priority=100, effective_priority=200, depth=10, waiting=1, oldest_age_ns=3 * MS,
                arrivals=1000, starts=1000, lost=0, deadline_ns=20 * MS, misses=3,
                response=distribution(1000, 6e6, 25e6), execution=distribution(1000, 4e6, 9e6),
            ),
            callback(
                "/fusion:timer(1s)", starts=10, response=distribution(10, 2e6, 4e6),
                execution=distribution(10, 1e6, 2e6),
            ),
        ],
        [
            chain("brake", deadline_ns=50 * MS, activations=1000, misses=3, priority=200,
                  response=distribution(1000, 30e6, 61e6)),
            chain("display", activations=100, response=distribution(100, 80e6, 95e6)),
        ],
    )  # fmt: skip


def fusion_later():
    """Give the same one a second later: slower, and with misses."""
    told = fusion() | {"time_ns": 101 * S}
    executor = told["executors"][0]
    hot, rest = executor["threads"]
    running = {"callback": "/fusion:sub(/points)", "since_ns": 101 * S - 4 * MS}
    hot |= {"on_cpu_ns": 2 * S + 420 * MS, "voluntary_switches": 101, "running": running}
    rest |= {"on_cpu_ns": S + 50 * MS, "run_queue_delay_ns": 125 * MS, "involuntary_switches": 12,
             "minor_faults": 2, "migrations": 1}  # fmt: skip
    points, timer = executor["callbacks"]
    points |= {
        "arrivals": 1110,
        "starts": 1100,
        "waiting": 10,
        "overwritten": 1,
        "misses": 5,
        "oldest_age_ns": 90 * MS,
        # 100 more runs of 15 ms, whose execution took 8 ms.
        "response": distribution(1100, (6e6 * 1000 + 15e6 * 100) / 1100, 25e6),
        "execution": distribution(1100, (4e6 * 1000 + 8e6 * 100) / 1100, 9e6),
    }
    timer |= {
        "starts": 11, "response": distribution(11, 2e6, 4e6),
        "execution": distribution(11, 1e6, 2e6),
    }  # fmt: skip
    brake, display = executor["chains"]
    brake |= {
        "activations": 1100, "misses": 5, "consecutive_misses": 2,
        "response": distribution(1100, (30e6 * 1000 + 40e6 * 100) / 1100, 61e6),
    }  # fmt: skip
    display |= {"activations": 110, "response": distribution(110, 80e6, 95e6)}
    told["alarms"] |= {"raised": 1, "active": 1}
    return told


class FakeStatistics(FakeProcess):
    """Answers `statistics` with each look in turn, and with the last one from then on."""

    def __init__(self, folder, pid, *looks: Any) -> None:
        """`looks`: documents; or bytes, which it sends as they are."""
        self.looks = [copy.deepcopy(look) for look in looks]
        super().__init__(folder, pid, {})
        self.others = self.tell

    def tell(self, kind, _request):
        """Answer one message."""
        if kind != STATISTICS:
            return ERROR, {"faults": [f"message {kind} is unknown"]}
        look = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]
        return look if isinstance(look, bytes) else (RESULT, look)
