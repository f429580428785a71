"""What a process tells of its executors and threads, as typed records.

A process is not trusted: a field of the wrong kind makes the whole answer unusable, and texts lose
the characters that a terminal would obey.
"""

from __future__ import annotations

import pwd
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from takt_cli.control.attributes import POLICIES, Attributes
from takt_cli.control.client import Peer
from takt_cli.control.told import Told, damaged
from takt_cli.results.fields import DamagedError
from takt_cli.results.phase_state import PhaseState
from takt_cli.results.read_phase_state import read_phase_state

_MOST_CORE = 65535
_OUTCOMES = ("applied", "unchanged", "failed", "skipped")


@dataclass(frozen=True)
class Thread:
    """A thread of an executor."""

    number: int
    name: str
    tid: int  # 0: it does not run
    group: str  # of an isolated group's thread
    follow: bool
    asked: Attributes
    granted: Attributes
    now: Attributes
    faults: tuple[str, ...]
    stack: int = 0  # bytes; 0: the system's default

    @property
    def runs(self) -> bool:
        """Whether the kernel has it now."""
        return self.tid != 0 and self.now.policy != "inherit"


@dataclass(frozen=True)
class Callback:
    """A callback of an executor."""

    id: str
    kind: str
    group: str
    reentrant: bool
    isolated: bool
    threads: tuple[str, ...]
    priority: int
    rule_priority: int | None
    deadline_ns: int | None
    runs: int | None
    publishes_last: bool = False


@dataclass(frozen=True)
class Chain:
    """A chain that an executor knows."""

    name: str
    path: tuple[str, ...]
    priority: int
    deadline_ns: int | None
    period_ns: int = 0  # of the root; 0: unknown


@dataclass(frozen=True)
class SetValue:
    """A value that `takt set` or the monitor has changed since the schedule."""

    what: str  # "thread hot"
    value: str  # "priority"
    before: str
    now: str

    def __str__(self) -> str:
        return f"{self.what}: {self.value} {self.before} -> {self.now}"


@dataclass(frozen=True)
class Executor:
    """An executor of a process."""

    name: str
    order: str
    schedule: str
    spinning: bool
    missing_rights: str
    default: tuple[str, ...]
    threads: tuple[Thread, ...]
    callbacks: tuple[Callback, ...]
    chains: tuple[Chain, ...]
    on_exception: str = ""
    middleware_ceiling: str = ""
    lock_memory: bool = False
    epoch: str = ""
    set_values: tuple[SetValue, ...] = ()
    phases: PhaseState | None = None


@dataclass(frozen=True)
class ProcessThread:
    """A thread that no executor owns."""

    tid: int
    name: str
    now: Attributes
    asked: Attributes | None
    granted: Attributes | None = None  # where it was asked something
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProcessStatus:
    """All that a process tells."""

    pid: int
    program: str
    command: tuple[str, ...]
    user: str
    started: int
    configurator: str
    executors: tuple[Executor, ...]
    process_threads: tuple[ProcessThread, ...]

    @property
    def name(self) -> str:
        """The name of its program without the folders."""
        return self.program.rpartition("/")[2] or "?"


@dataclass(frozen=True)
class Part:
    """What became of one entry of a schedule."""

    what: str
    outcome: str
    why: str


@dataclass(frozen=True)
class Change:
    """What became of the schedule in one executor."""

    executor: str
    parts: tuple[Part, ...]

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {"name": self.executor, "parts": [asdict(part) for part in self.parts]}


def read_process(data: Mapping[str, Any], peer: Peer, number: int) -> ProcessStatus:
    """Read the answer to `status`; number and user are those that the kernel names.

    `number`: of the process by the name of its socket, where the kernel shows none.
    """
    try:
        fields = Told(data)
        return ProcessStatus(
            pid=peer.pid or number,
            program=fields.text("program"),
            command=fields.texts("command"),
            user=_user(peer.uid),
            started=fields.whole("started"),
            configurator=fields.text("configurator"),
            executors=tuple(map(_executor, fields.parts("executors"))),
            process_threads=tuple(map(_process_thread, fields.parts("process_threads"))),
        )
    except DamagedError as error:
        raise damaged(error) from error


