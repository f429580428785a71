"""Control groups: the group of this process, and whether the kernel limits real-time groups."""

from __future__ import annotations

import gzip
import re
import zlib
from io import BytesIO

from takt_cli.verbs.doctor.machine import Machine, Unreadable, shown

CGROUP = "/proc/self/cgroup"
# Where distributions mount the controller cpu of version 1.
CPU_MOUNTS = ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct")
RUNTIME = "cpu.rt_runtime_us"
_MOST_CONFIG = 4 << 20


def own_group(machine: Machine) -> tuple[int, str]:
    """Give the version of the hierarchy that schedules this process, and its group there."""
    unified = None
    for line in machine.read(CGROUP).splitlines():
        number, colon, rest = line.partition(":")
        controllers, second, group = rest.partition(":")
        if not colon or not second or not group.startswith("/"):
            continue
        if "cpu" in controllers.split(","):
            return 1, group
        if number == "0" and not controllers:
            unified = group
    if unified is None:
        raise Unreadable(f"{CGROUP} names no group of this process")
    return 2, unified


def runtime_file(machine: Machine, group: str) -> str | None:
    """Give the file with a group's real-time runtime in version 1; None: there is none."""
    for mount in CPU_MOUNTS:
        file = f"{mount}{group.rstrip('/')}/{RUNTIME}"
        if machine.read_if_there(file) is not None:
            return file
    return None


def has_group_scheduling(machine: Machine) -> bool:
    """Whether the kernel was built with RT_GROUP_SCHED: by its files, or by its configuration."""
    if runtime_file(machine, "/") is not None:
        return True
    release = machine.read("/proc/sys/kernel/osrelease")
    try:
        config = machine.read(f"/boot/config-{release}")
    except Unreadable:
        try:
            config = _unpacked(machine.read_bytes("/proc/config.gz"))
        except Unreadable:
            raise Unreadable(
                f"neither /boot/config-{shown(release)} nor /proc/config.gz says whether the "
                "kernel limits groups (RT_GROUP_SCHED)"
            ) from None
    if "CONFIG_" not in config:
        raise Unreadable("the kernel's configuration file has no option in it")
    return bool(re.search("^CONFIG_RT_GROUP_SCHED=y$", config, re.MULTILINE))


def _unpacked(data: bytes) -> str:
    try:
        with gzip.open(BytesIO(data)) as file:
            return file.read(_MOST_CONFIG).decode("ascii", "replace")
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(f"/proc/config.gz cannot be unpacked: {error}") from error
