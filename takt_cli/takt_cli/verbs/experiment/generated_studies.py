"""`takt experiment planners` and `tightness`: generated systems, which are analysed and not run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Annotated, Any

import typer

from takt_cli.base.console import note
from takt_cli.base.errors import EXIT_FAILED
from takt_cli.files.output_directory import output_directory
from takt_cli.pages.finish import finish
from takt_cli.pages.study import Study
from takt_cli.running.host import this_host
from takt_cli.verbs.experiment import planners, tightness
from takt_cli.verbs.experiment.asked import repeated
from takt_cli.verbs.options import MOST_SEED, Json, OutputDirectory, whole

_FEW = 20
_FEW_WALKED = 2

Seed = Annotated[int, whole("--seed", 0, MOST_SEED, help="Of the first system.")]
Few = Annotated[bool, typer.Option("--quick", help=f"{_FEW} systems of each; to look around.")]


@dataclass(frozen=True)
class _Experiment:
    """The parts that differ between the experiments."""

    name: str
    module: ModuleType  # measures, and makes sentences, tables and figures
    sets: int  # unless the user gives --sets
    announcement: str  # {} stands for the number of systems
    title: str
    explanations: tuple[str, ...]
    refuted: Callable[[Sequence[Any]], int]  # bounds that simulation showed to be wrong
    more: Mapping[str, int] = field(default_factory=dict)  # numbers unless the user gives them

    def run(
        self, sets: int, seed: int, quick: bool, output: OutputDirectory, as_json: bool, **more: int
    ) -> None:
        """Measure, and write the page; ends with an error if a bound is wrong."""
        directory = output_directory(output, self.name)
        used = min(sets, _FEW) if quick else sets
        note(self.announcement.format(used))
        found = self.module.measure(used, seed, **more)
        finish(
            Study(
                kind=f"experiment {self.name}",
                title=self.title,
                command=repeated(
                    self.name,
                    sets=sets if sets != self.sets else None,
                    seed=seed if seed != 1 else None,
                    quick=quick,
                    **{name: n for name, n in more.items() if n != self.more.get(name)},
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
    announcement="{} systems of each of 10 shapes, fewer of 24 more, and small ones, seven "
    "planners, on two cores; nothing runs.",
    title="For how many systems planners find a schedule",
    explanations=(
        "Systems are independent chains of one timer and subscriptions, loads drawn by "
        "UUniFast, periods from 50 ms to 1 s, log-uniform.",
        "Phases known: periods of 50, 100, 200, 500 and 1,000 ms, a random offset for each timer. "
        "takt may choose other offsets, the others plan with these. Phases unknown: the same "
        "periods, and offsets that no schedule sets.",
        "takt, no walk is what takt plan --time 0s gives: no random walk and no offsets.",
        "Small systems have up to five callbacks in two to four chains on one or two cores, with "
        "sets of newest messages in some. All assignments to cores, all orders and a grid of ten "
        "offsets to a period were tried with the same analysis.",
        "competition is the pseudo-code of a competition report with its open points made "
        "precise; competition-literal takes it literally, and overshoots its limits.",
        "Every schedule is judged by the same analysis (takt explain) and simulated.",
    ),
    refuted=lambda counts: sum(count.bounds_refuted for count in counts),
    more={"phases": planners.WALKED, "exhaustive": planners.SMALL},
)
_TIGHTNESS = _Experiment(
    name="tightness",
    module=tightness,
    sets=200,
    announcement="{} systems at each of 4 loads, five analyses, and kinds of small systems, on one "
    "core; nothing runs.",
    title="How far bounds are above the worst simulated response",
    explanations=(
        "Systems are nine independent chains of one timer and four subscriptions on four "
        "cores, loads drawn by UUniFast, periods from 50 ms to 1 s, log-uniform; a shorter "
        "period is more important.",
        "Systems of a kind are small; the search for the worst response changes phases, or "
        "execution times where phases are known.",
        "Simulation may miss the worst case, so a ratio says how loose a bound is at most.",
    ),
    refuted=tightness.refuted,
)


def run_planners(
    sets: Annotated[
        int, whole("--sets", 0, 1_000_000, help="Systems of each published shape.")
    ] = 1000,
    seed: Seed = 1,
    phases: Annotated[
        int,
        whole("--phases", 0, 1_000_000, help="Of each shape with phases known, and unknown."),
    ] = planners.WALKED,
    exhaustive: Annotated[
        int,
        whole(
            "--exhaustive",
            0,
            1_000_000,
            help="Small systems at each load whose plans are all tried; 0: none.",
        ),
    ] = planners.SMALL,
    quick: Few = False,
    output: OutputDirectory = None,
    json_output: Json = False,
) -> None:
    """Count for how many generated systems each planner finds a schedule (25 minutes)."""
    if quick:
        phases, exhaustive = min(phases, _FEW_WALKED), min(exhaustive, _FEW)
    _PLANNERS.run(sets, seed, quick, output, json_output, phases=phases, exhaustive=exhaustive)


def run_tightness(
    sets: Annotated[int, whole("--sets", 1, 1_000_000, help="Systems of each load.")] = 200,
    seed: Seed = 1,
    quick: Few = False,
    output: OutputDirectory = None,
    json_output: Json = False,
) -> None:
    """Hold the bounds of each analysis against the worst simulated response (minutes)."""
    _TIGHTNESS.run(sets, seed, quick, output, json_output)