def read_changes(data: Mapping[str, Any]) -> tuple[Change, ...]:
    """Read the answer to `apply` or `reset`."""
    try:
        return tuple(
            Change(one.text("name"), tuple(map(_part, one.parts("parts"))))
            for one in Told(data).parts("executors")
        )
    except DamagedError as error:
        raise damaged(error) from error


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _executor(fields: Told) -> Executor:
    return Executor(
        name=fields.name("name"),
        order=fields.text("order"),
        epoch=fields.text("epoch"),
        schedule=fields.text("schedule"),
        spinning=fields.flag("spinning"),
        missing_rights=fields.text("missing_rights"),
        default=fields.texts("default"),
        threads=tuple(map(_thread, fields.parts("threads"))),
        callbacks=tuple(map(_callback, fields.parts("callbacks"))),
        chains=tuple(map(_chain, fields.parts("chains"))),
        on_exception=fields.text("on_exception"),
        middleware_ceiling=fields.text("middleware_ceiling"),
        lock_memory=fields.flag("lock_memory"),
        set_values=tuple(map(_set_values, fields.parts("set_values"))),
        phases=read_phase_state(fields, "phases"),
    )


def _set_values(fields: Told) -> SetValue:
    return SetValue(
        what=fields.name("what"),
        value=fields.text("value"),
        before=_spelled(fields, "before"),
        now=_spelled(fields, "now"),
    )


def _spelled(fields: Told, name: str) -> str:
    """Give a number, nothing, or a list of names as a user writes it."""
    if isinstance(fields.raw.get(name), list):
        return ",".join(fields.texts(name))
    return str(fields.whole(name, least=-20)) if fields.has(name) else "none"


def _thread(fields: Told) -> Thread:
    return Thread(
        number=fields.whole("number"),
        name=fields.name("name"),
        tid=fields.whole("tid"),
        group=fields.text("group"),
        follow=fields.flag("follow"),
        asked=_attributes(fields.part("asked")),
        granted=_attributes(fields.part("granted")),
        now=_attributes(fields.part("now")),
        faults=fields.texts("faults"),
        stack=fields.whole("stack"),
    )


def _callback(fields: Told) -> Callback:
    return Callback(
        id=fields.name("id"),
        kind=fields.text("kind"),
        group=fields.text("group"),
        reentrant=fields.flag("reentrant"),
        isolated=fields.flag("isolated"),
        threads=fields.texts("threads"),
        priority=fields.whole("priority"),
        rule_priority=fields.whole_or_none("rule_priority"),
        deadline_ns=fields.whole_or_none("deadline_ns"),
        runs=fields.whole_or_none("runs"),
        publishes_last=fields.flag("publishes_last"),
    )


def _chain(fields: Told) -> Chain:
    return Chain(
        name=fields.name("name"),
        path=fields.texts("path"),
        priority=fields.whole("priority"),
        deadline_ns=fields.whole_or_none("deadline_ns"),
        period_ns=fields.whole("period_ns"),
    )


def _process_thread(fields: Told) -> ProcessThread:
    return ProcessThread(
        tid=fields.whole("tid"),
        name=fields.text("name"),
        now=_attributes(fields.part("now")),
        asked=_attributes(fields.part("asked")) if fields.has("asked") else None,
        granted=_attributes(fields.part("granted")) if fields.has("granted") else None,
        faults=fields.texts("faults") if fields.has("faults") else (),
    )


def _attributes(fields: Told) -> Attributes:
    policy = fields.text("policy", "inherit")
    if policy not in POLICIES:
        raise DamagedError(f"{fields.place}.policy is none of {', '.join(POLICIES)}")
    return Attributes(
        policy=policy,
        priority=fields.whole("priority"),
        nice=fields.whole_or_none("nice", least=-20),
        runtime_ns=fields.whole("runtime_ns"),
        deadline_ns=fields.whole("deadline_ns"),
        period_ns=fields.whole("period_ns"),
        cores=fields.wholes("cores", _MOST_CORE),
    )


def _part(fields: Told) -> Part:
    outcome = fields.text("outcome")
    if outcome not in _OUTCOMES:
        raise DamagedError(f"{fields.place}.outcome is none of {', '.join(_OUTCOMES)}")
    return Part(fields.text("what"), outcome, fields.text("why"))
