"""Made-up documents of `takt_trace report`: the same seed gives the same document."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

PARTS = ("middleware", "group", "queue", "core", "ran", "blocked")
MS = 1_000_000
CAMERA, FUSION = 4710, 4711
MAP, PLAN = "/mapping/map:timer(100ms)", "/planning/planner:sub(/map)"
PATH = [
    "/sensing/camera:timer(33ms)",
    "/perception/fusion:sub(/sensing/image)",
    "/control/brake:sub(/perception/objects)",
]


def distribution(values: Iterable[float]) -> dict[str, Any]:
    """Count, mean and the percentiles that have ten values beyond them."""
    ranked = sorted(values)
    count = len(ranked)
    mean = sum(ranked) / count if count else None

    def at(part: float, least: int) -> float | None:
        return ranked[int(part * count)] if count >= least else None

    return {
        "count": count,
        "min_ns": ranked[0] if count else None,
        "mean_ns": mean,
        "stddev_ns": 0 if count else None,
        "p50_ns": at(0.5, 20),
        "p99_ns": at(0.99, 1000),
        "max_ns": ranked[-1] if count else None,
    }


def split(**parts: int) -> dict[str, int]:
    """Give the parts of a time; the others are zero."""
    return {f"{part}_ns": parts.get(part, 0) for part in PARTS}


def total(splits: Sequence[dict[str, int]]) -> dict[str, int]:
    """Add splits up."""
    return {name: sum(one[name] for one in splits) for name in split()}


def activation(chance: random.Random, release: int) -> dict[str, Any]:
    """Make one of the three steps of PATH: on two threads, with all kinds of waits."""

    def ms(low: float, high: float) -> int:
        return int(chance.uniform(low, high) * MS)

    def run(pid: int, tid: int, thread: str, callback: str, begin: int, end: int, own: bool) -> Any:
        return {
            "pid": pid, "tid": tid, "thread": thread, "callback": callback, "start_ns": begin,
            "end_ns": end, "own": own,
        }  # fmt: skip

    late = chance.random() < 0.08
    spent = [
        split(core=ms(0.02, 0.2), ran=ms(1.5, 2.5)),
        split(
            middleware=ms(0.1, 0.3),
            queue=ms(3, 5.5) if late else ms(0, 0.4),
            core=ms(0.3, 0.9) if late else 0,
            ran=ms(1.8, 2.6),
            blocked=ms(0.4, 0.9) if chance.random() < 0.3 else 0,
        ),
        split(middleware=ms(0.1, 0.2), group=ms(0.4, 1) if late else 0, ran=ms(0.4, 0.8)),
    ]
    threads = [(CAMERA, 101, "main"), (FUSION, 201, "hot"), (FUSION, 201, "hot")]
    steps, timeline, at = [], [], release
    for callback, (pid, tid, thread), part in zip(PATH, threads, spent, strict=True):
        begin = at
        arrived = begin + part["middleware_ns"]
        waited = arrived + part["group_ns"] + part["queue_ns"]
        start = waited + part["core_ns"]
        end = start + part["ran_ns"] + part["blocked_ns"]
        blocked_by = []
        if part["queue_ns"] > MS:
            blocked_by = [
                {"what": MAP, "why": "queue", "ns": part["queue_ns"] * 3 // 4},
                {"what": PLAN, "why": "queue", "ns": part["queue_ns"] // 4},
            ]
            middle = arrived + part["queue_ns"] * 3 // 4
            timeline.append(run(pid, tid, thread, MAP, arrived - 3 * MS, middle, False))
            timeline.append(run(pid, tid, thread, PLAN, middle, waited, False))
        if part["core_ns"] > 0.1 * MS:
            other = {"what": "other threads of core 1", "why": "core", "ns": part["core_ns"]}
            blocked_by.append(other)
        if part["group_ns"]:
            what = "/control/brake:timer(50ms)"
            blocked_by.append({"what": what, "why": "group", "ns": part["group_ns"]})
            timeline.append(run(FUSION, 202, "rest-0", what, begin - MS, waited, False))
        steps.append({
            "callback": callback, "pid": pid, "thread": thread, "tid": tid, "core": tid // 100,
            "release_ns": arrived, "picked_ns": waited, "start_ns": start, "end_ns": end,
            "split": part, "blocked_by": blocked_by,
        })  # fmt: skip
        timeline.append(run(pid, tid, thread, callback, start, end, True))
        at = end
    for number in range(2, 6):
        begin = release - MS
        for _ in range(3):
            begin += ms(0.1, 3)
            end = begin + ms(0.2, 1.4)
            what = f"/tools/logger_{number}:timer(5ms)"
            timeline.append(run(FUSION, 300 + number, f"rest-{number}", what, begin, end, False))
            begin = end
    return {
        "release_ns": release, "end_ns": at, "response_ns": at - release, "split": total(spent),
        "steps": steps, "timeline": sorted(timeline, key=lambda one: one["start_ns"]),
    }  # fmt: skip


def account(completed: int, late: int) -> dict[str, Any]:
    """Give the account of a chain whose activations all ended."""
    ways = ("lost", "superseded", "unfinished", "overdue", "skipped")
    return {
        "released": completed, "completed": completed, "late": late, **dict.fromkeys(ways, 0),
        "stops": [], "stopped": [],
    }  # fmt: skip


def stopped(whole: dict[str, Any], *stops: tuple[str, str, int]) -> dict[str, Any]:
    """Add activations that never ended to a chain: kind, callback, number."""
    told = whole["account"]
    for kind, place, count in stops:
        told["stops"].append({"kind": kind, "callback": place, "count": count})
        told["released"] += count
        told["unfinished" if kind == "overdue" else kind] += count
        told["overdue"] += count if kind == "overdue" else 0
        whole["missed"] += count if kind in ("lost", "overdue", "skipped") else 0
        told["stopped"] += [
            {"release_ns": number * MS, "kind": kind, "callback": place, "reason": f"{kind} there"}
            for number in range(min(count, 20 - len(told["stopped"])))
        ]
    return whole


def chain(name: str, activations: int, deadline: int | None, seed: int = 1) -> dict[str, Any]:
    """Make a chain of PATH with this many activations, 33 ms apart."""
    chance = random.Random(seed)
    made = [activation(chance, number * 33 * MS) for number in range(activations)]
    ranked = sorted(made, key=lambda one: -one["response_ns"])
    responses = [one["response_ns"] for one in made]
    whole = total([one["split"] for one in made])
    missed = sum(one > deadline for one in responses) if deadline else 0
    return {
        "name": name,
        "path": PATH,
        "deadline_ns": deadline,
        "activations": activations,
        "missed": missed,
        "account": account(activations, missed),
        "account_why": None,
        "response": distribution(responses),
        "responses": [[one["release_ns"], one["response_ns"]] for one in made],
        "split": {part: ns // max(activations, 1) for part, ns in whole.items()},
        "worst": ranked[:5],
    }


def callback(name: str, count: int, scale: float, seed: int, pid: int = FUSION) -> dict[str, Any]:
    """Make a callback whose runs take `scale` ms about."""
    chance = random.Random(seed)
    times = [int(scale * MS * chance.lognormvariate(0, 0.5)) for _ in range(count)]
    return {
        "id": name,
        "executor": "main",
        "pid": pid,
        "count": count,
        "execution": distribution(times),
        "start_delay": distribution([time // 5 for time in times]),
        "response": distribution([time + time // 5 for time in times]),
        "cpu": distribution([time * 9 // 10 for time in times]),
    }


def document(activations: int = 300) -> dict[str, Any]:
    """Make the report of two processes on two hosts, with all that one may have."""
    ids = [*PATH, MAP, PLAN, "/control/brake:timer(50ms)"]
    return {
        "schema": 1,
        "began_ns": 10**12,
        "ended_ns": 10**12 + max(activations, 1) * 33 * MS,
        "hosts": [
            {"name": "robot1", "clock_uncertainty_ns": 0, "synchronised": True},
            {"name": "robot2", "clock_uncertainty_ns": 31_000, "synchronised": True},
        ],
        "processes": [
            {"pid": CAMERA, "program": "/opt/robot/camera", "host": "robot1", "threads": 1,
             "records": 2408, "dropped": 0},
            {"pid": FUSION, "program": "/opt/robot/fusion", "host": "robot2", "threads": 6,
             "records": 18_311, "dropped": 0},
        ],
        "measured": {"cpu": True, "kernel": True},
        "chains": [
            chain("display", activations, None, 2),
            chain("steer", activations // 2, 40 * MS, 3),
            chain("brake", activations, 10 * MS),
        ],
        "callbacks": [
            callback(name, 1200 if index else 300, 0.3 + 0.7 * index, index)
            for index, name in enumerate(ids)
        ],
        "slices": [
            {"name": "segment", "pid": FUSION, "duration": distribution(range(MS, 3 * MS, 1000))},
            {"name": "cluster", "pid": FUSION, "duration": distribution([5 * MS])},
        ],
        "threads": [
            {"pid": CAMERA, "tid": 101, "name": "main", "executor": "main", "runs": 300,
             "busy_ns": 600 * MS},
            *({"pid": FUSION, "tid": 201 + index, "name": name, "executor": "main",
               "runs": 900 - index, "busy_ns": (3000 - 400 * index) * MS}
              for index, name in enumerate(["hot", "rest-0", "rest-1"])),
        ],
    }  # fmt: skip
