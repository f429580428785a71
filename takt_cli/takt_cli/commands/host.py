"""`takt host`: what this machine is, allows, and can do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from takt_cli.commands.options import Json
from takt_cli.console import err, out, print_json
from takt_cli.errors import TaktError
from takt_cli.host import Host, measure_host, rights_hint, this_host
from takt_cli.table import Table
from takt_cli.units import human


def show_host(json_output: Json = False) -> None:
    """Measure this machine: what the best executor could reach on it."""
    facts = this_host()
    measured: Mapping[str, Any] = {}
    trouble = ""
    try:
        with err().status("measuring"):
            measured = measure_host()
    except TaktError as error:
        trouble = error.message
    if json_output:
        print_json({"host": facts.as_json(), "measured": measured or None})
        return
    console = out()
    host_table(facts).print_to(console)
    if measured:
        measurement_table(measured).print_to(console)
    else:
        err().print(f"not measured: {trouble}", style="yellow", markup=False)


def host_table(host: Host) -> Table:
    """Facts, with what can be done about the bad ones."""
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
        table.notes.append(f"governor {host.governor}: times vary with the clock frequency")
    if host.virtual:
        table.notes.append("the host of a virtual machine can hold cores up; stalls are marked")
    return table


def measurement_table(measured: Mapping[str, Any]) -> Table:
    """Whatever the measurement tells, one row per value."""
    table = Table("Measured", ["what", "value"])
    for name, value in _flatten(measured):
        table.add(*_row(name, value))
    return table


def _flatten(data: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{name} ")
        elif isinstance(value, list) and len(value) > 8:
            yield f"{name} (values)", len(value)
        else:
            yield name, value


def _row(name: str, value: Any) -> tuple[str, str]:
    words = name.replace("_ns", "").replace("_", " ")
    if "_ns" in name and isinstance(value, int | float) and not isinstance(value, bool):
        return words, human(value)
    if isinstance(value, bool):
        return words, "yes" if value else "no"
    if isinstance(value, float):
        return words, f"{value:.4g}"
    if isinstance(value, list):
        return words, ", ".join(str(item) for item in value)
    return words, str(value)
