"""Reads the figures that a process tells of its executors.

A process is not trusted: a field of the wrong kind makes the whole answer unusable.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from takt_cli.control.client import Peer, ask
from takt_cli.control.frames import Message, NoAnswer
from takt_cli.control.statistics import (
    Alarms,
    Callback,
    Chain,
    Deadline,
    Distribution,
    Executor,
    ProcessStatistics,
    Running,
    Thread,
)
from takt_cli.control.told import Told, damaged
from takt_cli.results.fields import DamagedError
from takt_cli.results.read_phase_state import read_phase_state

SCHEMA = 1
_MOST_CORE = 65535
_MOST_WINDOW = 1_000_000
_LARGEST = 2**63 - 1


def ask_statistics(socket: Path, number: int, timeout_s: float) -> ProcessStatistics:
    """Ask a process for its figures; `number`: that of its socket's name.

    Raises Gone, NoAnswer or Refused.
    """
    peer, data = ask(socket, Message.statistics, {}, timeout_s)
    return read_statistics(data, peer, number)


def read_statistics(data: Mapping[str, Any], peer: Peer, number: int) -> ProcessStatistics:
    """Read the answer to `statistics`; the number of the process is the one that the kernel names.

    `number`: of the process by the name of its socket, where the kernel shows none.
    """
    try:
        fields = Told(data)
        schema = fields.whole("schema")
        if schema != SCHEMA:
            raise NoAnswer(
                f"tells figures of version {schema}, and this command reads version {SCHEMA}; use "
                "the takt command that belongs to its libraries"
            )
        alarms = fields.part("alarms")
        return ProcessStatistics(
            pid=peer.pid or number,
            program=fields.text("program"),
            host=fields.text("host"),
            time_ns=fields.whole("time_ns"),
            since_ns=fields.whole("since_ns"),
            rmw=fields.text("rmw"),
            unknown=fields.texts("unknown"),
            executors=_with_chains(fields.parts("executors")),
            alarms=Alarms(*(alarms.whole(name) for name in ("raised", "cleared", "active"))),
        )
    except DamagedError as error:
        raise damaged(error) from error


def _with_chains(told: Sequence[Told]) -> tuple[Executor, ...]:
    """Read executors; a chain belongs to the one that has its last callback."""
    executors = [_executor(fields) for fields in told]
    here = {name for one in executors for callback in one.callbacks for name in callback.names}
    found = []
    for executor, fields in zip(executors, told, strict=True):
        own = {name for callback in executor.callbacks for name in callback.names}
        chains = [_chain(one, here) for one in fields.parts("chains")]
        ending = tuple(one for one in chains if not one.path or one.path[-1] in own)
        passing = tuple(one.name for one in chains if one not in ending)
        found.append(replace(executor, chains=ending, passing=passing))
    return tuple(found)


def _executor(fields: Told) -> Executor:
    return Executor(
        name=fields.text("name"),
        spinning=fields.flag("spinning"),
        threads=tuple(map(_thread, fields.parts("threads"))),
        callbacks=tuple(map(_callback, fields.parts("callbacks"))),
        phases=read_phase_state(fields, "phases"),
    )


def _thread(fields: Told) -> Thread:
    running = fields.part("running")
    return Thread(
        number=fields.whole("number"),
        name=fields.text("name"),
        tid=fields.whole("tid"),
        policy=fields.text("policy"),
        priority=fields.whole("priority"),
        nice=fields.whole("nice", least=-20),
        cores=fields.wholes("cores", _MOST_CORE),
        asked_differs=fields.flag("asked_differs"),
        running=Running(running.text("callback"), running.whole("since_ns"))
        if fields.has("running")
        else None,
        on_cpu_ns=fields.whole("on_cpu_ns"),
        run_queue_delay_ns=fields.whole("run_queue_delay_ns"),
        voluntary_switches=fields.whole("voluntary_switches"),
        involuntary_switches=fields.whole("involuntary_switches"),
        minor_faults=fields.whole("minor_faults"),
        major_faults=fields.whole("major_faults"),
        migrations=fields.whole_or_none("migrations"),
    )


def _callback(fields: Told) -> Callback:
    return Callback(
        id=fields.name("id"),
        kind=fields.text("kind"),
        group=fields.text("group"),
        threads=fields.texts("threads"),
        chains=fields.texts("chains"),
        priority=fields.whole("priority"),
        effective_priority=fields.whole("effective_priority"),
        depth=fields.whole_or_none("depth"),
        waiting=fields.whole("waiting"),
        largest_waiting=fields.whole("largest_waiting"),
        oldest_age_ns=fields.whole_or_none("oldest_age_ns"),
        arrivals=fields.whole("arrivals"),
        starts=fields.whole("starts"),
        empty_takes=fields.whole("empty_takes"),
        overwritten=fields.whole_or_none("overwritten"),
        lost=fields.whole_or_none("lost"),
        skipped_periods=fields.whole("skipped_periods"),
        exceptions=fields.whole("exceptions"),
        arrival_rate_hz=fields.number_or_none("arrival_rate_hz"),
        service_rate_hz=fields.number_or_none("service_rate_hz"),
        deadline=_deadline(fields),
        budget_ns=fields.whole_or_none("budget_ns"),
        overruns=fields.whole("overruns"),
        response=_distribution(fields.part("response")),
        execution=_distribution(fields.part("execution")),
        start_delay=_distribution(fields.part("start_delay")),
    )


def _chain(fields: Told, here: Container[str]) -> Chain:
    path = fields.texts("path")
    return Chain(
        name=fields.name("name"),
        path=path,
        elsewhere=tuple(id_ for id_ in path if id_ not in here),
        priority=fields.whole("priority"),
        from_arrival=fields.flag("from_arrival"),
        activations=fields.whole("activations"),
        overdue=fields.whole("overdue"),
        deadline=_deadline(fields),
        response=_distribution(fields.part("response")),
    )


def _deadline(fields: Told) -> Deadline:
    window = fields.wholes("misses_in_window", _MOST_WINDOW) or (0, 0)
    if len(window) != 2:
        raise DamagedError(
            f"{fields.place}.misses_in_window has {len(window)} numbers in place of 2"
        )
    return Deadline(
        deadline_ns=fields.whole_or_none("deadline_ns"),
        misses=fields.whole("misses"),
        consecutive_misses=fields.whole("consecutive_misses"),
        largest_consecutive_misses=fields.whole("largest_consecutive_misses"),
        misses_in_window=(window[0], window[1]),
    )


def _distribution(fields: Told) -> Distribution:
    names = ("min_ns", "mean_ns", "stddev_ns", "p50_ns", "p99_ns", "max_ns")
    # The start of a run may lie before the arrival that was noted for it.
    figures = (fields.number_or_none(name, least=-_LARGEST) for name in names)
    return Distribution(fields.whole("count"), *figures)
