"""Reads the figures of a trace in depth: the document that `takt_trace report` prints.

A part of a response may be a little below zero where the clocks of two hosts disagree; it reads as
zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from takt_cli.importing.not_carried_over import printable
from takt_cli.results.fields import DamagedError, Fields
from takt_cli.results.trace_figures import (
    PARTS,
    Account,
    Activation,
    Blocker,
    Distribution,
    ReportedCallback,
    ReportedChain,
    ReportedHost,
    ReportedProcess,
    ReportedSlice,
    ReportedThread,
    Run,
    Split,
    Step,
    StoppedActivation,
    Stops,
    TraceReport,
)

SCHEMA = 1
_LATEST = 2**63 - 1
_EARLIEST = -_LATEST - 1


def read_trace_report(data: Any) -> TraceReport:
    """Read the document; DamagedError for another one."""
    if not isinstance(data, Mapping):
        raise DamagedError("the document is not an object")
    fields = Fields(data)
    schema = fields.whole("schema")
    if schema != SCHEMA:
        raise DamagedError(f"schema is {schema} where {SCHEMA} belongs")
    measured = fields.part("measured")
    return TraceReport(
        began_ns=_moment(fields, "began_ns"),
        ended_ns=_moment(fields, "ended_ns"),
        hosts=tuple(map(_host, fields.parts("hosts"))),
        processes=tuple(map(_process, fields.parts("processes"))),
        cpu_measured=measured.flag("cpu"),
        kernel_measured=measured.flag("kernel"),
        chains=tuple(map(_chain, fields.parts("chains"))),
        callbacks=tuple(map(_callback, fields.parts("callbacks"))),
        slices=tuple(map(_slice, fields.parts("slices"))),
        threads=tuple(map(_thread, fields.parts("threads"))),
    )


def _moment(fields: Fields, name: str) -> int:
    """Read a moment: before the first record it is negative, or before the first host's start."""
    return fields.whole(name, least=_EARLIEST)


def _name(fields: Fields, name: str) -> str:
    return printable(fields.name(name))


def _distribution(fields: Fields) -> Distribution:
    def figure(name: str) -> float | None:
        return fields.number(name, least=_EARLIEST) if fields.has(name) else None

    return Distribution(
        fields.whole("count"),
        *(figure(f"{name}_ns") for name in ("min", "mean", "p50", "p99", "max")),
    )


def _split(fields: Fields) -> Split:
    return Split({one: max(0.0, fields.number(f"{one}_ns", least=_EARLIEST)) for one in PARTS})


def _host(fields: Fields) -> ReportedHost:
    known = fields.has("synchronised")
    return ReportedHost(
        name=printable(fields.text("name", "?")),
        clock_uncertainty_ns=fields.whole_or_none("clock_uncertainty_ns"),
        synchronised=fields.flag("synchronised") if known else None,
    )


def _process(fields: Fields) -> ReportedProcess:
    return ReportedProcess(
        pid=fields.whole("pid"),
        program=printable(fields.text("program")),
        host=printable(fields.text("host")),
        threads=fields.whole("threads"),
        records=fields.whole("records"),
        dropped=fields.whole("dropped"),
    )


def _chain(fields: Fields) -> ReportedChain:
    return ReportedChain(
        name=_name(fields, "name"),
        path=tuple(map(printable, fields.texts("path"))),
        deadline_ns=fields.whole_or_none("deadline_ns"),
        activations=fields.whole("activations"),
        missed=fields.whole("missed"),
        account=_account(fields.part("account")) if fields.has("account") else None,
        account_why=printable(fields.text("account_why")),
        unsplit=fields.whole("unsplit"),
        response=_distribution(fields.part("response")),
        responses=_responses(fields),
        split=_split(fields.part("split")),
        worst=tuple(map(_activation, fields.parts("worst"))),
    )


