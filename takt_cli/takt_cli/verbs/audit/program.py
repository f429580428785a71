"""The callbacks of a program from the report of `takt exec --audit`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from takt_cli.base.errors import TaktError
from takt_cli.documents.document import DamagedError, Document

_MAKE = "make it with: takt exec --audit --report FILE -- PROGRAM"


class Object(Document, at="exec_report#audited_object"):
    """An object to which a callback's function refers."""


class Side(Document, at="exec_report#race_side"):
    """One access of a race."""


class Race(Document, at="exec_report#race"):
    """A data race of the run."""

    first: Side
    second: Side


class Callback(Document, at="exec_report#audited_callback"):
    """A callback with its objects and its code."""

    objects: tuple[Object, ...]


class Process(Document, at="exec_report#audited_process"):
    """A process of the run."""

    callbacks: tuple[Callback, ...]
    races: tuple[Race, ...]

    @cached_property
    def by_id(self) -> dict[str, Callback]:
        """The callbacks; of those that were made again the last."""
        return {one.id: one for one in self.callbacks}


class Executor(Document, at="exec_report#executor"):
    """An executor of rclcpp that takt adopted."""


class Loop(Document, at="exec_report#stock"):
    """A loop that stayed rclcpp's own."""


class Unseen(Document, at="exec_report#unseen"):
    """A process with rclcpp, of which no spin came to takt."""


class Report(Document, at="exec_report"):
    """The report of a run."""

    executors: tuple[Executor, ...]
    stock: tuple[Loop, ...]
    unseen: tuple[Unseen, ...]
    audit: tuple[Process, ...]


@dataclass(frozen=True)
class Program:
    """The executors as takt_audit reads them, each with its process; `ids`: of their callbacks."""

    executors: list[dict[str, Any]] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    ids: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_program(path: Path) -> Program:
    """Read a report; TaktError where it is none, was made without --audit, or has no callbacks."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        report = Report.read(raw)
    except json.JSONDecodeError as error:
        raise TaktError(
            f"{path}:{error.lineno}:{error.colno}: the file is not JSON, or only a part of it, so "
            "it is not a report of takt exec",
            hint=_MAKE,
        ) from error
    except UnicodeDecodeError as error:
        raise TaktError(
            f"{path} is not text, so it is not a report of takt exec", hint=_MAKE
        ) from error
    except DamagedError as error:
        raise TaktError(f"{path} is not a report of takt exec: {error}", hint=_MAKE) from error
    if "audit" not in raw:
        raise TaktError(f"{path} has no callbacks that were audited", hint=_MAKE)
    program = Program(notes=list(_missed(report)))
    for executor, process in [*_adopted(report), *_of_takt_rcl(report)]:
        program.executors.append(executor)
        program.processes.append(process)
        program.ids.append([one["id"] for one in executor["callbacks"] if not one["background"]])
    if not any(program.ids):
        raise TaktError(
            f"{path} has no callbacks: the run had no executor that takt saw",
            hint="\n".join(program.notes),
        )
    return program


def _missed(report: Report) -> Iterator[str]:
    """Say which loops of the run takt did not see."""
    for loop in report.stock:
        why = f": {loop.reason}" if loop.reason else ""
        missing = "stayed rclcpp's own, so its callbacks are missing"
        yield f"{loop.stock} in {loop.program} {missing}{why}"
    for process in report.unseen:
        yield f"takt saw no executor in {process.program}, which has rclcpp"


def _adopted(report: Report) -> Iterator[tuple[dict[str, Any], Process]]:
    """Give executors of rclcpp: the report knows of which kind each was before takt."""
    for executor in report.executors:
        process = next((one for one in report.audit if one.pid == executor.pid), None)
        if process is None:
            continue
        is_pool = executor.kind in ("multi_threaded", "takt")
        many = executor.own_threads > 1
        before = "one_at_a_time"
        if many and is_pool:
            before = "in_groups"
        elif many and executor.kind == "events":
            before = "timers_apart"  # execute_timers_separate_thread
        callbacks = [_listed(one, reentrant=not one.exclusive_group) for one in executor.callbacks]
        one = _executor(executor.executor, "rclcpp", callbacks, before)
        yield {**one, "is_pool": is_pool}, process


def _of_takt_rcl(report: Report) -> Iterator[tuple[dict[str, Any], Process]]:
    """Give executors of takt_rcl: one that ran under a schedule has threads of that schedule."""
    adopted = {(one.pid, callback.id) for one in report.executors for callback in one.callbacks}
    for process in report.audit:
        for place, executor in enumerate(process.executors):
            callbacks = [
                _listed(one, reentrant=one.reentrant)
                for one in process.by_id.values()
                if one.executor == place and (process.pid, one.id) not in adopted
            ]
            if any(not one["background"] for one in callbacks):
                many = executor.threads > 1 and not executor.scheduled
                before = "in_groups" if many else "one_at_a_time"
                yield _executor(executor.name, "takt_rcl", callbacks, before), process


def _listed(callback: Any, *, reentrant: bool) -> dict[str, Any]:
    return {
        "id": callback.id,
        "kind": callback.kind,
        "group": callback.group,
        "reentrant": reentrant,
        "background": callback.background,
    }


def _executor(
    name: str, library: str, callbacks: list[dict[str, Any]], before: str
) -> dict[str, Any]:
    return {
        "name": name,
        "before": before,
        "is_pool": False,
        "library": library,
        "callbacks": callbacks,
    }
