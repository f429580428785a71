"""Reads what `takt_run` writes: results.json, version 1.

Missing fields read as empty, so that results of an older runner can still be shown; a file that is
no result at all is one clear error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from takt_cli.errors import TaktError
from takt_cli.files.inputs import refuse_irregular
from takt_cli.results.run_results import (
    HOT_PARTS,
    CallbackResult,
    ChainResult,
    Flags,
    Kpis,
    Results,
    Series,
    ThreadResult,
)
from takt_cli.results.samples import as_samples

VERSION = 1
_AGAIN = "measure again with `takt run --output`"


def load_complete_results(path: Path) -> Results:
    """Read a results file to compare it with others: of a whole run, something measured."""
    results = load_results(path)
    missing = results.raw.get("incomplete")
    if missing:
        parts = "; ".join(map(str, missing)) if isinstance(missing, list) else str(missing)
        raise TaktError(f"{path}: is incomplete ({parts}); {_AGAIN}")
    if results.nothing_measured:
        raise TaktError(f"{path}: holds nothing, the run ended in its warm-up; {_AGAIN}")
    return results


def load_results(path: Path) -> Results:
    """Read a results file."""
    try:
        refuse_irregular(path, "result")
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TaktError(f"{path}: cannot be read: {error.strerror}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TaktError(f"{path}: is not JSON, or only a part of it; {_AGAIN}") from error
    if not isinstance(raw, dict) or "chains" not in raw or "threads" not in raw:
        raise TaktError(f"{path}: is not a result of `takt run`; it has no chains and threads")
    if raw.get("version") != VERSION:
        raise TaktError(
            f"{path}: has format version {raw.get('version')}; this takt reads {VERSION}"
        )
    try:
        return parse_results(raw)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if os.environ.get("TAKT_DEBUG"):
            raise
        raise TaktError(
            f"{path}: is damaged: it does not hold what `takt run` writes; {_AGAIN}"
        ) from error


def parse_results(raw: Mapping[str, Any]) -> Results:
    """Turn the JSON of one run into typed data."""
    epoch = int(raw.get("epoch_ns") or 0)
    callbacks = tuple(_callback(item) for item in raw.get("callbacks", ()))
    kpis = raw.get("kpis") or {}
    skipped = kpis.get("skipped_periods")
    schedule = raw.get("schedule") or {}
    threads = tuple(_thread(item) for item in raw["threads"])
    return Results(
        graph=str(raw.get("graph", "?")),
        label=str(raw.get("label") or ""),
        schedule=Path(schedule["file"]).stem if schedule else None,
        executors=_executors(schedule),
        order=str(raw.get("order") or "?"),
        thread_count=sum(thread.executor for thread in threads),
        host=raw.get("host") or {},
        duration_ns=_measured_ns(raw),
        warmup_ns=int(raw.get("warmup_ns") or 0),
        epoch_ns=epoch,
        phases=str(raw.get("phases") or "fixed"),
        work_scale=float(raw.get("work_scale") or 1.0),
        threads=threads,
        callbacks=callbacks,
        chains=tuple(_chain(item, epoch) for item in raw["chains"]),
        kpis=_kpis(kpis, epoch),
        skipped_periods=int(skipped)
        if isinstance(skipped, int | float)
        else sum(callback.skipped_periods for callback in callbacks),
        other_cores=raw.get("other_programs_cores"),
        load=raw.get("load") or {},
        stalls=_stalls(raw, epoch),
        defaulted_callbacks=tuple(str(id_) for id_ in raw.get("defaulted_callbacks", ())),
        warnings=tuple(str(warning) for warning in raw.get("warnings", ())),
        raw=raw,
    )


def _executors(schedule: Mapping[str, Any]) -> tuple[str, ...]:
    first = [schedule["name"]] if schedule.get("name") else []
    return tuple(str(name) for name in schedule.get("executors") or first)


def _measured_ns(raw: Mapping[str, Any]) -> int:
    begin, end = raw.get("measured_from_ns"), raw.get("measured_to_ns")
    asked = int(raw.get("duration_ns") or 0)
    return asked if begin is None or end is None else max(0, int(end) - int(begin))


def _stalls(raw: Mapping[str, Any], epoch: int) -> tuple[tuple[int, int, int], ...]:
    """Give what the witness saw of the host in the measured time, cut off at its ends.

    Where work took longer (overrun) its samples are marked, but nobody knows for how long the host
    had the core; `throttled` is the kernel's own doing.
    """
    begin, end = raw.get("measured_from_ns"), raw.get("measured_to_ns")
    found = []
    for stall in raw.get("stalls", ()):
        if stall.get("source", "witness") != "witness":
            continue
        core = stall.get("core")
        # It may have begun a period of the witness earlier; told is what certainly was.
        first, last = int(stall.get("certain_from_ns", stall["begin_ns"])), int(stall["end_ns"])
        first = first if begin is None else max(first, int(begin))
        last = last if end is None else min(last, int(end))
        if first < last:
            found.append((-1 if core is None else int(core), first - epoch, last - epoch))
    return tuple(found)


def _series(values: Any, at: Any, stalled: Any, epoch: int) -> Series:
    numbers = as_samples(values)
    count = len(numbers)
    moments = as_samples(at) - epoch
    return Series(
        values=numbers,
        at_ns=moments if len(moments) == count else np.arange(count, dtype=np.float64),
        stalled=_flags(stalled, count),
    )


def _flags(given: Any, count: int) -> Flags:
    flags = np.asarray(list(given or ()), dtype=bool)
    return flags if len(flags) == count else np.zeros(count, dtype=bool)


def _thread(item: Mapping[str, Any]) -> ThreadResult:
    return ThreadResult(
        name=str(item.get("name") or item.get("tid", "?")),
        process="" if item.get("process") is None else str(item["process"]),
        tid=int(item.get("tid") or 0),
        executor=bool(item.get("executor")),
        asked=attribute_words(item.get("asked")),
        granted=attribute_words(item.get("granted")),
        faults=tuple(str(fault) for fault in item.get("faults") or ()),
        cpu_ns=int(item.get("cpu_ns") or 0),
        run_queue_wait_ns=int(item.get("run_queue_wait_ns") or 0),
        voluntary_switches=int(item.get("voluntary_switches") or 0),
        involuntary_switches=int(item.get("involuntary_switches") or 0),
    )


def attribute_words(given: Any) -> str:
    """Put thread attributes into words: 'fifo 80, cores 0,1'. Words stay as they are."""
    if not given or isinstance(given, str):
        return given or ""
    policy = str(given.get("policy") or "other")
    if given.get("priority"):
        policy = f"{policy} {given['priority']}"
    elif given.get("nice"):
        policy = f"{policy} nice {given['nice']}"
    cores = given.get("cores")
    return f"{policy}, cores {','.join(str(core) for core in cores)}" if cores else policy


def _callback(item: Mapping[str, Any]) -> CallbackResult:
    return CallbackResult(
        id=str(item["id"]),
        node=str(item.get("node") or ""),
        kind=str(item.get("kind") or ""),
        count=int(item.get("count") or 0),
        skipped_periods=int(item.get("skipped_periods") or 0),
        overwritten=int(item.get("overwritten") or 0),
        lost_messages=int(item.get("lost_messages") or 0),
        start_delay=item.get("start_delay") or {},
        execution=item.get("execution") or {},
        response=item.get("response") or {},
    )


def _chain(item: Mapping[str, Any], epoch: int) -> ChainResult:
    deadline = item.get("deadline_ns")
    responses = _series(
        item.get("responses_ns"), item.get("releases_ns"), item.get("stalled"), epoch
    )
    return ChainResult(
        name=str(item["name"]),
        path=tuple(item.get("path") or ()),
        priority=item.get("priority"),
        deadline_ns=int(deadline) if deadline else None,
        released=int(item.get("released") or 0),
        completed=int(item.get("completed") or len(responses.values)),
        superseded=int(item.get("superseded") or 0),
        lost=int(item.get("lost") or 0),
        unfinished=int(item.get("unfinished") or 0),
        skipped=int(item.get("skipped") or 0),
        missed_deadlines=int(item.get("missed_deadlines") or 0),
        responses=responses,
        catching_up=_flags(item.get("catching_up"), len(responses.values)),
    )


def _medians(parts: Mapping[str, Any]) -> dict[str, float]:
    medians = {name: (parts.get(name) or {}).get("p50") for name in HOT_PARTS}
    return {name: float(median) for name, median in medians.items() if median is not None}


def _kpis(item: Mapping[str, Any], epoch: int) -> Kpis:
    hot = item.get("hot_path") or {}
    planner = item.get("planner") or {}
    floor = hot.get("floor_ns")
    return Kpis(
        hot_latency=_series(hot.get("latency_ns"), hot.get("at_ns"), hot.get("stalled"), epoch),
        hot_from_due=as_samples(hot.get("from_due_ns")),
        hot_floor_ns=float(floor) if floor else None,
        hot_drops=int(hot.get("drops") or 0),
        hot_parts=_medians(hot.get("parts") or {}),
        planner_period=as_samples(planner.get("period_ns")),
        planner_lateness=_series(
            planner.get("start_lateness_ns"), planner.get("at_ns"), planner.get("stalled"), epoch
        ),
        planner_cycles=int(planner.get("cycles") or 0),
        planner_stale_cycles=int(planner.get("stale_cycles") or 0),
        reference_lateness=as_samples((item.get("reference_timer") or {}).get("lateness_ns")),
    )
