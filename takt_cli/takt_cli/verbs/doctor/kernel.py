"""The kernel: its preemption, its limits for real-time threads, its clock."""

from __future__ import annotations

import re

from takt_cli.verbs.doctor.examination import Examination
from takt_cli.verbs.doctor.finding import Check, Verdict
from takt_cli.verbs.doctor.group_scheduling import has_group_scheduling
from takt_cli.verbs.doctor.machine import Machine, Unreadable, shown
from takt_cli.verbs.doctor.remedies import FIX, boot_options, set_file, set_sysctl

VERSION = "/proc/sys/kernel/version"
RELEASE = "/proc/sys/kernel/osrelease"
DEBUG_PREEMPT = "/sys/kernel/debug/sched/preempt"
FAIR_SERVER = "/sys/kernel/debug/sched/fair_server"
RT_RUNTIME = "/proc/sys/kernel/sched_rt_runtime_us"
RT_PERIOD = "/proc/sys/kernel/sched_rt_period_us"
CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
# Since this kernel the fair server replaces the throttling of real-time threads.
_FAIR_SERVER_SINCE = (6, 12)
_GOOD_CLOCKS = frozenset({"tsc", "arch_sys_counter"})
_SLOW_CLOCKS = frozenset({"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"})


def is_preempt_rt(machine: Machine) -> bool:
    """Whether the kernel is built with PREEMPT_RT."""
    said = machine.read_if_there("/sys/kernel/realtime")
    if said in ("0", "1"):
        return said == "1"
    return "PREEMPT_RT" in _version(machine).split()


def _version(machine: Machine) -> str:
    """Give the line of `uname -v`, which lists how the kernel was built."""
    text = machine.read(VERSION)
    if not text.startswith("#"):
        raise Unreadable(f"{VERSION} says '{shown(text)}', which is not a kernel's version")
    return text


def kernel_release(machine: Machine) -> tuple[int, int]:
    """Give the first two numbers of the kernel's release."""
    text = machine.read(RELEASE)
    match = re.match(r"([0-9]{1,4})\.([0-9]{1,4})", text)
    if match is None:
        raise Unreadable(f"{RELEASE} says '{shown(text)}', which is not a kernel's release")
    return int(match[1]), int(match[2])


def has_fair_server(machine: Machine) -> bool:
    """Whether the kernel keeps time for ordinary threads by a fair server."""
    return kernel_release(machine) >= _FAIR_SERVER_SINCE


def _judge_realtime(look: Examination) -> Verdict:
    release = shown(look.machine.read(RELEASE))
    if is_preempt_rt(look.machine):
        return Verdict("ok", f"Linux {release} with PREEMPT_RT", data={"release": release})
    return Verdict(
        "warn",
        f"Linux {release} without PREEMPT_RT",
        "`sudo apt install linux-image-rt-$(dpkg --print-architecture)` (Debian) or "
        "`sudo pro enable realtime-kernel` (Ubuntu Pro), and reboot",
        {"release": release},
    )


def _judge_preemption(look: Examination) -> Verdict:
    if is_preempt_rt(look.machine):
        return Verdict("ok", "full, by PREEMPT_RT", data={"model": "full"})
    model = preemption_model(look)
    data = {"model": model}
    if model == "full":
        return Verdict("ok", "full: a real-time thread preempts system calls", data=data)
    return Verdict("warn", f"{model}", boot_options("preempt=full"), data)


def preemption_model(look: Examination) -> str:
    """Give the model of a kernel without PREEMPT_RT."""
    built = _version(look.machine).split()
    if "PREEMPT_DYNAMIC" not in built:
        return "full" if "PREEMPT" in built else "none or voluntary"
    try:
        text = look.machine.read(DEBUG_PREEMPT)
        match = re.search(r"\(([a-z]{1,20})\)", text)  # none voluntary (full)
        if match is None:
            raise Unreadable(f"{DEBUG_PREEMPT} says '{shown(text)}' and marks no model")
        return match[1]
    except Unreadable as unreadable:
        booted = look.command_line().get("preempt", "")
        if booted in ("none", "voluntary", "full", "lazy"):
            return booted
        raise Unreadable(f"the kernel can change its model, and {unreadable.why}") from unreadable


def _has_limit(runtime: int, period: int) -> bool:
    return runtime >= 0 and not runtime >= period > 0


def is_throttled(machine: Machine) -> bool:
    """Whether the kernel stops real-time threads that use more than a share of a period."""
    runtime, period = machine.number(RT_RUNTIME), machine.number(RT_PERIOD)
    return _has_limit(runtime, period) and (
        not has_fair_server(machine) or has_group_scheduling(machine)
    )


