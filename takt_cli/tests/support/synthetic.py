"""Results as the runner writes them, made up: for tests that run without ROS."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

EPOCH_NS = 1_000_000_000_000
MS = 1_000_000


def results(
    *,
    graph: str = "autoware_reference",
    label: str = "",
    chains: Sequence[Mapping[str, Any]] = (),
    duration_s: float = 10,
    spread: float = 0.1,
    threads: int = 2,
    policy: str = "other",
    floor_ms: float = 36.0,
    seed: int = 1,
    order: str = "priority",
    stalls: int = 1,
    stale: int = 0,
    skipped: int = 0,
    work_scale: float = 1.0,
    phases: str = "fixed",
) -> dict[str, Any]:
    """Times are `base x (1 + spread x Exp)`; some samples lie in a stall."""
    rng = random.Random(seed)
    chains = chains or [
        {"name": "front_lidar", "base_ms": 40, "period_ms": 100, "deadline_ms": 100, "priority": 9},
        {"name": "route", "base_ms": 20, "period_ms": 60, "deadline_ms": None, "priority": 2},
    ]
    hot = _times(rng, int(duration_s * 10), floor_ms, spread)
    hot_at = [EPOCH_NS + int((i + 1) * 100 * MS) for i in range(len(hot))]
    return {
        "version": 1,
        "graph": graph,
        "label": label,
        "schedule": None,
        "order": order,
        "host": {"cores": [0, 1], "kernel": "6.1", "realtime_allowed": True, "autogroup": False},
        "duration_ns": int(duration_s * 1e9),
        "warmup_ns": 10**9,
        "epoch_ns": EPOCH_NS,
        "phases": phases,
        "seed": seed,
        "work_scale": work_scale,
        "threads": [_thread(i, policy, duration_s, rng) for i in range(threads)] + [_helper()],
        "callbacks": [_callback(skipped)],
        "chains": [_chain(rng, chain, duration_s, spread, stalls) for chain in chains],
        "kpis": {
            "hot_path": {
                "latency_ns": hot,
                "from_due_ns": hot,
                "at_ns": hot_at,
                "floor_ns": int(floor_ms * MS),
                "stalled": [1 if i in range(stalls) else 0 for i in range(len(hot))],
                "drops": 0,
                "parts": {
                    "work": {"count": len(hot), "p50": int(floor_ms * MS)},
                    "held_up": {"count": len(hot), "p50": int(floor_ms * MS * 0.0025)},
                    "publishing": {"count": len(hot), "p50": int(floor_ms * MS * 0.01)},
                    "handing_over": {"count": len(hot), "p50": int(floor_ms * MS * 0.005)},
                },
            },
            "planner": {
                "period_ns": [100 * MS] * 99,
                "start_lateness_ns": _times(rng, 99, 0.2, spread),
                "at_ns": hot_at[:99],
                "cycles": 100,
                "stale_cycles": stale,
            },
            "reference_timer": {"lateness_ns": []},
            "skipped_periods": skipped,
        },
        "load": {"asked": 1.7, "applied": 1.69},
        "stalls": [
            {"core": 0, "begin_ns": EPOCH_NS + i * 10**9, "end_ns": EPOCH_NS + i * 10**9 + 5 * MS}
            for i in range(stalls)
        ],
        "messages": {},
        "warnings": [],
    }


def _times(rng: random.Random, count: int, base_ms: float, spread: float) -> list[int]:
    return [int(base_ms * MS * (1 + spread * rng.expovariate(1))) for _ in range(count)]


def _chain(
    rng: random.Random, chain: Mapping[str, Any], duration_s: float, spread: float, stalls: int
) -> dict[str, Any]:
    period = chain["period_ms"] * MS
    count = int(duration_s * 1e9 / period)
    responses = _times(rng, count, chain["base_ms"], spread)
    deadline = chain["deadline_ms"] * MS if chain["deadline_ms"] else None
    return {
        "name": chain["name"],
        "path": chain.get("path") or ["/a:timer(100ms)", "/b:sub(/a)", "/c:sub(/b)"],
        "priority": chain["priority"],
        "deadline_ns": deadline,
        "released": count,
        "completed": count,
        "missed_deadlines": sum(r > deadline for r in responses) if deadline else 0,
        "responses_ns": responses,
        "releases_ns": [EPOCH_NS + (i + 1) * period for i in range(count)],
        "stalled": [1 if i < stalls else 0 for i in range(count)],
    }


def _thread(index: int, policy: str, duration_s: float, rng: random.Random) -> dict[str, Any]:
    asked = f"{policy}{' 80' if policy == 'fifo' else ''}, core {index}"
    return {
        "process": 0,
        "name": f"worker.{index}",
        "tid": 100 + index,
        "executor": True,
        "asked": asked,
        "granted": asked,
        "faults": [],
        "cpu_ns": int(duration_s * 1e9 * rng.uniform(0.5, 0.9)),
        "run_queue_wait_ns": int(duration_s * 1e8 * rng.random()),
        "voluntary_switches": rng.randrange(1000, 2000),
        "involuntary_switches": rng.randrange(100),
    }


def _helper() -> dict[str, Any]:
    return {
        "process": 0, "name": "dds.ev", "tid": 99, "executor": False, "asked": "",
        "granted": "", "faults": [], "cpu_ns": 10 * MS, "run_queue_wait_ns": 0,
        "voluntary_switches": 50, "involuntary_switches": 1,
    }  # fmt: skip


def _callback(skipped: int) -> dict[str, Any]:
    return {
        "id": "/a:timer(100ms)", "node": "/a", "kind": "timer", "count": 100,
        "skipped_periods": skipped, "overwritten": 0, "lost_messages": 0, "start_delay": {},
        "execution": {}, "response": {}, "cpu_ns_total": 0,
    }  # fmt: skip
