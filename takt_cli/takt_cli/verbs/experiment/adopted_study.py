"""`takt experiment adopted`: its options, and the study that it makes."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from takt_cli.base.console import note
from takt_cli.base.errors import TaktError
from takt_cli.base.units import NS_PER_S
from takt_cli.running.other_programs import OtherPrograms
from takt_cli.verbs.experiment import adopted, adopted_program
from takt_cli.verbs.experiment.asked import Asked, experiment, others_used
from takt_cli.verbs.options import whole

_ROUNDS = 3
_EXPLANATIONS = (
    "The program is the reference system's own, compiled against rclcpp and unchanged. takt exec "
    f"runs it under the shipped schedule {adopted.SCHEDULE}, by turns with and without its keys "
    "trigger, when and sequences: threads, cores, priorities and offsets are the same.",
    "Switches are those of all threads of the process, the middleware's included, from three "
    "seconds after its start. Responses and messages are those of the whole run.",
    "The response of a chain counts from its timer's release to the end of the last callback that "
    "publishes before the planner, whose timer reads the newest inputs.",
)


@experiment("adopted", without=("samples",))
def run_adopted(
    asked: Asked,
    program: Annotated[
        str | None,
        typer.Option(
            help="The reference system's program and its arguments; by default "
            f"{adopted_program.NAME} of the sourced environment.",
            show_default=False,
        ),
    ] = None,
    rounds: Annotated[int, whole("--rounds", 1, 1000, help="Runs under each schedule.")] = _ROUNDS,
) -> None:
    """Run the reference system's own program with and without quiet keys (2 minutes)."""
    found_program = adopted_program.program_or_none()
    if program is None and found_program is None:
        raise TaktError(
            f"the program {adopted_program.NAME} of {adopted_program.PACKAGE} was not found",
            hint="source the workspace that has it, or name it with --program",
        )
    words = shlex.split(program) if program else [str(found_program)]
    if not words:
        raise TaktError("--program is empty; name the reference system's program")
    setting = asked.setting
    length_s = (setting.duration_ns or (4 if setting.quick else 20) * NS_PER_S) / NS_PER_S
    count = 1 if setting.quick else rounds
    note(f"{setting.host.describe()}; {2 * count} runs of {length_s:g} s.")
    others = OtherPrograms(setting.cores)
    found = adopted.measure(setting, words, count, length_s, note)
    used = others.cores()
    asked.show(
        asked.study(
            {"program": program, "rounds": rounds if rounds != _ROUNDS else None},
            [],
            title="A compiled program with fewer wake-ups, by lines of its schedule",
            sentences=others_used(used) + adopted.sentences(found),
            tables=adopted.tables(found),
            explanations=list(_EXPLANATIONS),
        )
    )
    asked.must_hold(claim.holds for claim in adopted.judge(found))
