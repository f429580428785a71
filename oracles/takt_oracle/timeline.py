"""What happened: every start and every finished chain."""

from __future__ import annotations

from dataclasses import dataclass, field

from .exact import Num


@dataclass
class Start:
    """One run of a callback; `end` is None while it runs."""

    start: Num
    callback: str
    release: Num
    thread: int
    end: Num | None = None


@dataclass(frozen=True)
class ChainRun:
    """One activation that reached a callback whose publications nobody reads."""

    path: tuple[str, ...]
    release: Num
    start: Num
    end: Num

    @property
    def from_release(self) -> Num:
        """Response time: end - release of the root."""
        return self.end - self.release

    @property
    def from_start(self) -> Num:
        """End - start of the root's callback."""
        return self.end - self.start


@dataclass
class Timeline:
    """Starts in order of start (picks of one instant in pick order), chain runs by end."""

    starts: list[Start] = field(default_factory=list)
    chain_runs: list[ChainRun] = field(default_factory=list)
