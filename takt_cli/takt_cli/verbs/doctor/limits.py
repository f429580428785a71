"""Rights of this user: real-time priorities, locked memory, SCHED_DEADLINE, control groups."""

from __future__ import annotations

import re

from takt_cli.base.units import parse_whole
from takt_cli.running.host import RTPRIO
from takt_cli.verbs.doctor.examination import Examination
from takt_cli.verbs.doctor.finding import Check, Verdict
from takt_cli.verbs.doctor.group_scheduling import has_group_scheduling, own_group, runtime_file
from takt_cli.verbs.doctor.machine import Machine, Unreadable, shown

LIMITS = "/proc/self/limits"
LIMITS_FILE = "/etc/security/limits.d/60-takt.conf"
STATUS = "/proc/self/status"
_CAP_IPC_LOCK = 14
_CAP_SYS_NICE = 23


def limit(machine: Machine, title: str) -> tuple[float, float]:
    """Give the soft and the hard limit of this process; infinity: unlimited."""
    match = re.search(rf"^{title} +(\S{{1,30}}) +(\S{{1,30}})", machine.read(LIMITS), re.MULTILINE)
    values = [_limit_value(word) for word in match.groups()] if match else []
    if len(values) != 2 or None in values:
        raise Unreadable(f"{LIMITS} has no line '{title}' with two limits")
    soft, hard = (float(value) for value in values if value is not None)
    return soft, hard


def _limit_value(word: str) -> float | None:
    return float("inf") if word == "unlimited" else parse_whole(word)


def has_capability(machine: Machine, number: int) -> bool:
    """Whether this process has a capability."""
    match = re.search(r"^CapEff:\s*([0-9a-f]{1,16})$", machine.read(STATUS), re.MULTILINE)
    if match is None:
        raise Unreadable(f"{STATUS} has no line CapEff with a number")
    return bool(int(match[1], 16) >> number & 1)


def _limits_line(machine: Machine, words: str) -> str:
    return f"`echo '{machine.user} - {words}' | sudo tee -a {LIMITS_FILE}`, and log in again"


def _judge_priority(look: Examination) -> Verdict:
    soft, hard = limit(look.machine, "Max realtime priority")
    capable = has_capability(look.machine, _CAP_SYS_NICE)
    granted = look.machine.realtime_allowed()
    data = {
        "soft": _finite(soft),
        "hard": _finite(hard),
        "cap_sys_nice": capable,
        "granted": granted,
    }
    now = f"user {look.machine.user}: limit {_priority(soft)} (hard {_priority(hard)}), "
    now += f"{'with' if capable else 'without'} CAP_SYS_NICE"
    if granted is False:
        if capable or soft >= 1:
            return Verdict(
                "bad",
                f"{now}, but the kernel refused a trial",
                "see cgroup.realtime; in a container: start it with --cap-add=SYS_NICE "
                f"--ulimit rtprio={RTPRIO}",
                data,
            )
        return Verdict("bad", now, _limits_line(look.machine, f"rtprio {RTPRIO}"), data)
    if capable or soft >= RTPRIO:
        return Verdict("ok", now, data=data)
    severity = "warn" if soft >= 1 or granted else "bad"
    return Verdict(severity, now, _limits_line(look.machine, f"rtprio {RTPRIO}"), data)


def _judge_deadline(look: Examination) -> Verdict:
    if has_capability(look.machine, _CAP_SYS_NICE):
        return Verdict("ok", "yes")
    return Verdict(
        "note",
        "no",
        f"`sudo setpriv --reuid={look.machine.user} --regid={look.machine.user} --init-groups "
        "--inh-caps=+sys_nice --ambient-caps=+sys_nice PROGRAM`; in a systemd unit: "
        "`AmbientCapabilities=CAP_SYS_NICE`",
    )


