"""`takt experiment workshop`: its options, and the study that it makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from takt_cli.base.console import note
from takt_cli.base.errors import TaktError
from takt_cli.pages.study import Study
from takt_cli.running.other_programs import OtherPrograms
from takt_cli.verbs.experiment import workshop
from takt_cli.verbs.experiment.asked import Asked, experiment, others_used
from takt_cli.verbs.experiment.setting import Setting
from takt_cli.verbs.experiment.workshop_exercises import EXERCISES

ALL = "all"


@experiment("workshop", without=("samples",))
def run_workshop(
    asked: Asked,
    exercise: Annotated[
        str,
        typer.Argument(
            metavar="EXERCISE", help=f"{', '.join(EXERCISES)}, or {ALL}.", show_default=True
        ),
    ] = ALL,
) -> None:
    """Run the wrong and the right variants of a workshop's exercises, and judge them."""
    if exercise not in (*EXERCISES, ALL):
        raise TaktError(f"there is no exercise '{exercise}'; choose {', '.join(EXERCISES)} or all")
    setting = asked.setting
    exercises = workshop.chosen(exercise)
    note(f"{setting.host.describe()}; about {workshop.total_s(exercises, setting) / 60:.1f} min.")

    def command(name: str) -> str:
        return asked.repeated().replace("workshop", f"workshop {name}", 1)

    others = OtherPrograms(setting.cores)
    done = [workshop.measure(one, setting, note) for one in exercises]
    used = others.cores()
    if len(done) > 1:
        _write_pages(done, setting, command, used)
    asked.show(_study(done, setting, command(exercise), used), tables_shown=1 + len(done))
    asked.must_hold(claim.holds for one in done for claim in one.claims())


def _study(done: list[workshop.Done], setting: Setting, command: str, used: float) -> Study:
    one = done[0] if len(done) == 1 else None
    return Study(
        kind="experiment workshop",
        title=f"Workshop: {one.title()}" if one else "The exercises of a real-time workshop",
        command=command,
        host=setting.host,
        configurations=[],
        sentences=[
            *others_used(used),
            *workshop.sentences(done),
            "Traces for https://ui.perfetto.dev: *.perfetto-trace, in the folder of each exercise.",
        ],
        tables=[
            workshop.verdicts(done),
            *(workshop.judged(each) for each in done),
            *(workshop.others(each) for each in done),
        ],
        figures=[workshop.figure(each) for each in done],
        explanations=[
            *(words for each in done for words in workshop.explanations(each)),
            "Presenters: the workshop's own figures, on a Raspberry Pi 4 with PREEMPT_RT.",
        ],
    )


def _write_pages(
    done: list[workshop.Done], setting: Setting, command: Callable[[str], str], used: float
) -> None:
    """Write a page for each exercise, beside that of all."""
    # Loaded here: building pages is slow to import.
    from takt_cli.pages.page import write_report

    for one in done:
        study = _study([one], setting, command(one.exercise.name), used)
        write_report(study, setting.directory / one.exercise.name / "report.html")
