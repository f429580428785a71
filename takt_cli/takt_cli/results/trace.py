"""What a trace holds, in figures: the document that `takt_trace convert` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from takt_cli.importing.not_carried_over import printable
from takt_cli.results.fields import DamagedError, Fields

SCHEMA = 1
_WAYS = (
    "released",
    "completed",
    "late",
    "lost",
    "superseded",
    "unfinished",
    "overdue",
    "skipped",
)


@dataclass(frozen=True)
class TracedProcess:
    """A process of a trace."""

    pid: int
    program: str
    threads: int
    runs: int  # of callbacks
    dropped: int  # records that found the ring of their thread full
    overwritten: int  # messages that the history lost before they were taken

    @property
    def words(self) -> str:
        """Name it in a sentence."""
        return f"{self.program.rpartition('/')[2] or '?'} (pid {self.pid})"


@dataclass(frozen=True)
class TracedChain:
    """A chain of a trace."""

    name: str
    process: int | str  # the number of the process in which it ends, or its name
    activations: int  # that ended
    missed: int | None
    max_response_ns: int | None
    account: dict[str, int] | None  # how many ended in which way; None: the trace does not tell
    account_why: str | None


@dataclass(frozen=True)
class TracedStalls:
    """Times in which the host, or the kernel, took a core from the threads of highest priority."""

    count: int
    longest_ns: int
    by_kernel: int
    longest_by_kernel_ns: int


@dataclass(frozen=True)
class TraceSummary:
    """The figures of a whole trace. Times are of the monotonic clock."""

    processes: tuple[TracedProcess, ...]
    published: int
    taken: int
    joined: int  # taken messages of which the trace has the publication
    chains: tuple[TracedChain, ...]
    stalls: TracedStalls | None  # None: nothing watched for them
    began_ns: int
    ended_ns: int

    @property
    def dropped(self) -> int:
        """How many records are missing."""
        return sum(process.dropped for process in self.processes)

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {
            "processes": [asdict(process) for process in self.processes],
            "messages": {
                "published": self.published,
                "taken": self.taken,
                "joined": self.joined,
            },
            "chains": [asdict(chain) for chain in self.chains],
            "host_stalls": None if self.stalls is None else asdict(self.stalls),
            "began_ns": self.began_ns,
            "ended_ns": self.ended_ns,
        }


def read_summary(data: Any) -> TraceSummary:
    """Read the document; DamagedError for another one."""
    if not isinstance(data, Mapping):
        raise DamagedError("the document is no object")
    fields = Fields(data)
    schema = fields.whole("schema")
    if schema != SCHEMA:
        raise DamagedError(f"schema is {schema} where {SCHEMA} belongs")
    messages = fields.part("messages")
    return TraceSummary(
        processes=tuple(map(_process, fields.parts("processes"))),
        published=messages.whole("published"),
        taken=messages.whole("taken"),
        joined=messages.whole("joined"),
        chains=tuple(map(_chain, fields.parts("chains"))),
        stalls=_stalls(fields.part("host_stalls")) if fields.has("host_stalls") else None,
        began_ns=fields.whole("began_ns"),
        ended_ns=fields.whole("ended_ns"),
    )


def _process(fields: Fields) -> TracedProcess:
    return TracedProcess(
        pid=fields.whole("pid"),
        program=printable(fields.text("program")),
        threads=fields.whole("threads"),
        runs=fields.whole("runs"),
        dropped=fields.whole("dropped"),
        overwritten=fields.whole("overwritten"),
    )


def _stalls(fields: Fields) -> TracedStalls:
    return TracedStalls(
        count=fields.whole("count"),
        longest_ns=fields.whole("longest_ns"),
        by_kernel=fields.whole("by_kernel"),
        longest_by_kernel_ns=fields.whole("longest_by_kernel_ns"),
    )


def _chain(fields: Fields) -> TracedChain:
    named = isinstance(fields.raw.get("process"), str)
    return TracedChain(
        name=printable(fields.name("name")),
        process=printable(fields.text("process")) if named else fields.whole("process"),
        activations=fields.whole("activations"),
        missed=fields.whole_or_none("missed"),
        max_response_ns=fields.whole_or_none("max_response_ns"),
        account=_account(fields.part("account")) if fields.has("account") else None,
        account_why=printable(fields.text("account_why")) or None,
    )


def _account(fields: Fields) -> dict[str, int]:
    return {way: fields.whole(way) for way in _WAYS}
