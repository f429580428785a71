"""Tables of `takt host`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from takt_cli.base.units import human
from takt_cli.running.host import Host, rights_hint
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


def measurement_table(measured: Mapping[str, Any]) -> Table:
    """Show the bounds of every executor: none wakes a thread faster than the kernel."""
    table = Table("Measured", ["what", "p50", "p99", "max"])
    for key, name in (
        ("wake_up_same_core_ns", "wake-up of a thread on the same core"),
        ("wake_up_cross_core_ns", "wake-up of a thread on another core"),
    ):
        if measured.get(key):
            table.add(name, *(human(measured[key].get(part)) for part in ("p50", "p99", "max")))
    for key, name in (
        ("clock_monotonic_ns", "reading the clock"),
        ("clock_thread_cpu_ns", "reading a thread's CPU time"),
    ):
        if measured.get(key):
            table.add(name, human(measured[key]), "", "")
    stalls = measured.get("stalls") or {}
    if stalls.get("witnessed"):
        length = stalls.get("length") or {}
        parts = [human(length.get(part)) for part in ("p50", "p99", "max")]
        table.add(f"stalls of the host, {stalls['per_second']:.2g} per second", *parts)
    elif stalls:
        table.notes.append(f"stalls of the host cannot be seen: {stalls.get('why', '')}")
    if measured.get("rt_throttling"):
        table.notes.append(
            f"real-time threads are throttled after {measured['rt_runtime_us'] / 1000:g} ms of "
            f"{measured['rt_period_us'] / 1000:g} ms; "
            "`sysctl kernel.sched_rt_runtime_us=-1` ends that"
        )
    if measured.get("autogroup"):
        table.notes.append(
            "autogroup is on: nice levels count only within a session; "
            "`sysctl kernel.sched_autogroup_enabled=0` ends that"
        )
    return table