def _judge_throttling(look: Examination) -> Verdict:
    runtime, period = look.machine.number(RT_RUNTIME), look.machine.number(RT_PERIOD)
    data = {"runtime_us": runtime, "period_us": period}
    if not _has_limit(runtime, period):
        return Verdict("ok", "off", data=data)
    now = f"real-time threads get at most {runtime / 1000:g} ms of {period / 1000:g} ms"
    remedy = f"{set_sysctl('kernel.sched_rt_runtime_us', -1)}; or {FIX}"
    if not is_throttled(look.machine):
        return Verdict(
            "ok",
            f"{now} if they are SCHED_DEADLINE; for others see kernel.fair_server",
            data=data,
        )
    if runtime == 0:
        return Verdict("bad", "real-time threads get no time at all", remedy, data)
    return Verdict("warn", now, remedy, data)


def fair_server_files(machine: Machine) -> dict[str, int]:
    """Give the runtime in nanoseconds of each core's fair server, by its file."""
    folders = [name for name in machine.names(FAIR_SERVER) if re.fullmatch("cpu[0-9]{1,5}", name)]
    if not folders:
        raise Unreadable(f"{FAIR_SERVER} has no core")
    files = [f"{FAIR_SERVER}/{name}/runtime" for name in folders]
    return {file: machine.number(file) for file in files}


def _judge_fair_server(look: Examination) -> Verdict:
    try:
        files = fair_server_files(look.machine)
    except Unreadable:
        if not has_fair_server(look.machine):
            return Verdict("ok", "this kernel has none; see kernel.rt_throttling")
        raise
    most = max(files.values())
    data = {"runtime_ns": most}
    if most == 0:
        return Verdict("ok", "off", data=data)
    remedy = f"{set_file(f'{FAIR_SERVER}/cpu0/runtime', 0)}, and so for each core; or {FIX}"
    return Verdict(
        "warn", f"ordinary threads get up to {most / 1e6:g} ms of a period", remedy, data
    )


def _judge_clock(look: Examination) -> Verdict:
    clock = shown(look.machine.read(CLOCK))
    data = {"clock": clock}
    if clock in _GOOD_CLOCKS:
        return Verdict("ok", clock, data=data)
    if not re.fullmatch("[a-z0-9_-]{1,40}", clock):
        raise Unreadable(f"{CLOCK} says '{clock}', which is not the name of a clock")
    others = look.machine.read(CLOCK.replace("current", "available")).split()
    remedy = "`sudo dmesg | grep -i -e tsc -e clocksource` says why the kernel chose this clock"
    if "tsc" in others:
        remedy = f"{set_file(CLOCK, 'tsc')}; {remedy}"
    if clock in _SLOW_CLOCKS:
        return Verdict("warn", clock, remedy, data)
    return Verdict("note", f"{clock}: the clock of a hypervisor or of this board", remedy, data)


_ROOT = (
    "run `takt doctor` as root, with debugfs mounted: "
    "`sudo mount -t debugfs none /sys/kernel/debug`"
)

CHECKS = (
    Check(
        "kernel.realtime",
        "Real-time kernel",
        "a kernel with PREEMPT_RT",
        "Without PREEMPT_RT, interrupt handlers, softirqs and spinlock sections of the kernel run "
        "before every real-time thread, for a time without a bound.",
        _judge_realtime,
    ),
    Check(
        "kernel.preemption",
        "Preemption model",
        "full",
        "In the models none, voluntary and lazy a thread inside the kernel can keep its core until "
        "it reaches a point where it gives the core up.",
        _judge_preemption,
        to_read=_ROOT,
    ),
    Check(
        "kernel.rt_throttling",
        "Throttling of real-time threads",
        "off (-1), or schedules that load no core beyond the limit",
        "Once the real-time threads of a core have used their share of a period, the kernel stops "
        "them for the rest of it: 50 ms of each second by default. With -1 the kernel also admits "
        "any load of SCHED_DEADLINE threads.",
        _judge_throttling,
        fixable=True,
    ),
    Check(
        "kernel.fair_server",
        "Fair server",
        "off (0), or schedules that leave each core some time",
        "Where real-time threads fill a core, the fair server stops them to run ordinary threads: "
        "50 ms of each second by default. Without it, a thread that never ends starves the core.",
        _judge_fair_server,
        to_read=_ROOT,
        fixable=True,
    ),
    Check(
        "kernel.clock",
        "Clock source",
        "tsc (x86) or arch_sys_counter (ARM)",
        "takt reads the clock at each dispatch. Reading another clock can take a system call and "
        "an access to a device, a microsecond or more.",
        _judge_clock,
    ),
)
