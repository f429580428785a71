"""Attributes of threads: requested ones, granted ones, and their differences."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from takt_cli.base.cores import cores_words
from takt_cli.base.units import exactly
from takt_cli.documents.document import Document

# The kernel shows this many characters of a thread's name.
LONGEST_NAME = 15
POLICIES = ("inherit", "other", "batch", "idle", "fifo", "rr", "deadline")
_REAL_TIME = ("fifo", "rr")
_WITH_NICE = ("inherit", "other", "batch")


class Attributes(Document, at="status#attributes"):
    """Policy, priority and cores of a thread. Values that were not requested are absent.

    Absent are: policy inherit, no nice level, no cores. For the attributes in force, the policy
    inherit means that the thread does not exist.
    """

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {**asdict(self), "cores": list(self.cores)}

    def __str__(self) -> str:
        words = [self._policy_words()]
        if self.nice is not None and self.policy in _WITH_NICE:
            nice = f"nice {self.nice}"
            words = [nice] if self.policy == "inherit" else [*words, nice]
        if self.cores:
            words.append(cores_words(self.cores))
        return ", ".join(word for word in words if word) or "–"

    def _policy_words(self) -> str:
        if self.policy == "inherit":
            return ""
        if self.policy in _REAL_TIME:
            return f"{self.policy} {self.priority}"
        if self.policy == "deadline":
            words = f"deadline {exactly(self.runtime_ns)} each {exactly(self._period)}"
            within = self.deadline_ns or self._period
            return words if within == self._period else f"{words} within {exactly(within)}"
        return self.policy

    @property
    def _period(self) -> int:
        return self.period_ns or self.deadline_ns

    def reservation(self) -> tuple[int, int, int]:
        """Give runtime, deadline and period as the kernel has them."""
        return self.runtime_ns, self.deadline_ns or self._period, self._period

    def only_what(self, asked: Attributes) -> Attributes:
        """Return only the requested attributes."""
        policy = asked.policy != "inherit"
        return Attributes(
            policy=self.policy if policy else "inherit",
            priority=self.priority if policy else 0,
            nice=self.nice if asked.nice is not None else None,
            runtime_ns=self.runtime_ns if policy else 0,
            deadline_ns=self.deadline_ns if policy else 0,
            period_ns=self.period_ns if policy else 0,
            cores=self.cores if asked.cores else (),
        )


def differences(asked: Attributes, has: Attributes, *, follows: bool = False) -> tuple[str, ...]:
    """Name the attributes in force that differ from the requested ones.

    A thread of a following pool has the priority of the callback that it runs, up to its own.
    """
    found = []
    if asked.policy != "inherit" and not _same_policy(asked, has, follows):
        found.append("policy")
    if (
        asked.nice is not None
        and asked.policy in _WITH_NICE
        and (has.nice or 0) != asked.nice
        and "policy" not in found
    ):
        found.append("nice")
    if asked.cores and set(asked.cores) != set(has.cores):
        found.append("cores")
    return tuple(found)


def _same_policy(asked: Attributes, has: Attributes, follows: bool) -> bool:
    if asked.policy != has.policy:
        return False
    if asked.policy == "deadline":
        return asked.reservation() == has.reservation()
    if asked.policy not in _REAL_TIME:
        return True
    if follows:
        return 1 <= has.priority <= asked.priority
    return asked.priority == has.priority
