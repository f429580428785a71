"""Wake-up latencies as one JSON document; times in ns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from takt_cli.base.version import VERSION
from takt_cli.running.host import Host
from takt_cli.verbs.latency.measurement import LatencySetting
from takt_cli.verbs.latency.results import Cycles, LatencyRun, Thread
from takt_cli.verbs.latency.table import PERCENTILES, ratio, sentences


def latency_document(
    runs: Sequence[LatencyRun], setting: LatencySetting, words: str, host: Host, command: str
) -> dict[str, Any]:
    """Give all results for programs; `words` describe the setting."""
    return {
        "takt": VERSION,
        "kind": "latency",
        "command": command,
        "host": host.as_json(),
        "interval_ns": setting.interval_ns,
        "load": setting.load,
        "host_stalls_marked": host.virtual,
        "sentences": sentences(runs, words, host.virtual),
        "runs": [
            {
                "name": run.name,
                "measured_ns": run.measured_ns,
                "ended_early": run.ended_early,
                "memory_locked": run.memory_locked,
                "refused": list(run.refused),
                "ratio_to_first": ratio(run.total.ordinary, runs[0].total.ordinary),
                "ratio_to_first_with_stalls": ratio(run.total.all, runs[0].total.all),
                "threads": [_thread_json(thread) for thread in (*run.threads, run.total)],
            }
            for run in runs
        ],
    }


def _thread_json(thread: Thread) -> dict[str, Any]:
    return {
        "name": thread.name,
        "asked": thread.asked,
        "granted": thread.granted,
        "at_end": thread.at_end,
        "page_faults": thread.page_faults,
        "unexplained": thread.unexplained,
        "outside_host_stalls": _cycles_json(thread.ordinary),
        "all": _cycles_json(thread.all),
    }


def _cycles_json(cycles: Cycles) -> dict[str, Any]:
    return {
        "count": cycles.count,
        "min_ns": cycles.min_ns if cycles.count else None,
        "avg_ns": cycles.mean_ns,
        **{f"p{percent:g}_ns": cycles.percentile(percent) for percent in PERCENTILES},
        "max_ns": cycles.max_ns if cycles.count else None,
        "overruns": cycles.overruns,
        "buckets": [list(bucket) for bucket in cycles.buckets],
    }
