"""Trees of files that look like machines to `takt doctor`."""

from __future__ import annotations

import os
from pathlib import Path

from takt_cli.verbs.doctor.machine import Machine, Space
from takt_cli.verbs.doctor.services import INITIAL_NAMESPACE

CORES = 4
_CPU = "sys/devices/system/cpu"
_LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max locked memory         {memlock}            {memlock}            bytes
Max realtime priority     {rtprio}             {rtprio}
Max realtime timeout      unlimited            unlimited            us
"""
_HEAD = "            " + "       ".join(f"CPU{core}" for core in range(CORES))


def counts(rows):
    """Spell a table like /proc/interrupts of counts by name."""
    lines = [
        f" {name}: {' '.join(map(str, row))}   IO-APIC  dev{name}" for name, row in rows.items()
    ]
    return "\n".join([_HEAD, *lines, "ERR:          0", ""])


def good_machine():
    """Give the files of a machine that is fit: cores 2 and 3 are for real-time threads."""
    files = {
        "proc/sys/kernel/osrelease": "6.12.9-rt\n",
        "proc/sys/kernel/version": "#1 SMP PREEMPT_RT Debian\n",
        "sys/kernel/realtime": "1\n",
        "proc/sys/kernel/sched_rt_runtime_us": "-1\n",
        "proc/sys/kernel/sched_rt_period_us": "1000000\n",
        "proc/sys/kernel/watchdog": "0\n",
        "proc/sys/kernel/numa_balancing": "0\n",
        "proc/sys/kernel/random/boot_id": "first\n",
        "proc/sys/net/core/rmem_max": "8388608\n",
        "proc/sys/net/core/wmem_max": "8388608\n",
        "proc/cmdline": "quiet isolcpus=managed_irq,domain,2-3 nohz_full=2-3 rcu_nocbs=2-3 "
        "irqaffinity=0-1 audit=0 skew_tick=1\n",
        "proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu tsc\n",
        "proc/interrupts": counts({"9": [5, 6, 0, 0], "LOC": [900, 900, 3, 3]}),
        "proc/softirqs": counts({"TIMER": [70, 70, 2, 2]}),
        "proc/swaps": "Filename\t\tType\n",
        "proc/locks": "",
        "proc/self/limits": _LIMITS.format(memlock="unlimited", rtprio=98),
        "proc/self/status": "Name:\tpython3\nCapEff:\t0000000000800000\n",
        "proc/self/cgroup": "0::/user.slice\n",
        "proc/1/comm": "systemd\n",
        "proc/irq/default_smp_affinity": "3\n",
        "proc/irq/9/smp_affinity_list": "0-1\n",
        "etc/hostname": "robot\n",
        "boot/config-6.12.9-rt": "CONFIG_PREEMPT_RT=y\n# CONFIG_RT_GROUP_SCHED is not set\n",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet\n",
        "sys/class/dmi/id/product_name": "Robot 3000\n",
        "sys/class/dmi/id/sys_vendor": "Acme\n",
        f"{_CPU}/online": "0-3\n",
        f"{_CPU}/isolated": "2-3\n",
        f"{_CPU}/nohz_full": "2-3\n",
        f"{_CPU}/smt/active": "0\n",
        f"{_CPU}/smt/control": "off\n",
        f"{_CPU}/intel_pstate/no_turbo": "1\n",
    }
    for core in range(CORES):
        frequency, idle = f"{_CPU}/cpu{core}/cpufreq", f"{_CPU}/cpu{core}/cpuidle"
        files |= {
            f"{frequency}/scaling_governor": "performance\n",
            f"{frequency}/scaling_available_governors": "performance powersave\n",
            f"{frequency}/scaling_min_freq": "2000000\n",
            f"{frequency}/scaling_max_freq": "2000000\n",
            f"{idle}/state0/name": "POLL\n",
            f"{idle}/state0/latency": "0\n",
            f"{idle}/state0/disable": "0\n",
            f"{idle}/state1/name": "C6\n",
            f"{idle}/state1/latency": "133\n",
            f"{idle}/state1/disable": "1\n",
            f"sys/kernel/debug/sched/fair_server/cpu{core}/runtime": "0\n",
            f"dev/cpu/{core}/msr": "\0" * 0x40,
        }
    return files


def bad_machine():
    """Give the files of a machine that nobody has prepared, and on which much is wrong."""
    files = good_machine()
    files |= {
        "proc/sys/kernel/osrelease": "6.1.0-generic\n",
        "proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC Debian\n",
        "sys/kernel/debug/sched/preempt": "none (voluntary) full\n",
        "proc/sys/kernel/sched_rt_runtime_us": "950000\n",
        "proc/sys/kernel/watchdog": "1\n",
        "proc/sys/kernel/numa_balancing": "1\n",
        "proc/sys/net/core/rmem_max": "212992\n",
        "proc/sys/net/core/wmem_max": "212992\n",
        "proc/cmdline": "quiet isolcpus=2-3\n",
        "proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu hypervisor\n",
        "proc/swaps": "Filename Type\n/dev/sda2 partition 1 0 -2\n",
        "proc/self/limits": _LIMITS.format(memlock="65536", rtprio=0),
        "proc/self/status": "Name:\tpython3\nCapEff:\t0000000000000000\n",
        "proc/self/cgroup": "2:cpu,cpuacct:/user.slice\n0::/user.slice\n",
        "sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.rt_runtime_us": "0\n",
        "sys/fs/cgroup/cpu,cpuacct/cpu.rt_runtime_us": "950000\n",
        "proc/77/comm": "irqbalance\n",
        "etc/default/irqbalance": "#x\nIRQBALANCE_BANNED_CPULIST=0\n",
        "proc/78/comm": "thermald\n",
        "proc/79/comm": "unattended-upgr\n",
        "proc/irq/default_smp_affinity": "f\n",
        "proc/irq/9/smp_affinity_list": "0-3\n",
        "proc/irq/11/smp_affinity_list": "2\n",
        "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
        "sys/class/dmi/id/product_name": "Standard PC (Q35)\n",
        "sys/class/dmi/id/sys_vendor": "QEMU\n",
        f"{_CPU}/nohz_full": "(null)\n",
        f"{_CPU}/smt/active": "1\n",
        f"{_CPU}/intel_pstate/no_turbo": "0\n",
    }
    for core in range(CORES):
        files |= {
            f"{_CPU}/cpu{core}/cpufreq/scaling_governor": "powersave\n",
            f"{_CPU}/cpu{core}/cpufreq/scaling_min_freq": "800000\n",
            f"{_CPU}/cpu{core}/cpuidle/state1/disable": "0\n",
        }
        del files[f"sys/kernel/debug/sched/fair_server/cpu{core}/runtime"]
    del files["sys/kernel/realtime"]
    return files


def desktop_machine():
    """Give the files of the machine of docs/doctor.md."""
    files = good_machine() | {
        "proc/swaps": "Filename Type\n/dev/sda2 partition 1 0 -2\n",
        "proc/irq/9/smp_affinity_list": "0-3\n",
    }
    governors = {
        f"{_CPU}/cpu{core}/cpufreq/scaling_governor": "powersave\n" for core in range(CORES)
    }
    return files | governors


def plant(root: Path, files):
    """Write the files below a root; text or bytes."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (root / "dev/shm").mkdir(parents=True, exist_ok=True)
    namespace = root / "proc/self/ns/pid"
    namespace.parent.mkdir(parents=True, exist_ok=True)
    if not namespace.is_symlink():
        namespace.symlink_to(INITIAL_NAMESPACE)


def fake(root: Path, during=None, **environ):
    """Give a machine of that tree; `during` is called within the window."""
    return Machine(
        root=root,
        environ={"XDG_STATE_HOME": str(root / "state"), **environ},
        sleep=lambda _seconds: during() if during else None,
        space_of=lambda _path: Space(8 << 30, 8 << 30),
    )


def lock_line(path: Path):
    """Spell a line of /proc/locks for a file."""
    found = path.stat()
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"
    return f"1: FLOCK  ADVISORY  WRITE 99 {device}:{found.st_ino} 0 EOF\n"
