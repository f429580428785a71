"""Interrupts and softirqs: how many each core got within the window, and where they may run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from takt_cli.base.cores import core_list, cores_are, cores_words
from takt_cli.verbs.doctor.examination import INTERRUPTS, Counts, Examination, parse_counts
from takt_cli.verbs.doctor.finding import Check, Verdict
from takt_cli.verbs.doctor.machine import Machine, Unreadable, parse_core_list, shown
from takt_cli.verbs.doctor.remedies import FIX, boot_options

IRQ = "/proc/irq"
DEFAULT_AFFINITY = f"{IRQ}/default_smp_affinity"
# A core with at most this many interrupts per second is quiet: without a tick it has about one.
_QUIET_PER_SECOND = 10


def _difference(look: Examination, kind: str) -> dict[str, dict[int, int]]:
    """Count interrupts within the window, by name and core."""
    before: Counts | Unreadable = getattr(look.before, kind)
    after: Counts | Unreadable = getattr(look.after, kind)
    if isinstance(before, Unreadable):
        raise before
    if isinstance(after, Unreadable):
        raise after
    return {
        name: {
            # An interrupt that was set up meanwhile began at 0; counters of 32 bits wrap.
            core: (count - before.get(name, {}).get(core, 0)) % 2**32
            for core, count in row.items()
        }
        for name, row in after.items()
    }


def _per_second(counts: Mapping[str, Mapping[int, int]], look: Examination) -> dict[int, float]:
    cores = sorted({core for row in counts.values() for core in row})
    return {
        core: round(sum(row.get(core, 0) for row in counts.values()) / look.window_s, 1)
        for core in cores
    }


def _quiet_verdict(
    counts: Mapping[str, Mapping[int, int]], look: Examination, what: str, remedy: str, allowed: int
) -> Verdict:
    """Judge the reserved cores; without such cores only report the rates."""
    rates = _per_second(counts, look)
    data = {
        "window_s": look.window_s,
        "per_second": {str(core): rate for core, rate in rates.items()},
    }
    apart = look.realtime_cores()
    if not rates:
        raise Unreadable(f"the kernel counts no {what}")
    if not apart:
        rate, worst = max((rate, core) for core, rate in rates.items())
        now = f"no core is set apart; at most {rate:g} a second (core {worst})"
        return Verdict("note", now, "name the cores for real-time threads: --cpus LIST", data)
    absent = [core for core in apart if core not in rates]
    if absent:
        raise Unreadable(f"the kernel counts no {what} for core {absent[0]}")
    loud = [core for core in apart if rates[core] > allowed]
    if not loud:
        most = max(rates[core] for core in apart)
        now = f"{cores_are(apart)} quiet: at most {most:g} a second"
        return Verdict("ok", now, data=data)
    core = max(loud, key=lambda core: rates[core])
    names = sorted(counts, key=lambda name: -counts[name].get(core, 0))
    most_of = [
        f"{shown(name)} {counts[name][core] / look.window_s:g}"
        for name in names[:3]
        if counts[name].get(core, 0)
    ]
    now = f"core {core} has {rates[core]:g} a second ({', '.join(most_of)})"
    return Verdict("warn", now, remedy, {**data, "loud": loud})


def _is_device(name: str) -> bool:
    """Whether a row of /proc/interrupts begins with a number; the kernel's own have letters."""
    return name[:1].isdigit()


def _boot_affinity(look: Examination) -> str:
    return boot_options(f"irqaffinity={core_list(look.other_cores())}")


def _judge_devices(look: Examination) -> Verdict:
    counts = _difference(look, "interrupts")
    devices = {name: row for name, row in counts.items() if _is_device(name)}
    remedy = f"{FIX}, which moves them to other cores; or {_boot_affinity(look)}"
    return _quiet_verdict(devices, look, "interrupts", remedy, 0)


def _tickless(look: Examination) -> str:
    return boot_options(f"nohz_full={core_list(look.realtime_cores())}")


def _judge_internal(look: Examination) -> Verdict:
    counts = _difference(look, "interrupts")
    internal = {name: row for name, row in counts.items() if not _is_device(name)}
    remedy = (
        f"for LOC (the tick, timers) {_tickless(look)}, and stop programs on these cores; for RES, "
        "CAL and TLB (threads of one process on several cores) bind each process to its cores"
    )
    return _quiet_verdict(internal, look, "interrupts", remedy, _QUIET_PER_SECOND)


