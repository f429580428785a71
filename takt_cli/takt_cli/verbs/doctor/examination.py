"""One look at a machine: its files, the cores in question, and counters over a window of time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from takt_cli.base.units import parse_whole
from takt_cli.verbs.doctor.machine import Machine, Unreadable, parse_core_list, shown

INTERRUPTS = "/proc/interrupts"
SOFTIRQS = "/proc/softirqs"
_SMI_COUNT = 0x34  # MSR_SMI_COUNT of Intel's processors
# Rows of numbered interrupts that belong to each core: the timers and counters of ARM.
_OF_CORES = re.compile("arch_timer|arm-pmu|IPI", re.IGNORECASE)

Counts = Mapping[str, Mapping[int, int]]
"""By name of the interrupt and by core."""


@dataclass(frozen=True)
class Counters:
    """The counters at one moment; for unreadable ones the reason."""

    interrupts: Counts | Unreadable
    softirqs: Counts | Unreadable
    smis: Mapping[int, int] | Unreadable


@dataclass(frozen=True)
class Examination:
    """The facts that the checks judge."""

    machine: Machine
    window_s: float
    before: Counters
    after: Counters
    chosen: tuple[int, ...] | None = None  # by --cpus

    def realtime_cores(self) -> tuple[int, ...]:
        """Give the cores for real-time threads: the chosen cores, else the isolated ones."""
        return self.chosen if self.chosen is not None else isolated_cores(self.machine)

    def other_cores(self) -> tuple[int, ...]:
        """Give all other cores."""
        apart = self.realtime_cores()
        return tuple(core for core in self.machine.online_cores() if core not in apart)

    def command_line(self) -> Mapping[str, str]:
        """Give the options that the kernel was booted with; the last of a name counts."""
        return command_line(self.machine)


def examine(machine: Machine, window_s: float, chosen: tuple[int, ...] | None) -> Examination:
    """Read the counters, wait, and read them again."""
    before = read_counters(machine)
    machine.sleep(window_s)
    return Examination(machine, window_s, before, read_counters(machine), chosen)


def command_line(machine: Machine) -> Mapping[str, str]:
    """Give the options that the kernel was booted with."""
    words = machine.read("/proc/cmdline").split()
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def isolated_cores(machine: Machine) -> tuple[int, ...]:
    """Give the cores that the kernel's load balancer leaves alone."""
    isolated = set(machine.cores("/sys/devices/system/cpu/isolated"))
    partitions = machine.read_if_there("/sys/fs/cgroup/cpuset.cpus.isolated")
    if partitions:
        isolated.update(parse_core_list(partitions, "/sys/fs/cgroup/cpuset.cpus.isolated"))
    return tuple(sorted(isolated))


def tickless_cores(machine: Machine) -> tuple[int, ...]:
    """Give the cores on which the kernel stops the tick while one thread runs."""
    name = "/sys/devices/system/cpu/nohz_full"
    said = machine.read_if_there(name)
    # Some kernels spell an empty list so; a kernel without NO_HZ_FULL has no file.
    return parse_core_list(said, name) if said and said != "(null)" else ()


def cores_of_option(options: Mapping[str, str], name: str) -> tuple[int, ...]:
    """Give the cores that an option of the kernel's command line names; none without it."""
    words = [word for word in options.get(name, "").split(",") if word]
    return parse_core_list(",".join(words), f"the option {name} of /proc/cmdline")


def read_counters(machine: Machine) -> Counters:
    """Read all counters of this moment."""
    return Counters(_counts(machine, INTERRUPTS), _counts(machine, SOFTIRQS), _smi_counts(machine))


def _counts(machine: Machine, name: str) -> Counts | Unreadable:
    try:
        return parse_counts(machine.read(name), name)
    except Unreadable as unreadable:
        return unreadable


def parse_counts(text: str, name: str) -> Counts:
    """Read a table of the kernel: a column for each core, a row for each interrupt."""
    lines = text.splitlines()
    words = lines[0].split() if lines else []
    cores = [parse_whole(word.removeprefix("CPU")) for word in words]
    if not cores or None in cores or not all(word.startswith("CPU") for word in words):
        raise Unreadable(f"{name} begins with '{shown(text)}' and not with the names of cores")
    table: dict[str, dict[int, int]] = {}
    for line in lines[1:]:
        label, colon, rest = line.partition(":")
        numbers = [parse_whole(word) for word in rest.split()[: len(cores)]]
        # ERR and MIS have one number for the whole machine.
        if not colon or len(numbers) < len(cores) or None in numbers:
            continue
        table[_row_name(label.strip(), rest.split()[len(cores) :])] = {
            core: number
            for core, number in zip(cores, numbers, strict=True)
            if core is not None and number is not None
        }
    if not table:
        raise Unreadable(f"{name} has no row of counts")
    return table


def _row_name(label: str, description: list[str]) -> str:
    """Name a row: an interrupt of a device by its number and its last word, others as they are."""
    if not re.fullmatch("[0-9]{1,9}", label):
        return label
    if _OF_CORES.search(" ".join(description)):
        return f"{description[-1]} {label}"
    return " ".join([label, *description[-1:]])


def _smi_counts(machine: Machine) -> Mapping[int, int] | Unreadable:
    try:
        vendor = "vendor_id\t: GenuineIntel" in machine.read("/proc/cpuinfo")
        if not vendor:
            return Unreadable("only Intel's processors count their system management interrupts")
        return {
            core: machine.eight_bytes(f"/dev/cpu/{core}/msr", _SMI_COUNT) & 0xFFFFFFFF
            for core in machine.online_cores()
        }
    except Unreadable as unreadable:
        return unreadable
