"""`takt experiment planners` and `tightness`: generated systems, which are analysed and not run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Annotated, Any

import typer

from takt_cli.commands.experiment import repeated
from takt_cli.commands.options import MOST_SEED, Json, OutputDirectory, whole
from takt_cli.console import note
from takt_cli.errors import EXIT_FAILED
from takt_cli.experiments import planners, tightness
from takt_cli.files.output_directory import output_directory
from takt_cli.report.finish import finish
from takt_cli.report.study import Study
from takt_cli.running.host import this_host

_FEW = 20

Seed = Annotated[int, whole("--seed", 0, MOST_SEED, help="Of the first system.")]
Few = Annotated[bool, typer.Option("--quick", help=f"{_FEW} systems of each; to look around.")]


@dataclass(frozen=True)
class _Experiment:
    """The parts in which the experiments differ."""

    name: str
    module: ModuleType  # measures, and makes sentences, tables and figures
    sets: int  # without an option
    announcement: str  # with the number of systems
    title: str
    explanations: tuple[str, ...]
    refuted: Callable[[Sequence[Any]], int]  # bounds that simulation showed to be wrong

    def run(
        self, sets: int, seed: int, quick: bool, output: OutputDirectory, as_json: bool
    ) -> None:
        """Measure, and write the page; ends with an error if a bound is wrong."""
        directory = output_directory(output, self.name)
        used = min(sets, _FEW) if quick else sets
        note(self.announcement.format(used))
        found = self.module.measure(used, seed)
        finish(
            Study(
                kind=f"experiment {self.name}",
                title=self.title,
                command=repeated(
                    self.name,
                    sets=sets if sets != self.sets else None,
                    seed=seed if seed != 1 else None,
                    quick=quick,
                ),
                host=this_host(),
                configurations=[],
                sentences=self.module.sentences(found),
                tables=self.module.tables(found),
                figures=self.module.figures(found),
                explanations=list(self.explanations),
            ),
            directory,
            as_json,
        )
        if self.refuted(found):
            raise typer.Exit(EXIT_FAILED)


_PLANNERS = _Experiment(
    name="planners",
    module=planners,
    sets=1000,
    announcement="{} systems of each of 10 shapes, six planners, on one core; nothing runs.",
    title="For how many systems planners find a schedule",
    explanations=(
        "Systems are independent chains of one timer and subscriptions, loads drawn by "
        "UUniFast, periods from 50 ms to 1 s, log-uniform; takt's search does not begin "
        "with another planner's result.",
        "competition is the pseudo-code of a competition report with its open points made "
        "precise; competition-literal takes it literally, and overshoots its limits.",
        "Every schedule is judged by the same analysis (takt explain) and simulated.",
    ),
    refuted=lambda counts: sum(count.refuted_bounds for count in counts),
)
_TIGHTNESS = _Experiment(
    name="tightness",
    module=tightness,
    sets=200,
    announcement="{} systems at each of 4 loads, five analyses, on one core; nothing runs.",
    title="How far bounds are above the worst simulated response",
    explanations=(
        "Systems are nine independent chains of one timer and four subscriptions on four "
        "cores, loads drawn by UUniFast, periods from 50 ms to 1 s, log-uniform; a shorter "
        "period is more important.",
        "Simulation may miss the worst case, so a ratio says how loose a bound is at most.",
    ),
    refuted=tightness.refuted,
)


def run_planners(
    sets: Annotated[int, whole("--sets", 1, 1_000_000, help="Systems of each shape.")] = 1000,
    seed: Seed = 1,
    quick: Few = False,
    output: OutputDirectory = None,
    json_output: Json = False,
) -> None:
    """Count for how many generated systems each planner finds a schedule (6 minutes)."""
    _PLANNERS.run(sets, seed, quick, output, json_output)


def run_tightness(
    sets: Annotated[int, whole("--sets", 1, 1_000_000, help="Systems of each load.")] = 200,
    seed: Seed = 1,
    quick: Few = False,
    output: OutputDirectory = None,
    json_output: Json = False,
) -> None:
    """Hold the bounds of each analysis against the worst simulated response (minutes)."""
    _TIGHTNESS.run(sets, seed, quick, output, json_output)
