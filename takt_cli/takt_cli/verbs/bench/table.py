"""The table of a benchmark program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from takt_cli.base.units import human
from takt_cli.tables.table import Cell, Table
from takt_cli.verbs.bench.programs import Outcome

_TO_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_PLAIN_KEYS = frozenset(
    "name run_name run_type family_index per_family_instance_index repetitions repetition_index "
    "threads iterations real_time cpu_time time_unit aggregate_name aggregate_unit".split()
)


def bench_table(name: str, outcome: Outcome) -> Table:
    """One row per benchmark, counters of any name as columns."""
    runs = repeated_once(outcome.measured.get("benchmarks", ()))
    counters = sorted({key for run in runs for key in run if key not in _PLAIN_KEYS})
    numeric = [key for key in counters if any(isinstance(r.get(key), int | float) for r in runs)]
    table = Table(name, ["benchmark", "time", "CPU", *numeric])
    table.notes.extend(map(str, outcome.limits))
    for run in runs:
        factor = _TO_NS.get(str(run.get("time_unit", "ns")), 1.0)
        if run.get("error_occurred"):
            table.add(str(run["name"]), Cell("failed", "bad"), "", *[""] * len(numeric))
            table.notes.append(f"{run['name']}: {run.get('error_message', '')}")
            continue
        values = [run.get(key) for key in numeric]
        table.add(
            str(run.get("run_name", run["name"])),
            human(float(run.get("real_time", 0)) * factor),
            human(float(run.get("cpu_time", 0)) * factor),
            *("" if v is None or isinstance(v, bool | str) else f"{v:,.4g}" for v in values),
        )
    return table


def repeated_once(runs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Take the median of repeated benchmarks, and single ones as they are."""
    medians = [run for run in runs if run.get("aggregate_name") == "median"]
    done = {run.get("run_name") for run in medians}
    single = [
        run
        for run in runs
        if run.get("run_type") != "aggregate" and run.get("run_name") not in done
    ]
    return [*medians, *single]
