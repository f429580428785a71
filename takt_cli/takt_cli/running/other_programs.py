"""How much CPU other programs used on our cores while a run lasted.

Ordinary threads share cores with all other programs; real-time threads do not. A comparison of both
on a busy machine flatters real-time threads, so every result has the share of other programs.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path

from takt_cli.running.host import usable_cores

# Above this share of a core, readers should doubt a comparison.
NOTABLE_CORES = 0.15


class OtherPrograms:
    """Counts from its creation on; the caller asks after it waited for the end of the run."""

    def __init__(self, cores: Sequence[int]) -> None:
        self._cores = frozenset(cores or usable_cores())
        self._began = time.monotonic()
        self._busy_s = busy_s(_stat(), self._cores)
        self._own_s = _own_s()

    def cores(self) -> float:
        """Give the CPU time of others per wall time: 1.0 is one core."""
        elapsed = max(time.monotonic() - self._began, 1e-3)
        busy = busy_s(_stat(), self._cores) - self._busy_s
        return max(0.0, (busy - (_own_s() - self._own_s)) / elapsed)


def busy_s(stat: str, cores: frozenset[int]) -> float:
    """Sum user, nice, system and interrupt time of these cores, in s, from /proc/stat's text."""
    ticks = 0
    for line in stat.splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in cores:
            user, nice, system, _idle, _wait, irq, softirq = map(int, fields[:7])
            ticks += user + nice + system + irq + softirq
    return ticks / os.sysconf("SC_CLK_TCK")


def _own_s() -> float:
    """CPU time of this process and of children that were waited for."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


def _stat() -> str:
    return Path("/proc/stat").read_text(encoding="ascii")
