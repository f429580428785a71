"""The kernel's own work on the cores of real-time threads, and the options that keep it away."""

from __future__ import annotations

from takt_cli.base.cores import core_list, cores_are
from takt_cli.verbs.doctor.examination import (
    Examination,
    cores_of_option,
    isolated_cores,
    tickless_cores,
)
from takt_cli.verbs.doctor.finding import Check, Verdict
from takt_cli.verbs.doctor.machine import Unreadable, shown
from takt_cli.verbs.doctor.remedies import boot_options, set_sysctl


def _judge_isolation(look: Examination) -> Verdict:
    options = look.command_line()
    isolated = isolated_cores(look.machine)
    data = {"isolated": list(isolated)}
    if not isolated:
        return Verdict(
            "note",
            "no core is isolated",
            boot_options("isolcpus=LIST nohz_full=LIST rcu_nocbs=LIST irqaffinity=OTHERS")
            + ", where LIST are the cores for real-time threads, as in 2-3",
            data,
        )
    cores = core_list(isolated)
    tickless = tickless_cores(look.machine)
    missing = []
    if not set(isolated) <= set(tickless):
        missing.append(f"nohz_full={cores}")
    # The kernel moves RCU callbacks away from cores without a tick, too.
    if not set(isolated) <= {*tickless, *cores_of_option(options, "rcu_nocbs")}:
        missing.append(f"rcu_nocbs={cores}")
    busy = set(isolated) & set(cores_of_option(options, "irqaffinity"))
    if "irqaffinity" not in options or busy:
        others = [core for core in look.machine.online_cores() if core not in isolated]
        missing.append(f"irqaffinity={core_list(others)}")
    data["missing"] = missing
    if missing:
        now = f"{cores_are(isolated)} isolated, but without {', '.join(missing)}"
        return Verdict("warn", now, boot_options(*missing), data)
    return Verdict("ok", f"{cores_are(isolated)} isolated, without tick, RCU work and interrupts")


def _judge_audit(look: Examination) -> Verdict:
    if look.command_line().get("audit") in ("0", "off"):
        return Verdict("ok", "off")
    return Verdict("note", "not switched off at boot", boot_options("audit=0"))


def _judge_watchdog(look: Examination) -> Verdict:
    value = look.machine.read_if_there("/proc/sys/kernel/watchdog")
    if value is None or value == "0":
        return Verdict("ok", "off" if value else "this kernel has none")
    if value != "1":
        raise Unreadable(f"/proc/sys/kernel/watchdog says '{shown(value)}', which is not 0 or 1")
    return Verdict("note", "on", set_sysctl("kernel.watchdog", 0))


def _judge_skew(look: Examination) -> Verdict:
    if len(look.machine.online_cores()) == 1:
        return Verdict("ok", "one core has one tick")
    if look.command_line().get("skew_tick") == "1":
        return Verdict("ok", "ticks of the cores are apart")
    return Verdict("note", "all cores tick at the same moment", boot_options("skew_tick=1"))


CHECKS = (
    Check(
        "kernel.isolation",
        "Isolated cores",
        "cores for real-time threads, with isolcpus, nohz_full, rcu_nocbs and irqaffinity",
        "On a core that is not isolated the scheduler's tick, RCU callbacks, interrupts and other "
        "threads run between two instructions of a real-time thread.",
        _judge_isolation,
    ),
    Check(
        "kernel.audit",
        "Auditing",
        "off, by audit=0",
        "With auditing the kernel runs more code at each system call of each thread.",
        _judge_audit,
    ),
    Check(
        "kernel.watchdog",
        "Lockup detectors",
        "off, by kernel.watchdog=0 or nowatchdog",
        "The detectors interrupt each core every few seconds.",
        _judge_watchdog,
    ),
    Check(
        "kernel.skew_tick",
        "Skew of the ticks",
        "skew_tick=1",
        "Cores that tick at the same moment wait for each other's locks there. The option costs "
        "some energy.",
        _judge_skew,
    ),
)
