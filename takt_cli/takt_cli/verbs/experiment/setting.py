"""The setting of an experiment, made from the options that all experiments share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.base.errors import TaktError
from takt_cli.files.schedule_files import Schedule, write_schedule
from takt_cli.running.host import Host, this_host
from takt_cli.running.runner import RunRequest


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

    def request(
        self, graph: Path, slug: str, content: Schedule, about: str, **more: Any
    ) -> RunRequest:
        """Ask for a run under a schedule, which is written beside the results."""
        return RunRequest(
            graph=graph,
            output=self.directory / f"{slug}.json",
            schedule=write_schedule(content, self.directory / f"schedules/{slug}.yaml", about),
            cores=self.cores,
            **more,
        )


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
