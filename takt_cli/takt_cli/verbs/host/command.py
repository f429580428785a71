"""`takt host`: facts, rights and speed of this machine."""

from __future__ import annotations

from takt_cli.base.console import err, out, print_json
from takt_cli.base.errors import TaktError
from takt_cli.documents.document import as_json
from takt_cli.running.host import Measured, measure_host, this_host
from takt_cli.verbs.host.table import host_table, measurement_table
from takt_cli.verbs.options import Json


def command(json_output: Json = False) -> None:
    """Measure this machine: the limits of every executor on it."""
    facts = this_host()
    measured: Measured | None = None
    trouble = ""
    try:
        with err().status("measuring"):
            measured = measure_host()
    except TaktError as error:
        trouble = error.message
    if json_output:
        print_json({"host": facts.as_json(), "measured": as_json(measured)})
        return
    console = out()
    host_table(facts).print_to(console, apart=False)
    if measured:
        measurement_table(measured).print_to(console)
    else:
        err().print(f"the machine was not measured: {trouble}", style="yellow", markup=False)
