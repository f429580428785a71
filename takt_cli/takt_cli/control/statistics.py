"""The statistics of a process's executors while it runs, as typed records.

All counters are totals since watching began; two answers of one process give rates.
"""

from __future__ import annotations

from takt_cli.base.callback_ids import kind_of, with_kind
from takt_cli.documents.document import Document
from takt_cli.results.distribution import Distribution as Distribution
from takt_cli.results.phase_state import PhaseState as PhaseState


class Thread(Document, at="statistics#thread"):
    """A thread of an executor, with the kernel's account since the thread began."""


class Callback(Document, at="statistics#callback"):
    """A callback of an executor."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its id, and the id that a chain has for it.

        Where rclcpp delivers messages within the process, a waitable takes those of a subscription.
        """
        waitable = kind_of(self.id) == "waitable"
        return (self.id, with_kind(self.id, "sub")) if waitable else (self.id,)


class Chain(Document, at="statistics#chain"):
    """A chain, at the executor that has its last callback."""

    elsewhere: tuple[str, ...] = ()  # callbacks of the path that other processes have

    @property
    def counted(self) -> bool:
        """Tell whether its figures count.

        A message from another process does not carry its activation. Unless a process counts from
        the message's arrival, it finds no activation of such a chain.
        """
        known = self.activations > 0 or self.misses > 0
        return self.from_arrival or known or not self.elsewhere

    @property
    def counted_from(self) -> str:
        """The callback from whose message its figures count; empty: from the chain's release."""
        if not self.from_arrival and not self.elsewhere:
            return ""
        last = max((self.path.index(one) for one in self.elsewhere), default=-1)
        return self.path[last + 1] if last + 1 < len(self.path) else ""


class Executor(Document, at="statistics#executor"):
    """An executor of a process."""

    passing: tuple[str, ...] = ()  # chains that end elsewhere


class ProcessStatistics(Document, at="statistics"):
    """All figures of one process at one time of the monotonic clock."""

    @property
    def name(self) -> str:
        """The name of its program without the folders."""
        return self.program.rpartition("/")[2] or "?"

    @property
    def words(self) -> str:
        """Name it in a sentence."""
        return f"{self.name} (pid {self.pid})"

    def is_same_run(self, other: ProcessStatistics) -> bool:
        """Whether the counters of both began at the same time."""
        return (self.pid, self.program, self.since_ns) == (other.pid, other.program, other.since_ns)
