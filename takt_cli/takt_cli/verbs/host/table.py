"""Tables of `takt host`."""

from __future__ import annotations

from typing import Any

from takt_cli.base.units import human
from takt_cli.running.host import Host, Measured, rights_hint
from takt_cli.tables.table import Table


def host_table(host: Host) -> Table:
    """Facts, with remedies for the bad ones."""
    table = Table("This machine", ["what", "value"])
    table.add("CPU", host.cpu)
    table.add("cores usable", f"{len(host.cores)} ({','.join(str(c) for c in host.cores)})")
    table.add("kernel", f"{host.kernel}{', PREEMPT_RT' if host.preempt_rt else ''}")
    table.add("virtual machine", "yes" if host.virtual else "no")
    table.add("real-time priorities", "allowed" if host.realtime_allowed else "not allowed")
    if host.governor:
        table.add("frequency governor", host.governor)
    if not host.realtime_allowed:
        table.notes.append(rights_hint())
    if host.governor not in ("", "performance"):
        table.notes.append(
            f"governor {host.governor}: times vary with the clock frequency; use `performance`"
        )
    if host.virtual:
        table.notes.append("the host of a virtual machine can hold cores up; stalls are marked")
    return table


def measurement_table(measured: Measured) -> Table:
    """Show the bounds of every executor: none wakes a thread faster than the kernel."""
    table = Table("Measured", ["what", "p50", "p99", "max"])
    for times, name in (
        (measured.wake_up_same_core_ns, "wake-up of a thread on the same core"),
        (measured.wake_up_cross_core_ns, "wake-up of a thread on another core"),
    ):
        if times is not None:
            table.add(name, *_figures(times))
    for cost, name in (
        (measured.clock_monotonic_ns, "reading the clock"),
        (measured.clock_thread_cpu_ns, "reading a thread's CPU time"),
    ):
        if cost:
            table.add(name, human(cost), "", "")
    stalls = measured.stalls
    if stalls.witnessed and stalls.length is not None:
        words = f"stalls of the host, {stalls.per_second:.2g} per second"
        table.add(words, *_figures(stalls.length))
    elif stalls.why:
        table.notes.append(f"stalls of the host cannot be seen: {stalls.why}")
    if measured.rt_throttling:
        table.notes.append(
            f"real-time threads are throttled after {measured.rt_runtime_us / 1000:g} ms of "
            f"{measured.rt_period_us / 1000:g} ms; "
            "`sysctl kernel.sched_rt_runtime_us=-1` ends that"
        )
    if measured.autogroup:
        table.notes.append(
            "autogroup is on: nice levels count only within a session; "
            "`sysctl kernel.sched_autogroup_enabled=0` ends that"
        )
    return table


def _figures(times: Any) -> tuple[str, str, str]:
    return human(times.p50), human(times.p99), human(times.max)