def _account(fields: Fields) -> Account:
    return Account(
        released=fields.whole("released"),
        completed=fields.whole("completed"),
        late=fields.whole("late"),
        lost=fields.whole("lost"),
        superseded=fields.whole("superseded"),
        unfinished=fields.whole("unfinished"),
        overdue=fields.whole("overdue"),
        skipped=fields.whole("skipped"),
        stops=tuple(
            Stops(_name(one, "kind"), _name(one, "callback"), one.whole("count"))
            for one in fields.parts("stops")
        ),
        stopped=tuple(
            StoppedActivation(
                _moment(one, "release_ns"),
                _name(one, "kind"),
                _name(one, "callback"),
                printable(one.text("reason")),
            )
            for one in fields.parts("stopped")
        ),
    )


def _responses(fields: Fields) -> tuple[tuple[int, int], ...]:
    """Read moments of releases with response times, in the order of time."""
    given = fields.raw.get("responses")
    pairs = [] if given is None else given
    place = f"{fields.place}.responses"
    if not isinstance(pairs, list):
        raise DamagedError(f"{place} is not a list")
    for index, pair in enumerate(pairs):
        whole = isinstance(pair, list) and len(pair) == 2 and all(type(one) is int for one in pair)
        if not whole or not _EARLIEST <= pair[0] <= _LATEST or not 0 <= pair[1] <= _LATEST:
            raise DamagedError(f"{place}[{index}] is not a moment and a response time")
    return tuple(sorted((at, response) for at, response in pairs))


def _activation(fields: Fields) -> Activation:
    return Activation(
        release_ns=_moment(fields, "release_ns"),
        end_ns=_moment(fields, "end_ns"),
        response_ns=fields.whole("response_ns"),
        split=_split(fields.part("split")),
        steps=tuple(map(_step, fields.parts("steps"))),
        timeline=tuple(map(_run, fields.parts("timeline"))),
        host_stall_ns=fields.whole_or_none("host_stall_ns"),
    )


def _step(fields: Fields) -> Step:
    end = _moment(fields, "end_ns")
    until = _moment(fields, "until_ns") if fields.has("until_ns") else end
    return Step(
        callback=_name(fields, "callback"),
        pid=fields.whole("pid"),
        thread=printable(fields.text("thread")),
        tid=fields.whole("tid"),
        core=fields.whole_or_none("core"),
        from_ns=_moment(fields, "from_ns") if fields.has("from_ns") else None,
        release_ns=_moment(fields, "release_ns"),
        start_ns=_moment(fields, "start_ns"),
        end_ns=end,
        kept_ns=max(0, until - end),
        split=_split(fields.part("split")),
        blocked_by=tuple(map(_blocker, fields.parts("blocked_by"))),
        published_by=printable(fields.text("published_by")),
    )


def _blocker(fields: Fields) -> Blocker:
    return Blocker(_name(fields, "what"), printable(fields.text("why")), fields.whole("ns"))


def _run(fields: Fields) -> Run:
    return Run(
        pid=fields.whole("pid"),
        tid=fields.whole("tid"),
        thread=printable(fields.text("thread")),
        callback=_name(fields, "callback"),
        start_ns=_moment(fields, "start_ns"),
        end_ns=_moment(fields, "end_ns"),
        own=fields.flag("own"),
    )


def _callback(fields: Fields) -> ReportedCallback:
    return ReportedCallback(
        id=_name(fields, "id"),
        executor=printable(fields.text("executor")),
        pid=fields.whole("pid"),
        count=fields.whole("count"),
        execution=_distribution(fields.part("execution")),
        start_delay=_distribution(fields.part("start_delay")),
        response=_distribution(fields.part("response")),
        cpu=_distribution(fields.part("cpu")) if fields.has("cpu") else None,
    )


def _slice(fields: Fields) -> ReportedSlice:
    return ReportedSlice(
        _name(fields, "name"), fields.whole("pid"), _distribution(fields.part("duration"))
    )


def _thread(fields: Fields) -> ReportedThread:
    return ReportedThread(
        pid=fields.whole("pid"),
        tid=fields.whole("tid"),
        name=printable(fields.text("name")),
        executor=printable(fields.text("executor")),
        runs=fields.whole("runs"),
        busy_ns=fields.whole("busy_ns"),
    )
