"""An alarm of a process as a typed record, and the actions that its schedule asks for.

A process is not trusted: a field of the wrong kind makes the alarm unusable, long texts and lists
are cut, and control characters for terminals are removed from texts.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from takt_cli.base.printable import printable
from takt_cli.documents.document import DamagedError, Document
from takt_cli.results.fields import Fields

KINDS = ("backlog", "age", "rate", "lost", "deadline", "overrun", "stall", "skipped", "guard")
PLAIN = ("log", "publish", "snapshot", "ask")
_MOST_NAME = 500
_MOST_TEXT = 2000
_MOST_WORDS = 100
_RANGES = {"priority": (0, 255), "nice": (-20, 19)}

AlarmKey = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Plain:
    """`log`, `publish`, `snapshot` or `ask`."""

    kind: str


@dataclass(frozen=True)
class Run:
    """Start a program, without a shell."""

    command: tuple[str, ...]


@dataclass(frozen=True)
class SetParameter:
    """Set a parameter of a ROS node."""

    node: str
    name: str
    value: bool | int | float | str | tuple[Any, ...]


@dataclass(frozen=True)
class Target:
    """An attribute that the message `set` changes."""

    what: str  # chain, callback or thread
    name: str
    attribute: str  # priority, threads or nice
    executor: str | None = None  # empty: all executors with an object of this name

    def request(self, value: Any) -> dict[str, Any]:
        """Give the message that sets the attribute."""
        where = {"executor": self.executor} if self.executor else {}
        return {**where, self.what: self.name, self.attribute: value}

    def __str__(self) -> str:
        return f"{self.attribute} of {self.what} {self.name}"


@dataclass(frozen=True)
class Change:
    """Change an attribute until the alarm is cleared."""

    attribute: str
    value: int | tuple[str, ...]
    thread: str = ""  # empty: the alarm's own chain or callback

    def target(self, alarm: Alarm) -> Target | None:
        """Name the attribute; None: the alarm names no object that has it."""
        if self.thread:
            return Target("thread", self.thread, self.attribute, alarm.executor or None)
        if self.attribute == "priority" and alarm.chain:
            return Target("chain", alarm.chain, "priority")
        return Target("callback", alarm.callback, self.attribute) if alarm.callback else None


@dataclass(frozen=True)
class Unknown:
    """An action that this monitor does not know."""

    name: str


Action = Plain | Run | SetParameter | Change | Unknown


class Cause(Document, at="alarm#cause"):
    """The cause of a backlog or of missed deadlines, as the process sees it."""


class Alarm(Document, at="alarm"):
    """A threshold that was crossed, or is no longer crossed; absent names are empty."""

    # the actions as the process sent them
    told: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def read(cls, raw: Any, place: str = "") -> Alarm:
        """Read it, with its actions; raises DamagedError."""
        found = super().read(raw, place)
        names = {name: getattr(found, name) or "" for name in ("callback", "chain", "thread")}
        actions = tuple(_action(Fields(one)) for one in found.actions)
        stack = found.stack or ()
        return replace(found, **names, stack=stack, actions=actions, told=found.actions)

    @property
    def raised(self) -> bool:
        """Whether the threshold was crossed; else it is crossed no longer."""
        return self.state == "raised"

    @property
    def error(self) -> bool:
        """Tell whether it is an error; otherwise it is a warning."""
        return self.level == "error"

    @property
    def key(self) -> AlarmKey:
        """Give the common part of the alarm and its end."""
        return self.executor, self.callback, self.chain, self.thread, self.kind

    @property
    def subject(self) -> str:
        """Name the chain, callback or thread of the alarm, each with its kind."""
        return subject_of(self.key)

    def has(self, kind: str) -> bool:
        """Whether `log`, `publish`, `snapshot` or `ask` is among the actions."""
        return Plain(kind) in self.actions

    def as_json(self) -> dict[str, Any]:
        """Give it for programs, as a process tells it."""
        names = ("executor", "callback", "chain", "thread")
        return {
            "sequence": self.sequence,
            "realtime_ns": self.realtime_ns,
            **{name: getattr(self, name) or None for name in names},
            "kind": self.kind,
            "state": self.state,
            "level": self.level,
            "value": self.value,
            "limit": self.limit,
            "unit": self.unit,
            "silent_ns": self.silent_ns,
            "deadline_ns": self.deadline_ns,
            "from_arrival": self.from_arrival,
            "cause": None if self.cause is None else asdict(self.cause),
            "stack": list(self.stack) or None,
            "text": self.text,
            "actions": list(self.told),
            "fail_safe": self.fail_safe,
            "dropped_before": self.dropped_before,
        }


def subject_of(key: AlarmKey) -> str:
    """Name the chain, callback or thread of an alarm, each with its kind."""
    executor, callback, chain, thread, _ = key
    parts = (("chain", chain), ("callback", callback), ("thread", thread))
    return ", ".join(f"{kind} {name}" for kind, name in parts if name) or f"executor {executor}"


def cause_of(key: AlarmKey) -> str:
    """Name in parentheses the alarm that caused an action."""
    return f"(for {key[-1]} of {subject_of(key)})"


def name_of(fields: Fields, name: str) -> str:
    """Read a name; a name that is too long is damaged, because a cut one names another thing."""
    text = fields.text(name)
    if len(text) > _MOST_NAME:
        raise DamagedError(f"{name} has {len(text)} characters, more than {_MOST_NAME}")
    return printable(text)


def _action(fields: Fields) -> Action:
    if len(fields.raw) != 1:
        raise DamagedError("an action is an object with one key")
    (kind,) = fields.raw
    if kind in PLAIN:
        return Plain(kind)
    if kind == "run":
        return Run(_words(fields, "run"))
    if kind == "set_parameter":
        return _set_parameter(fields.part(kind))
    if kind == "priority":
        return Change("priority", _level(fields, "priority"))
    if kind == "threads":
        return Change("threads", _words(fields, "threads"))
    if kind == "thread":
        thread = fields.part(kind)
        attribute = "priority" if thread.has("priority") else "nice"
        name = name_of(thread, "name") or _refuse("thread.name is empty")
        return Change(attribute, _level(thread, attribute), name)
    return Unknown(printable(str(kind)[:_MOST_NAME]))


def _level(fields: Fields, name: str) -> int:
    least, most = _RANGES[name]
    if not fields.has(name):
        _refuse(f"{name} is missing")
    number = fields.whole(name, least=least)
    return number if number <= most else _refuse(f"{name} {number} is larger than {most}")


def _words(fields: Fields, name: str) -> tuple[str, ...]:
    words = fields.texts(name)
    if not 1 <= len(words) <= _MOST_WORDS or not words[0] or any("\0" in one for one in words):
        _refuse(f"{name} is not a list of 1 to {_MOST_WORDS} words")
    return words


def _set_parameter(fields: Fields) -> SetParameter:
    node, name = name_of(fields, "node"), name_of(fields, "name")
    value = fields.raw.get("value")
    parts = value if isinstance(value, list) else [value]
    if not node or not name or len(parts) > _MOST_TEXT:
        _refuse("set_parameter lacks its node or its name, or its value is too long")
    if not all(isinstance(one, bool | int | float | str) for one in parts):
        _refuse("set_parameter.value is not a value of a parameter")
    if any(isinstance(one, int) and abs(one) >= 2**63 for one in parts):
        _refuse("set_parameter.value has more than 64 bits")
    return SetParameter(node, name, tuple(value) if isinstance(value, list) else value)  # type: ignore[arg-type]


def _refuse(why: str) -> Any:
    raise DamagedError(why)