def _judge_softirqs(look: Examination) -> Verdict:
    remedy = (
        f"for TIMER, SCHED and RCU {_tickless(look)}; for NET_RX move the network card's "
        "interrupts (irq.affinity)"
    )
    counts = _difference(look, "softirqs")
    return _quiet_verdict(counts, look, "softirqs", remedy, _QUIET_PER_SECOND)


def affinities(machine: Machine) -> dict[int, tuple[int, ...]]:
    """Give the cores on which each interrupt may run, of those that can be moved."""
    numbers = [int(name) for name in machine.names(IRQ) if re.fullmatch("[0-9]{1,9}", name)]
    fixed = _numbers_of_cores(machine)
    found = {}
    for number in sorted(set(numbers) - fixed):
        cores = machine.read_if_there(affinity_file(number))
        if cores is not None:  # else it was freed meanwhile
            found[number] = parse_core_list(cores, affinity_file(number))
    return found


def _numbers_of_cores(machine: Machine) -> set[int]:
    """Give the numbers of interrupts that each core has for itself, as timers of ARM."""
    rows = parse_counts(machine.read(INTERRUPTS), INTERRUPTS)
    words = [name.split() for name in rows if not _is_device(name)]
    return {int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isdigit()}


def affinity_file(number: int) -> str:
    """Give the file with the cores of an interrupt."""
    return f"{IRQ}/{number}/smp_affinity_list"


def parse_mask(text: str) -> tuple[int, ...]:
    """Read a mask of cores: groups of 32 bits in hexadecimal, the last one for cores 0 to 31."""
    if len(text) > 20_000 or not re.fullmatch("[0-9a-f]{1,8}(,[0-9a-f]{8})*", text):
        raise Unreadable(f"{DEFAULT_AFFINITY} says '{shown(text)}', which is not a mask of cores")
    bits = int(text.replace(",", ""), 16)
    return tuple(core for core in range(bits.bit_length()) if bits >> core & 1)


def mask_of(cores: tuple[int, ...]) -> str:
    """Spell cores as a mask."""
    bits = sum(1 << core for core in cores)
    groups = [bits >> shift & 0xFFFFFFFF for shift in range(0, max(bits.bit_length(), 1), 32)]
    first, *others = reversed(groups)
    return ",".join([f"{first:x}", *(f"{group:08x}" for group in others)])


def _judge_affinity(look: Examination) -> Verdict:
    apart = look.realtime_cores()
    found = affinities(look.machine)
    default = parse_mask(look.machine.read(DEFAULT_AFFINITY))
    if not apart:
        now = f"no core is set apart; {len(found)} interrupts"
        return Verdict("note", now, "name the cores for real-time threads: --cpus LIST")
    there = [number for number, cores in found.items() if set(cores) & set(apart)]
    cores = cores_words(apart)
    data = {"interrupts": there, "default": bool(set(default) & set(apart))}
    if not there and not data["default"]:
        return Verdict("ok", f"no interrupt of a device may run on {cores}", data=data)
    now = f"{len(there)} of {len(found)} interrupts may run on {cores}"
    if data["default"]:
        now += ", and so may each new one"
    return Verdict("warn", now, f"{FIX}; or {_boot_affinity(look)}", data)


CHECKS = (
    Check(
        "irq.devices",
        "Interrupts of devices",
        "none on the cores for real-time threads",
        "The handler of an interrupt, and the softirq after it, run before every thread of a core.",
        _judge_devices,
    ),
    Check(
        "irq.internal",
        "Interrupts of timers and between cores",
        f"at most {_QUIET_PER_SECOND} a second on idle cores for real-time threads",
        "The tick and the calls of other cores interrupt whatever thread runs. Timers of your own "
        "real-time threads count here, too, so stop these threads before you judge.",
        _judge_internal,
    ),
    Check(
        "irq.softirqs",
        "Softirqs",
        f"at most {_QUIET_PER_SECOND} a second on idle cores for real-time threads",
        "Softirqs process packets, timers and RCU callbacks right after an interrupt, before the "
        "interrupted thread goes on.",
        _judge_softirqs,
    ),
    Check(
        "irq.affinity",
        "Cores of the interrupts",
        "no interrupt may run on the cores for real-time threads",
        "An interrupt that may run on such a core comes there sooner or later, even if it was "
        "quiet in the window.",
        _judge_affinity,
        fixable=True,
    ),
)
