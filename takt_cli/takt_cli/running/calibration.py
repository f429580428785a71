"""The costs of a callback's run beside its own work, measured with a graph without work.

Two timers are due at once on one real-time thread. The message of the first timer starts a
callback, whose message starts another one. The time between the end of a run and the begin of a
ready one is the cost of dispatch and of taking a message. The time of a run without work is the
cost of publishing. The delay of the first run of a period is a wake-up of the thread.
docs/calibrate.md explains it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from takt_cli.base.callback_ids import kind_of
from takt_cli.base.errors import TaktError
from takt_cli.results.records import Records, read_records
from takt_cli.results.samples import Samples, as_samples, percentile
from takt_cli.running.host import measure_host
from takt_cli.running.runner import RunRequest, run

GRAPH = """version: 1
name: calibration
message: {message}
defaults: {{work: 0ms, depth: 1}}
nodes:
  - {{name: First, kind: sensor, period: 5ms}}
  - {{name: Second, kind: sensor, period: 5ms}}
  - {{name: Worker, kind: transform, input: First}}
  - {{name: Sink, kind: command, input: Worker, depth: 10}}
"""
SCHEDULE = """version: 1
executors:
  main:
    order: fifo
    threads:
      only: {{policy: fifo, priority: 80, cores: [{core}]}}
    default: only
"""
_LEAST = 100  # of each kind; with fewer the worst is unknown


@dataclass(frozen=True)
class Calibration:
    """Samples in ns."""

    dispatch: Samples
    take: Samples
    publish: Samples
    wake_up: Samples  # the thread's wake-up when a timer is due
    wake_up_cross_core: Any  # by another thread, as in host.json; None: there is one core

    def overheads(self, percent: float) -> dict[str, int]:
        """Give the overheads of a system model, in ns: `percent` of all runs cost no more."""
        cross = self.wake_up_cross_core
        return {
            "dispatch": round(_at(self.dispatch, percent)),
            "middleware": round(max(_at(self.publish, percent), _at(self.take, percent))),
            "context_switch": round(cross.p99 or 0.0) if cross else 0,
        }

    def jitter(self, percent: float) -> int:
        """Give the lateness of a timer's thread in ns; `percent` of all wake-ups are not later."""
        return round(_at(self.wake_up, percent))


def _at(samples: Samples, percent: float) -> float:
    """Give the percentile, or the maximum where too few samples lie beyond it."""
    value = percentile(samples, percent)
    return float(samples.max()) if value is None else value  # 0 is a value


@dataclass(frozen=True)
class _Run:
    timer: bool
    publishes: bool
    release: int
    start: int
    end: int


def measure(core: int, duration_ns: int, message: str) -> Calibration:
    """Run the graph on that core, at SCHED_FIFO; takes a little longer than `duration_ns`."""
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        directory = Path(scratch)
        graph, schedule = directory / "graph.yaml", directory / "schedule.yaml"
        graph.write_text(GRAPH.format(message=message))
        schedule.write_text(SCHEDULE.format(core=core))
        records = directory / "records.json"
        run(
            RunRequest(
                graph=graph,
                output=directory / "results.json",
                schedule=schedule,
                duration_ns=duration_ns,
                records=records,
                witness="off",  # it would preempt the measured thread
            )
        )
        found = read_records(records)
    cross = measure_host().wake_up_cross_core_ns
    return from_records(found, cross)


def from_records(records: Records, cross_core: Any) -> Calibration:
    """Tell the costs from the records of such a run."""
    dispatch: list[int] = []
    take: list[int] = []
    wake_up: list[int] = []
    runs = _runs(records)
    for before, this in pairwise(runs):
        gap = this.start - before.end
        if this.release <= before.end:  # it was ready
            (dispatch if this.timer else take).append(gap)
        elif this.timer:
            wake_up.append(this.start - this.release)
    publish = [one.end - one.start for one in runs if one.publishes]
    found = {"dispatch": dispatch, "take": take, "publish": publish, "wake-up": wake_up}
    for name, samples in found.items():
        if len(samples) < _LEAST:
            raise TaktError(
                f"only {len(samples)} samples of {name}; {_LEAST} are needed, so measure for longer"
            )
    usual = percentile(as_samples(dispatch), 50) or 0.0
    return Calibration(
        as_samples(dispatch),
        as_samples(max(gap - usual, 0.0) for gap in take),
        as_samples(publish),
        as_samples(wake_up),
        cross_core,
    )


def _runs(records: Records) -> Sequence[_Run]:
    rows = records.rows("published", "release_ns", "start_ns", "end_ns")
    return sorted(
        (
            _Run(kind_of(id_) == "timer", bool(published), release, start, end)
            for id_, (published, release, start, end) in rows
        ),
        key=lambda one: one.start,
    )
