"""Checks and findings: the present state, a better one, the cost in latency, the remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from takt_cli.verbs.doctor.machine import Unreadable

if TYPE_CHECKING:
    from takt_cli.verbs.doctor.examination import Examination

Severity = Literal["bad", "warn", "note", "unknown", "ok"]
SEVERITIES: tuple[Severity, ...] = ("bad", "warn", "note", "unknown", "ok")
"""The gravest first. bad: real-time schedules do not hold. warn: costs latency. note: may matter
to some systems. unknown: cannot be read here."""

SCHEMA = 1
"""Version of the JSON document; it grows when a field changes its meaning or goes."""


@dataclass(frozen=True)
class Verdict:
    """The result of a check on this machine; the remedy is an exact command or file."""

    severity: Severity
    now: str
    remedy: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """One question about a machine; `to_read` says how an unreadable fact becomes readable."""

    id: str
    title: str
    better: str
    why: str
    judge: Callable[[Examination], Verdict]
    to_read: str = ""
    fixable: bool = False  # `takt doctor --fix` does it


@dataclass(frozen=True)
class Finding:
    """The answer to one check."""

    check: Check
    verdict: Verdict

    @property
    def id(self) -> str:
        """The check's name, which stays the same between versions of takt."""
        return self.check.id

    @property
    def severity(self) -> Severity:
        """How grave it is."""
        return self.verdict.severity

    @property
    def costs_latency(self) -> bool:
        """Tell whether the headline counts it."""
        return self.severity in ("bad", "warn")

    @property
    def fixable(self) -> bool:
        """Tell whether `takt doctor --fix` can fix it."""
        return self.check.fixable and self.costs_latency

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {
            "id": self.id,
            "title": self.check.title,
            "severity": self.severity,
            "now": self.verdict.now,
            "better": self.check.better,
            "why": self.check.why,
            "remedy": self.verdict.remedy,
            "fixable": self.fixable,
            "data": dict(self.verdict.data),
        }


def judge(check: Check, examination: Examination) -> Finding:
    """Ask one check; a fact that cannot be read makes the finding unknown, with the reason."""
    try:
        verdict = check.judge(examination)
    except Unreadable as unreadable:
        verdict = Verdict("unknown", unreadable.why, check.to_read)
    return Finding(check, verdict)


def by_gravity(findings: Iterable[Finding]) -> list[Finding]:
    """Sort the gravest first; within one severity the order stays."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def headline(findings: Sequence[Finding]) -> str:
    """Say in one sentence how fit the machine is."""
    bad, costly = ([f.id for f in findings if f.severity == one] for one in ("bad", "warn"))
    of_all = f"of {len(findings)} findings"
    said = []
    if bad:
        verb = "prevents" if len(bad) == 1 else "prevent"
        said.append(f"{len(bad)} {of_all} {verb} real-time schedules here: {', '.join(bad)}")
    if costly:
        verb = "costs latency" if len(costly) == 1 else "cost latency"
        where = "" if bad else f" {of_all}"
        here = "" if bad else " here"
        said.append(f"{len(costly)}{where} {verb}{here}: {', '.join(costly)}")
    if not said:
        said.append(f"None {of_all} costs latency here")
    unknown = sum(finding.severity == "unknown" for finding in findings)
    if unknown:
        said.append(f"{unknown} cannot be read")
    return f"{'; '.join(said)}."
