"""`takt import ...`: configurations of other tools as schedules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt_cli.base.console import note, pass_through, pass_through_errors, print_json
from takt_cli.base.errors import EXIT_USAGE
from takt_cli.files.outputs import check_file, refuse_inputs, refuse_replacing, write_text
from takt_cli.files.standard_input import DASH
from takt_cli.verbs.import_.formats import AGNOCAST, CIE, REP2017, Format, import_file
from takt_cli.verbs.import_.not_carried_over import lines
from takt_cli.verbs.options import Force, Json, file_or_dash

app = typer.Typer(
    help="Convert another tool's configuration to a schedule; list what could not be converted.",
    no_args_is_help=True,
)

Configuration = Annotated[Path, typer.Argument(metavar="FILE", help="The configuration.")]
Output = Annotated[
    Path | None,
    file_or_dash(help="Write the schedule there.", show_default="to the terminal"),
]


@app.command("cie")
def import_cie(
    file: Configuration, output: Output = None, force: Force = False, json_output: Json = False
) -> None:
    """Import a file of CallbackIsolatedExecutor, or a template of cie-inspector."""
    _import(CIE, file, output, force, json_output)


@app.command("agnocast")
def import_agnocast(
    file: Configuration, output: Output = None, force: Force = False, json_output: Json = False
) -> None:
    """Import a file of Agnocast's thread configurator."""
    _import(AGNOCAST, file, output, force, json_output)


@app.command("rep2017")
def import_rep2017(
    file: Configuration, output: Output = None, force: Force = False, json_output: Json = False
) -> None:
    """Import thread attributes in the form of REP-2017."""
    _import(REP2017, file, output, force, json_output)


def _import(of: Format, file: Path, output: Path | None, force: bool, json_output: bool) -> None:
    if str(output) == DASH:
        output = None
    refuse_inputs({"--output": output}, {"configuration": file})
    if output is not None:
        refuse_replacing(output, force)
        check_file(output)
    made = import_file(of, file)
    good = not made.faults
    if good and output is not None:
        write_text(output, made.text)
    if json_output:
        print_json(
            {
                "ok": good,
                "faults": [fault.as_json() for fault in made.faults],
                "remarks": [remark.as_json() for remark in made.remarks],
                "output": str(output) if good and output is not None else None,
                "schedule": made.schedule if good else None,
            }
        )
    elif good:
        pass_through_errors("".join(lines(made.remarks)))
        if output is None:
            pass_through(made.text)
        else:
            note(f"Schedule: {output}; parts not carried over as they were: {len(made.remarks)}")
    else:
        pass_through_errors("".join(lines(made.faults)))
    if not good:
        raise typer.Exit(EXIT_USAGE)
