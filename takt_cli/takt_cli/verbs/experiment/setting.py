"""The setting of an experiment, made from the options that all experiments share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from takt_cli.base.errors import TaktError
from takt_cli.running.host import Host, this_host


@dataclass(frozen=True)
class Setting:
    """How long, where and on which cores."""

    directory: Path
    host: Host
    cores: tuple[int, ...]
    quick: bool
    duration_ns: int | None
    samples: int | None

    def length_ns(self, period_ns: int, samples: int, quick_s: float) -> int:
        """Duration of one run: as asked, else as long as the slowest chain's samples take."""
        if self.duration_ns is not None:
            return self.duration_ns
        if self.samples is not None:
            return (self.samples + 1) * period_ns
        if self.quick:
            return round(quick_s * 1e9)
        return (samples + 1) * period_ns


def make_setting(
    directory: Path,
    cores: tuple[int, ...],
    quick: bool,
    duration_ns: int | None,
    samples: int | None,
) -> Setting:
    """Check the options against each other and against the machine."""
    if duration_ns is not None and samples is not None:
        raise TaktError("--duration and --samples say the same thing twice; give one of them")
    for option, given in (("--duration", duration_ns), ("--samples", samples)):
        if quick and given is not None:
            raise TaktError(f"--quick and {option} say how long a run is twice; give one of them")
    host = this_host()
    return Setting(directory, host, cores, quick, duration_ns, samples)
