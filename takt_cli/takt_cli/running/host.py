"""The properties and rights of this machine, and the measurement of `takt_measure_host`."""

from __future__ import annotations

import getpass
import os
import platform
import resource
import signal
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from takt_cli.base.errors import TaktError
from takt_cli.base.processes import run_json
from takt_cli.base.programs import find_program
from takt_cli.documents.document import Document
from takt_cli.documents.told import read_told

# takt's schedules use priorities up to this; kernel threads have 99.
RTPRIO = 98
MOST_CORES = 4
"""As many as the demonstration and the experiments use unless told otherwise."""


def usable_cores() -> tuple[int, ...]:
    """Give the cores that this process may use."""
    return tuple(sorted(os.sched_getaffinity(0)))


def first_cores(cores: int | None) -> tuple[int, ...]:
    """Take as many of the usable cores as asked for."""
    usable = usable_cores()
    if cores is not None and not 1 <= cores <= len(usable):
        raise TaktError(
            f"--core-count {cores} is a number of cores, and this process may use 1 to "
            f"{len(usable)}"
        )
    return usable[: cores or MOST_CORES]


@dataclass(frozen=True)
class Host:
    """Facts that need no measurement."""

    name: str
    cpu: str
    kernel: str
    preempt_rt: bool
    cores: tuple[int, ...]  # the cores that this process may use
    realtime_allowed: bool
    governor: str
    virtual: bool

    def describe(self) -> str:
        """Say it in one line."""
        rights = "real-time priorities allowed" if self.realtime_allowed else "nice levels only"
        where = ", virtual machine" if self.virtual else ""
        count = "1 core" if len(self.cores) == 1 else f"{len(self.cores)} cores"
        return f"{self.cpu}, {count}{where}, Linux {self.kernel}, {rights}"

    def as_json(self) -> dict[str, Any]:
        """Give it for files."""
        return {**asdict(self), "cores": list(self.cores)}


def this_host() -> Host:
    """Read the facts."""
    cpuinfo = _read("/proc/cpuinfo")
    fields = {
        key.strip(): value.strip()
        for key, _, value in (line.partition(":") for line in cpuinfo.splitlines()[:40])
    }
    return Host(
        name=platform.node(),
        cpu=fields.get("model name") or fields.get("Model") or platform.machine(),
        kernel=platform.release(),
        preempt_rt=_read("/sys/kernel/realtime").strip() == "1",
        cores=usable_cores(),
        realtime_allowed=realtime_allowed(),
        governor=_read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip(),
        virtual="hypervisor" in fields.get("flags", "").split(),
    )


def realtime_allowed() -> bool:
    """Whether this process may set a real-time policy: tried, in a child that ends at once.

    Limits, capabilities and containers are all judged by the kernel this way.
    """
    # An interrupt is the parent's to tell, not that of a child that has no way to say it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        child = os.fork()
        if child == 0:
            refused = 1
            try:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
                refused = 0
            finally:
                os._exit(refused)
        _, status = os.waitpid(child, 0)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return status == 0


def rights_hint() -> str:
    """Say how to get the right to use real-time priorities."""
    soft, _ = resource.getrlimit(resource.RLIMIT_RTPRIO)
    return (
        f"the real-time priority limit is {soft}; to raise it write the line "
        f"'{user_name()} - rtprio {RTPRIO}' into a file in /etc/security/limits.d and log in "
        "again; in a container, start that with --cap-add=SYS_NICE"
    )


def user_name() -> str:
    """Give the name of this user, or the number of a user without a name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        return str(os.getuid())


class Measured(Document, at="host"):
    """What `takt_measure_host` measured."""


def measure_host(timeout_s: float = 300) -> Measured:
    """Run the measurement: timer lateness, hand-over cost, work calibration, host stalls."""
    program = find_program("takt_measure_host", "takt_workload")
    return read_told(Measured, run_json(program, [], timeout_s=timeout_s), program.name)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
