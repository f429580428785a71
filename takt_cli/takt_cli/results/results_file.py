"""Reads the results of `takt_run`: results.json.

Missing fields read as empty, so that results of an older runner can still be shown. A file that
holds no results, or a value of the wrong kind, is one clear error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from takt_cli.base.errors import TaktError
from takt_cli.documents.schema import version
from takt_cli.files.inputs import refuse_irregular
from takt_cli.results.fields import DamagedError, Fields
from takt_cli.results.phase_state import PhaseState
from takt_cli.results.run_results import (
    HOT_PARTS,
    CallbackResult,
    ChainResult,
    HostOfRun,
    Kpis,
    Load,
    Results,
    Series,
    ThreadResult,
)

# A run that is shorter by this time has not ended early.
_UNNOTICED_NS = 1_000_000
_MOST_PRIORITY = 2**31
_AGAIN = "measure again with `takt run --output`"


def load_complete_results(path: Path) -> Results:
    """Read the results of a complete run with measurements, to compare them with others."""
    results = load_results(path)
    missing = results.raw.get("incomplete")
    if missing:
        parts = "; ".join(map(str, missing)) if isinstance(missing, list) else str(missing)
        raise TaktError(f"{path}: is incomplete ({parts}); {_AGAIN}")
    if results.nothing_measured:
        raise TaktError(
            f"{path}: holds no measurement, because the run ended in its warm-up; {_AGAIN}"
        )
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
        raise TaktError(
            f"{path}: is not a result of `takt run`: the chains or the threads are missing"
        )
    if raw.get("version") != version("results"):
        raise TaktError(
            f"{path}: has format version {raw.get('version')}; this takt reads {version('results')}"
        )
    try:
        return parse_results(raw)
    except DamagedError as error:
        raise TaktError(f"{path}: is damaged: {error}; {_AGAIN}") from error


def parse_results(raw: Mapping[str, Any]) -> Results:
    """Turn the JSON of one run into typed data; DamagedError where it is none."""
    all_of_it = Fields(raw)
    epoch = all_of_it.whole("epoch_ns")
    callbacks = tuple(
        CallbackResult.read(one.raw, one.place) for one in all_of_it.parts("callbacks")
    )
    kpis = all_of_it.part("kpis")
    schedule = all_of_it.part("schedule")
    threads = tuple(map(_thread, all_of_it.parts("threads")))
    measured = _measured_ns(all_of_it)
    asked = all_of_it.whole("duration_ns")
    skipped = kpis.whole_or_none("skipped_periods")
    return Results(
        graph=all_of_it.text("graph", "?"),
        label=all_of_it.text("label"),
        schedule=Path(schedule.text("file", "?")).stem if schedule.raw else None,
        executors=_executors(schedule),
        order=all_of_it.text("order", "?"),
        thread_count=sum(thread.executor for thread in threads),
        host=HostOfRun.read(all_of_it.part("host").raw, "host"),
        duration_ns=asked if measured is None else measured,
        warmup_ns=all_of_it.whole("warmup_ns"),
        epoch_ns=epoch,
        phases=all_of_it.text("phases", "fixed"),
        work_scale=all_of_it.number("work_scale", 1.0),
        threads=threads,
        callbacks=callbacks,
        chains=tuple(_chain(item, epoch) for item in all_of_it.parts("chains")),
        kpis=_kpis(kpis, epoch),
        skipped_periods=sum(callback.skipped_periods for callback in callbacks)
        if skipped is None
        else skipped,
        phase_states=_phase_states(all_of_it),
        other_cores=all_of_it.number("other_programs_cores")
        if all_of_it.has("other_programs_cores")
        else None,
        load=Load.read(all_of_it.part("load").raw, "load"),
        stalls=_stalls(all_of_it, epoch),
        defaulted_callbacks=all_of_it.texts("defaulted_callbacks"),
        warnings=all_of_it.texts("warnings"),
        ended_early=measured is not None and measured + _UNNOTICED_NS < asked,
        raw=raw,
    )


def _executors(schedule: Fields) -> tuple[str, ...]:
    name = schedule.text("name")
    return schedule.texts("executors") or ((name,) if name else ())


def _phase_states(raw: Fields) -> Mapping[str, PhaseState]:
    found = {}
    for process in raw.parts("phase_states"):
        if process.has("state"):
            state = PhaseState.read(process.raw["state"], f"{process.place}.state")
            found[f"{process.whole('process')}/{process.text('executor')}"] = state
    return found


def _measured_ns(raw: Fields) -> int | None:
    begin, end = raw.whole_or_none("measured_from_ns"), raw.whole_or_none("measured_to_ns")
    return None if begin is None or end is None else max(0, end - begin)


def _stalls(raw: Fields, epoch: int) -> tuple[tuple[int, int, int], ...]:
    """Give the stalls of the host that the witness saw, cut off at the ends of the measurement.

    Samples of work that took longer (overrun) are marked, but the length of the stall is unknown
    there; `throttled` is the kernel's own doing.
    """
    begin, end = raw.whole_or_none("measured_from_ns"), raw.whole_or_none("measured_to_ns")
    found = []
    for stall in raw.parts("stalls"):
        if stall.text("source", "witness") != "witness":
            continue
        # The stall may have begun a period of the witness earlier; the certain part counts.
        first, last = stall.whole("certain_from_ns", stall.whole("begin_ns")), stall.whole("end_ns")
        first = first if begin is None else max(first, begin)
        last = last if end is None else min(last, end)
        if first < last:
            found.append((stall.whole("core", -1, least=-1), first - epoch, last - epoch))
    return tuple(found)


def _series(raw: Fields, values: str, at: str, epoch: int) -> Series:
    numbers = raw.samples(values)
    count = len(numbers)
    moments = raw.samples(at) - epoch
    return Series(
        values=numbers,
        at_ns=moments if len(moments) == count else np.arange(count, dtype=np.float64),
        stalled=raw.flags("stalled", count),
    )


def _thread(item: Fields) -> ThreadResult:
    thread = ThreadResult.read(item.raw, item.place)
    return thread if thread.name else replace(thread, name=str(thread.tid or "?"))  # type: ignore[type-var]


def _chain(item: Fields, epoch: int) -> ChainResult:
    responses = _series(item, "responses_ns", "releases_ns", epoch)
    count = len(responses.values)
    return ChainResult(
        name=item.name("name"),
        path=item.texts("path"),
        priority=item.whole_or_none("priority", least=-_MOST_PRIORITY),
        deadline_ns=item.whole("deadline_ns") or None,
        released=item.whole("released"),
        completed=item.whole("completed") or count,
        superseded=item.whole("superseded"),
        lost=item.whole("lost"),
        unfinished=item.whole("unfinished"),
        skipped=item.whole("skipped"),
        missed_deadlines=item.whole("missed_deadlines"),
        responses=responses,
        catching_up=item.flags("catching_up", count),
    )


def _medians(parts: Fields) -> dict[str, float]:
    medians = {name: parts.part(name) for name in HOT_PARTS}
    return {name: part.number("p50") for name, part in medians.items() if part.has("p50")}


def _kpis(item: Fields, epoch: int) -> Kpis:
    hot, planner = item.part("hot_path"), item.part("planner")
    return Kpis(
        hot_latency=_series(hot, "latency_ns", "at_ns", epoch),
        hot_from_due=hot.samples("from_due_ns"),
        hot_floor_ns=hot.number("floor_ns") or None,
        hot_drops=hot.whole("drops"),
        hot_parts=_medians(hot.part("parts")),
        planner_period=planner.samples("period_ns"),
        planner_lateness=_series(planner, "start_lateness_ns", "at_ns", epoch),
        planner_cycles=planner.whole("cycles"),
        planner_stale_cycles=planner.whole("stale_cycles"),
        reference_lateness=item.part("reference_timer").samples("lateness_ns"),
    )