def _judge_memlock(look: Examination) -> Verdict:
    soft, hard = limit(look.machine, "Max locked memory")
    capable = has_capability(look.machine, _CAP_IPC_LOCK)
    data = {
        "soft_bytes": _finite(soft),
        "hard_bytes": _finite(hard),
        "cap_ipc_lock": capable,
    }
    now = f"user {look.machine.user}: limit {_mebibytes(soft)} (hard {_mebibytes(hard)})"
    if capable:
        return Verdict("ok", f"{now}, with CAP_IPC_LOCK", data=data)
    if soft == float("inf"):
        return Verdict("ok", now, data=data)
    return Verdict("warn", now, _limits_line(look.machine, "memlock unlimited"), data)


def _finite(value: float) -> int | None:
    return None if value == float("inf") else int(value)


def _priority(value: float) -> str:
    return "unlimited" if value == float("inf") else f"{value:g}"


def _mebibytes(value: float) -> str:
    return "unlimited" if value == float("inf") else f"{value / 2**20:g} MiB"


def _judge_cgroup_version(look: Examination) -> Verdict:
    version, group = own_group(look.machine)
    words = {1: "version 1", 2: "version 2"}[version]
    return Verdict("ok", f"{words}, group {shown(group)}", data={"version": version})


def _judge_cgroup_realtime(look: Examination) -> Verdict:
    version, group = own_group(look.machine)
    if version == 1:
        file = runtime_file(look.machine, group)
        if file is not None:
            return _judge_runtime(look.machine, file)
    elif look.machine.realtime_allowed() is True:
        return Verdict("ok", "the kernel granted a trial in this group")
    if not has_group_scheduling(look.machine):
        return Verdict("ok", "the kernel has no RT_GROUP_SCHED, so groups set no limit")
    if version == 2 and group == "/":
        return Verdict("ok", "RT_GROUP_SCHED, but this process is in the root group")
    return Verdict(
        "bad",
        "RT_GROUP_SCHED, and cgroup version 2 has no file that gives a group real-time runtime",
        "use a kernel without CONFIG_RT_GROUP_SCHED, or start programs in the root group: "
        "`echo $$ | sudo tee /sys/fs/cgroup/cgroup.procs`",
    )


def _judge_runtime(machine: Machine, file: str) -> Verdict:
    runtime = machine.number(file)
    data = {"runtime_us": runtime}
    if runtime:
        return Verdict("ok", f"{runtime / 1000:g} ms in each period", data=data)
    remedy = f"`echo 900000 | sudo tee {file}`, first in the groups above it"
    return Verdict("bad", "this group gets no real-time runtime", remedy, data)


CHECKS = (
    Check(
        "rights.priority",
        "Real-time priorities",
        f"an rtprio limit of {RTPRIO}, or CAP_SYS_NICE",
        "Without this right the kernel refuses each real-time priority of a schedule, and every "
        "ordinary thread delays the callbacks.",
        _judge_priority,
    ),
    Check(
        "rights.deadline",
        "SCHED_DEADLINE (CAP_SYS_NICE)",
        "CAP_SYS_NICE, where schedules have threads of policy deadline",
        "An rtprio limit covers SCHED_FIFO and SCHED_RR only: the kernel wants the capability for "
        "SCHED_DEADLINE.",
        _judge_deadline,
    ),
    Check(
        "rights.memlock",
        "Locked memory",
        "unlimited, or CAP_IPC_LOCK",
        "A program that cannot lock its memory waits for the kernel, and perhaps for a disk, when "
        "it touches a page that is not present.",
        _judge_memlock,
    ),
    Check(
        "cgroup.version",
        "Control groups",
        "either version",
        "The version decides where a group's limits are, and which of them exist.",
        _judge_cgroup_version,
    ),
    Check(
        "cgroup.realtime",
        "Real-time runtime of this group",
        "more than 0, or a kernel without RT_GROUP_SCHED",
        "In a group without real-time runtime the kernel refuses real-time priorities, also to "
        "root.",
        _judge_cgroup_realtime,
    ),
)
