"""The processor: who owns it, its frequency, its idle states, its hidden interrupts."""

from __future__ import annotations

import re
from collections import Counter

from takt_cli.base.cores import cores_words
from takt_cli.base.units import parse_whole
from takt_cli.verbs.doctor.examination import Examination
from takt_cli.verbs.doctor.finding import Check, Verdict
from takt_cli.verbs.doctor.machine import Machine, Unreadable, shown
from takt_cli.verbs.doctor.remedies import FIX, boot_options, set_file

CPU = "/sys/devices/system/cpu"
_DMI = "/sys/class/dmi/id"
_BOARD = "/proc/device-tree/compatible"
# Deeper states than C1 take longer than this to leave.
_QUICK_EXIT_US = 10
_VIRTUAL = re.compile(
    "KVM|QEMU|VMware|VirtualBox|Xen|Bochs|Virtual Machine|Parallels|linux,dummy-virt|OpenStack"
    "|Google Compute|Firecracker|bhyve",
    re.IGNORECASE,
)


def frequency_file(core: int, name: str) -> str:
    """Give a file of the frequency control of a core."""
    return f"{CPU}/cpu{core}/cpufreq/{name}"


def governors(machine: Machine) -> dict[int, str]:
    """Give the governor of each core that is online."""
    found = {}
    for core in machine.online_cores():
        text = machine.read(frequency_file(core, "scaling_governor"))
        if not re.fullmatch("[a-z_]{1,30}", text):
            raise Unreadable(
                f"{frequency_file(core, 'scaling_governor')} says '{shown(text)}', which is not "
                "the name of a governor"
            )
        found[core] = text
    return found


def frequencies(machine: Machine) -> dict[int, tuple[int, int]]:
    """Give the least and the greatest frequency that each core may take, in kHz."""
    return {
        core: (
            machine.number(frequency_file(core, "scaling_min_freq")),
            machine.number(frequency_file(core, "scaling_max_freq")),
        )
        for core in machine.online_cores()
    }


def _judge_virtual(look: Examination) -> Verdict:
    machine = look.machine
    remedy = "run on the hardware; if that is impossible, ask for cores that no other guest uses"
    signs = _signs_of_a_hypervisor(machine)
    if signs:
        return Verdict("warn", f"a virtual machine ({', '.join(signs)})", remedy, {"signs": signs})
    if re.search(r"^flags\s*:", machine.read("/proc/cpuinfo"), re.MULTILINE):
        return Verdict("ok", "no sign of a hypervisor")
    for file, what in ((f"{_DMI}/product_name", "firmware"), (_BOARD, "device tree")):
        if machine.read_if_there(file):
            return Verdict("ok", f"the {what} names no hypervisor")
    raise Unreadable("neither the processor's flags nor the firmware nor a device tree tell")


def _signs_of_a_hypervisor(machine: Machine) -> list[str]:
    signs = []
    cpuinfo = machine.read("/proc/cpuinfo")
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    if flags and "hypervisor" in flags[1].split():
        signs.append("the processor's flag hypervisor")
    for file in (f"{_DMI}/sys_vendor", f"{_DMI}/product_name", _BOARD):
        try:
            said = machine.read_if_there(file) or ""
        except Unreadable:
            continue  # the other signs decide
        if _VIRTUAL.search(said):
            signs.append(shown(said))
    return signs


def _judge_governor(look: Examination) -> Verdict:
    found = governors(look.machine)
    count = Counter(found.values())
    data = {"governors": {str(core): governor for core, governor in found.items()}}
    now = ", ".join(f"{governor} on {number}" for governor, number in count.most_common())
    now += " core" if len(found) == 1 else " cores"
    if set(count) == {"performance"}:
        return Verdict("ok", now, data=data)
    remedy = f"`sudo cpupower frequency-set -g performance`; or {FIX}"
    return Verdict("warn", now, remedy, data)


def _judge_frequency(look: Examination) -> Verdict:
    found = frequencies(look.machine)
    data = {"khz": {str(core): list(limits) for core, limits in found.items()}}
    changing = [core for core, (least, most) in found.items() if least != most]
    if not changing:
        fixed = sorted({most for _, most in found.values()})
        now = f"constant: {', '.join(f'{khz / 1e6:g} GHz' for khz in fixed)}"
        return Verdict("ok", now, data=data)
    some = found[changing[0]]
    now = f"{some[0] / 1e6:g} to {some[1] / 1e6:g} GHz on {cores_words(changing)}"
    remedy = f"`sudo cpupower frequency-set -d {some[1]}`; or {FIX}"
    return Verdict("warn", now, remedy, data)


def _judge_boost(look: Examination) -> Verdict:
    for path, on, off in (
        (f"{CPU}/intel_pstate/no_turbo", "0", "1"),
        (f"{CPU}/cpufreq/boost", "1", "0"),
    ):
        said = look.machine.read_if_there(path)
        if said == off:
            return Verdict("ok", "off")
        if said == on:
            return Verdict("warn", "on", set_file(path, off))
        if said is not None:
            raise Unreadable(f"{path} says '{shown(said)}', which is not 0 or 1")
    raise Unreadable(f"neither {CPU}/intel_pstate/no_turbo nor {CPU}/cpufreq/boost exists")


