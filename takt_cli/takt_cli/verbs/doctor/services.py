"""Services that are known to change interrupts and frequencies, or to load cores now and then."""

from __future__ import annotations

import re

from takt_cli.base.cores import core_list, cores_words
from takt_cli.verbs.doctor.examination import Examination, isolated_cores, tickless_cores
from takt_cli.verbs.doctor.finding import Check, Severity, Verdict
from takt_cli.verbs.doctor.machine import Machine, Unreadable, parse_core_list

# The kernel cuts the name of a process after 15 characters.
_CUT = 15
_BALANCERS = ("irqbalance",)
_POWER = (
    "tuned",
    "thermald",
    "power-profiles-daemon",
    "auto-cpufreq",
    "cpufreqd",
    "tlp",
    "laptop_mode",
)
# A script of Ubuntu that has set the governor and ended some time after the start.
_ONDEMAND = re.compile(r"ondemand\.service|S[0-9]{2}ondemand")
_STARTED = ("/etc/systemd/system/multi-user.target.wants", "/etc/rc2.d")
_URGENT = ("multipathd",)
_JOBS = (
    "unattended-upgrade",
    "unattended-upgrades",
    "packagekitd",
    "apt.systemd.daily",
    "apt-get",
    "cron",
    "crond",
    "anacron",
    "atd",
    "snapd",
    "fwupd",
    "updatedb",
    "updatedb.mlocate",
    "updatedb.plocate",
    "tracker-miner-fs",
    "tracker-miner-fs-3",
    "baloo_file",
)
INITIAL_NAMESPACE = "pid:[4026531836]"
"""The kernel gives this fixed number to the processes' first name space."""


def running(machine: Machine, services: tuple[str, ...]) -> list[str]:
    """Give the names of those services of which a process runs."""
    cut = {service[:_CUT]: service for service in services}
    found = set()
    for process in machine.processes():
        try:
            name = machine.read(f"/proc/{process}/comm")
        except Unreadable:
            continue  # the process has ended
        if name in cut:
            found.add(cut[name])
    return sorted(found)


def hidden_processes(machine: Machine) -> str:
    """Say why some processes cannot be seen from here; nothing if all can."""
    if machine.read_if_there("/proc/1/comm") is None:
        return "/proc hides the processes of other users (hidepid)"
    if machine.link("/proc/self/ns/pid") != INITIAL_NAMESPACE:
        return "the processes outside of this container cannot be seen from here"
    return ""


def _judge(
    look: Examination,
    services: tuple[str, ...],
    severity: Severity,
    advice: str = "",
    enabled: tuple[str, ...] = (),
) -> Verdict:
    """Judge services of which a process runs, and the `enabled` ones, which ran at the start."""
    found = sorted({*running(look.machine, services), *enabled})
    data = {"running": found}
    if found:
        units = " ".join(found)
        remedy = f"`sudo systemctl disable --now {units}`{advice}"
        verb = "runs" if len(found) == 1 else "run"
        return Verdict(severity, f"{', '.join(found)} {verb}", remedy, data)
    hidden = hidden_processes(look.machine)
    if hidden:
        raise Unreadable(hidden)
    return Verdict("ok", "none of them runs", data=data)


def _judge_power(look: Examination) -> Verdict:
    started = (name for folder in _STARTED for name in look.machine.names_if_there(folder))
    enabled = ("ondemand",) if any(map(_ONDEMAND.fullmatch, started)) else ()
    advice = "; with tuned: `sudo tuned-adm profile latency-performance`"
    return _judge(look, _POWER, "warn", advice, enabled)


_TO_READ = "run `takt doctor` as root outside of containers"


def _judge_balancer(look: Examination) -> Verdict:
    apart = look.realtime_cores()
    banned = core_list(apart) or "LIST"
    verdict = _judge(
        look,
        _BALANCERS,
        "warn",
        f"; or write the line `IRQBALANCE_BANNED_CPULIST={banned}`, with the cores for real-time "
        "threads, into /etc/default/irqbalance",
    )
    if verdict.severity == "ok" or not apart or is_balanced(look.machine, apart):
        return verdict
    now = f"irqbalance runs, and leaves {cores_words(apart)} alone"
    return Verdict("ok", now, data=verdict.data)


def is_balanced(machine: Machine, cores: tuple[int, ...]) -> bool:
    """Whether irqbalance runs and may move interrupts to one of these cores."""
    return bool(running(machine, _BALANCERS)) and not set(cores) <= set(banned_cores(machine))


def banned_cores(machine: Machine) -> tuple[int, ...]:
    """Give the cores to which irqbalance moves nothing: by its settings, or those apart."""
    for file in ("/etc/default/irqbalance", "/etc/sysconfig/irqbalance"):
        text = machine.read_if_there(file) or ""
        match = re.search(r"^IRQBALANCE_BANNED_CPULIST=[\"']?([0-9,-]*)", text, re.MULTILINE)
        if match and match[1]:
            return parse_core_list(match[1], file)
    return (*isolated_cores(machine), *tickless_cores(machine))


CHECKS = (
    Check(
        "services.interrupts",
        "Services that move interrupts",
        "no irqbalance, or with the cores for real-time threads banned",
        "irqbalance moves interrupts to any core that is neither isolated nor banned, also to one "
        "from which you moved them.",
        _judge_balancer,
        to_read=_TO_READ,
    ),
    Check(
        "services.power",
        "Services that manage power",
        "none, or with a profile for latency",
        "They change governors, frequencies and idle states while the robot works, and thermald "
        "makes a warm processor idle.",
        _judge_power,
        to_read=_TO_READ,
    ),
    Check(
        "services.realtime",
        "Services with real-time threads",
        "none but the robot's own",
        "multipathd runs at SCHED_RR 99, above every thread of a schedule, and locks its memory; "
        "only disks with several paths need it.",
        lambda look: _judge(look, _URGENT, "warn"),
        to_read=_TO_READ,
    ),
    Check(
        "services.jobs",
        "Services that start jobs",
        "none on a robot that works",
        "Their jobs load cores, disk and network at times that nobody chose.",
        lambda look: _judge(look, _JOBS, "note"),
        to_read=_TO_READ,
    ),
)