def _judge_smt(look: Examination) -> Verdict:
    said = look.machine.read(f"{CPU}/smt/active")
    if said == "0":
        return Verdict("ok", "off")
    if said != "1":
        raise Unreadable(f"{CPU}/smt/active says '{shown(said)}', which is not 0 or 1")
    remedy = f"{set_file(f'{CPU}/smt/control', 'off')} until the next reboot; or "
    return Verdict("warn", "two threads share a core", remedy + boot_options("nosmt"))


def _judge_idle(look: Examination) -> Verdict:
    if look.command_line().get("idle") == "poll":
        return Verdict("ok", "cores poll (idle=poll)")
    deepest = ("", 0)
    slow = []
    for core in look.machine.online_cores():
        states = _idle_states(look.machine, core)
        worst = max(states, key=lambda state: state[1], default=("", 0))
        deepest = max(deepest, worst, key=lambda state: state[1])
        if worst[1] > _QUICK_EXIT_US:
            slow.append(core)
    name, latency = deepest
    data = {"deepest": name, "exit_latency_us": latency, "cores": slow}
    if not slow:
        return Verdict("ok", f"cores wake up from {name or 'no state'} in {latency} µs", data=data)
    return Verdict(
        "warn",
        f"{name} is the deepest sleep of {cores_words(slow)}; to leave it takes {latency} µs",
        f"`sudo cpupower idle-set -D {_QUICK_EXIT_US}` until the next reboot; or "
        + boot_options("intel_idle.max_cstate=1", "processor.max_cstate=1"),
        data,
    )


def _idle_states(machine: Machine, core: int) -> list[tuple[str, int]]:
    """Give names and exit latencies (µs) of the states that a core may enter."""
    folder = f"{CPU}/cpu{core}/cpuidle"
    names = [name for name in machine.names(folder) if re.fullmatch("state[0-9]{1,3}", name)]
    if not names:
        raise Unreadable(f"{folder} lists no state")
    states = []
    for name in names:
        disabled = machine.read(f"{folder}/{name}/disable")
        if parse_whole(disabled) is None:
            raise Unreadable(f"{folder}/{name}/disable says '{shown(disabled)}', not a number")
        if disabled == "0":
            label = shown(machine.read(f"{folder}/{name}/name"))
            states.append((label, machine.number(f"{folder}/{name}/latency")))
    return states


def _judge_smi(look: Examination) -> Verdict:
    before, after = look.before.smis, look.after.smis
    for counts in (before, after):
        if isinstance(counts, Unreadable):
            raise counts
    assert not isinstance(before, Unreadable) and not isinstance(after, Unreadable)
    # The counter has 32 bits and wraps.
    most = max((after[core] - before.get(core, after[core])) % 2**32 for core in after)
    data = {"in_window": most, "since_boot": max(after.values())}
    if most == 0:
        now = f"none in {look.window_s:g} s ({max(after.values())} since boot)"
        return Verdict("ok", now, data=data)
    return Verdict(
        "warn",
        f"{most} in {look.window_s:g} s",
        "switch off USB legacy support and power management in the firmware's set-up, and measure "
        "with `sudo hwlatdetect --duration=60`",
        data,
    )


_FREQUENCY_TO_READ = "a hypervisor or the firmware sets the frequency: set it to constant there"

CHECKS = (
    Check(
        "cpu.virtual",
        "Virtual machine",
        "bare metal",
        "A hypervisor can pause a core for milliseconds without notice, and no "
        "setting of the guest prevents that.",
        _judge_virtual,
    ),
    Check(
        "cpu.governor",
        "Frequency governor",
        "performance on all cores",
        "Other governors lower the frequency of a core that sleeps, so a callback after a pause "
        "runs slowly until the governor notices.",
        _judge_governor,
        to_read=_FREQUENCY_TO_READ,
        fixable=True,
    ),
    Check(
        "cpu.frequency",
        "Frequency range",
        "one frequency: the least equals the greatest",
        "Execution times change with the frequency, and each change of it stops the core for some "
        "microseconds.",
        _judge_frequency,
        to_read=_FREQUENCY_TO_READ,
        fixable=True,
    ),
    Check(
        "cpu.boost",
        "Turbo",
        "off",
        "A core loses its turbo frequency when other cores wake up or the chip is warm, so "
        "execution times depend on the other cores' load.",
        _judge_boost,
        to_read=_FREQUENCY_TO_READ,
    ),
    Check(
        "cpu.smt",
        "Simultaneous multithreading",
        "off",
        "The second thread of a core takes execution units and caches from a real-time thread on "
        "the first, which then runs up to twice as long.",
        _judge_smt,
    ),
    Check(
        "cpu.idle",
        "Idle states",
        f"only states that a core leaves within {_QUICK_EXIT_US} µs",
        "A core that sleeps deep needs this time before it runs the thread that it was woken for.",
        _judge_idle,
        to_read="the firmware or a hypervisor manages idle states: limit them there",
    ),
    Check(
        "cpu.smi",
        "System management interrupts",
        "none",
        "In such an interrupt the firmware stops all cores, and the kernel can neither see nor "
        "prevent that.",
        _judge_smi,
        to_read="on Intel: `sudo modprobe msr` and `takt doctor` as root; on other processors "
        "measure with `sudo hwlatdetect --duration=60`",
    ),
)
