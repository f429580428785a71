"""Runs exercises of the workshop, and shows their figures beside the presenters'."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program, find_program_or_none
from takt_cli.base.units import NS_PER_S, human
from takt_cli.files.schedule_files import on_cores, read_schedule, write_schedule
from takt_cli.files.shipped import shipped_files, unknown
from takt_cli.pages.axes import Figure
from takt_cli.pages.histogram import histogram, outline
from takt_cli.results.samples import Samples, summarise
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.experiment.setting import Setting
from takt_cli.verbs.experiment.workshop_claims import Claim
from takt_cli.verbs.experiment.workshop_exercises import (
    EXERCISES,
    PLANNED,
    Exercise,
    Variant,
)
from takt_cli.verbs.experiment.workshop_program import (
    PROGRAM,
    WITH_RCLCPP,
    Run,
    cyclictest_max_ns,
    run_variant,
)

_COLOURS = tuple(f"--s{number}" for number in range(1, 9))
_FIFO = 80
QUICK_S = 1.0
_PLANNING_S = 300.0


@dataclass(frozen=True)
class Done:
    """An exercise that ran: its runs by the keys of their variants."""

    exercise: Exercise
    runs: dict[str, Run]
    cyclictest: dict[str, int]  # worst wake-ups by policy; empty: not run
    virtual: bool = True  # a host may have stopped the machine

    def claims(self) -> list[Claim]:
        """Judge the exercise."""
        return list(self.exercise.judge(self.runs))

    def measured(self) -> list[Variant]:
        """Give the variants that ran."""
        return [one for one in self.exercise.variants if one.key in self.runs]

    def title(self) -> str:
        """Name the exercise."""
        return f"{self.exercise.name} {self.exercise.title}"


def possible(exercise: Exercise) -> list[Variant]:
    """Give the variants that this build of takt can run."""
    with_rclcpp = find_program_or_none(*WITH_RCLCPP) is not None
    return [one for one in exercise.variants if with_rclcpp or not one.of_rclcpp]


def length_ns(exercise: Exercise, setting: Setting) -> int:
    """How long each variant is measured."""
    if setting.duration_ns is not None:
        return setting.duration_ns
    return round((QUICK_S if setting.quick else exercise.seconds) * NS_PER_S)


def total_s(exercises: Sequence[Exercise], setting: Setting) -> float:
    """About how long all of them take."""
    start_s = 1.5
    return sum(
        len(possible(one)) * (length_ns(one, setting) / NS_PER_S + start_s) for one in exercises
    )


def measure(
    exercise: Exercise, setting: Setting, done: Callable[[str], None] = lambda _: None
) -> Done:
    """Run all variants of an exercise. Calls `done` before each."""
    folder = setting.directory / exercise.name
    length = length_ns(exercise, setting)
    files = _schedules(exercise, setting, folder)
    runs = {}
    for variant in possible(exercise):
        done(f"{exercise.name}: {variant.words} ...")
        runs[variant.key] = run_variant(
            exercise.name,
            variant.name,
            folder,
            duration_ns=length,
            cores=setting.cores,
            stress=variant.stress,
            virtual=setting.host.virtual,
            schedule=files.get(variant.schedule),
            program=WITH_RCLCPP if variant.of_rclcpp else PROGRAM,
        )
    found = {}
    if exercise.name == "1":
        for policy, priority in (("other", 0), ("fifo", _FIFO)):
            worst = cyclictest_max_ns(policy, priority, setting.cores, length, folder)
            if worst is not None:
                found[policy] = worst
    return Done(exercise, runs, found, setting.host.virtual)


def _schedules(exercise: Exercise, setting: Setting, folder: Path) -> dict[str, Path]:
    """Write the schedules of the variants beside their results: for the cores of the setting."""
    names = dict.fromkeys(one.schedule for one in exercise.variants if one.schedule)
    if not names:
        return {}
    shipped = shipped_files("takt_bench", "workshop")
    files = {}
    for name in names:
        path = folder / f"schedules/{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == PLANNED:
            model = path.with_name("system.yaml")
            model.write_text(_shipped(shipped, "system").read_text("utf-8"), "utf-8")
            arguments = [str(model), "--output", str(path)]
            run_program(find_program("takt_plan", "takt_plan"), arguments, timeout_s=_PLANNING_S)
            source = path
        else:
            source = _shipped(shipped, name)
        content = on_cores(read_schedule(source), setting.cores)
        files[name] = write_schedule(content, path, f"exercise {exercise.name}, {name}")
    return files


def _shipped(shipped: Mapping[str, Path], name: str) -> Path:
    if name not in shipped:
        raise unknown(name, shipped, "schedule")
    return shipped[name]


def verdicts(all_done: Sequence[Done]) -> Table:
    """Show the claims of all exercises."""
    table = Table("What was to be shown", ["exercise", "claim", "verdict", "measured"], words=2)
    for one in all_done:
        for claim in one.claims():
            mood = "good" if claim.holds else "bad"
            table.add(one.exercise.name, claim.text, Cell(claim.word, mood), claim.figure)
    return table


def judged(one: Done) -> Table:
    """Show the judged slice beside the presenters' figures."""
    exercise = one.exercise
    table = Table(
        f"{one.title()}: {exercise.slice}",
        [
            *("variant", *_COLUMNS, "presenters"),
            *(("overruns",) if exercise.cyclic else ()),
            *("in host stalls", "max with them"),
        ],
    )
    for variant in one.measured():
        run = one.runs[variant.key]
        clean, stalled = run.clean(exercise.slice), run.stalled(exercise.slice)
        both = [float(part.max()) for part in (clean, stalled) if len(part)]
        table.add(
            variant.words,
            *_figures(clean),
            variant.presenters,
            *((count_cell(run.overruns),) if exercise.cyclic else ()),
            count_cell(len(stalled)),
            _time(max(both, default=None)),
        )
    table.notes += _notes(one)
    return table


def others(one: Done) -> Table:
    """Show the other slices."""
    exercise = one.exercise
    table = Table(f"{one.title()}: other slices", ["slice", "variant", *_COLUMNS], words=2)
    for name in exercise.others:
        if name == exercise.slice:
            continue
        for variant in one.measured():
            samples = one.runs[variant.key].clean(name)
            if len(samples):
                table.add(name, variant.words, *_figures(samples))
    return table


_COLUMNS = ("count", "min", "avg", "p99", "max")


def _figures(samples: Samples) -> list[Cell]:
    found = summarise(samples)
    times = (found.min, found.mean, found.p99, found.max)
    return [count_cell(found.count), *map(_time, times)]


def _time(ns: float | None) -> Cell:
    return Cell(human(ns), value=None if ns is None else round(ns))


def _notes(one: Done) -> list[str]:
    overruns = " and overruns" if one.exercise.cyclic else ""
    notes = [
        f"min, avg, p99, max{overruns}: outside of host stalls; {one.exercise.excluded}"
        if one.virtual
        else "no host can stop this machine: all slices count",
        "presenters: one time is their maximum, two are their range, three are min / avg / max; on "
        "a Raspberry Pi 4 with PREEMPT_RT",
    ]
    refused = dict.fromkeys(words for run in one.runs.values() for words in run.refused)
    notes += [f"missing rights: {words}" for words in refused]
    absent = [each.words for each in one.exercise.variants if each.key not in one.runs]
    if absent:
        notes.append(f"not measured, because takt was built without rclcpp: {', '.join(absent)}")
    if not all(run.stalls_seen for run in one.runs.values()):
        notes.append("host stalls could not be told apart, because a right is missing")
    unkept = sum(run.stalls_without_room for run in one.runs.values())
    if unkept and one.virtual:
        notes.append(f"{unkept:,} host stalls were not kept: their slices count")
    lost = sum(run.without_room for run in one.runs.values())
    if lost:
        notes.append(f"{lost:,} slices were not kept")
    return notes


def figure(one: Done) -> tuple[str, Figure]:
    """Draw the histogram of the judged slice."""
    lines = []
    for variant, colour in zip(one.measured(), _COLOURS, strict=False):
        samples = one.runs[variant.key].clean(one.exercise.slice)
        counts = ((float(ns), 1) for ns in samples)
        lines.append(outline(variant.words, counts, {"color": colour, "width": 2}, "slices"))
    title = f"Workshop {one.exercise.name}: {one.exercise.slice}"
    return title, histogram(lines, "time (µs)", "slices")


def sentences(all_done: Sequence[Done]) -> list[str]:
    """Sum up."""
    claims = [claim for one in all_done for claim in one.claims()]
    met = sum(claim.holds for claim in claims)
    said = [f"{met} of {len(claims)} claims hold."]
    proved_nothing = [
        one.exercise.name
        for one in all_done
        if any(claim.fault and not claim.holds for claim in one.claims())
    ]
    if proved_nothing:
        said.append(
            "Exercises whose wrong variant did not fail here, and which therefore prove nothing: "
            f"{', '.join(proved_nothing)}."
        )
    unjudged = dict.fromkeys(
        f"{one.exercise.name} ({claim.unjudged})"
        for one in all_done
        for claim in one.claims()
        if claim.unjudged
    )
    if unjudged:
        said.append(
            f"Claims that were not judged, and so do not hold, are of: {'; '.join(unjudged)}."
        )
    for one in all_done:
        said += _about(one)
    return said


def _about(one: Done) -> list[str]:
    said = []
    if one.exercise.name == "1":
        ours = {key: float(run.clean("Wakeup").max(initial=0)) for key, run in one.runs.items()}
        mine, raw = _times(ours, "other", "fifo"), _times(ours, "raw_other", "raw_fifo")
        text = f"The worst wake-up under SCHED_OTHER was {mine} as late as under SCHED_FIFO; of "
        text += f"clock_nanosleep in a raw loop {raw}"
        if one.cyclictest:
            text += (
                f", of cyclictest {_times(one.cyclictest, 'other', 'fifo')}, host stalls included"
            )
        else:
            text += "; cyclictest (Debian package rt-tests) is not installed"
        said.append(text + ".")
    if one.exercise.name == "3-2":
        for variant in one.measured():
            images = one.runs[variant.key].images()
            both = sum(image.overlaps for image in images)
            said.append(
                f"{variant.words}: the detector ran beside the logger in {both:,} of "
                f"{len(images):,} images."
            )
    return said


def _times(worst: dict[str, float] | dict[str, int], more: str, less: str) -> str:
    return f"{worst[more] / worst[less]:,.3g} times" if worst.get(less) else "–"


def explanations(one: Done) -> list[str]:
    """Say what ran."""
    return [f"{one.exercise.name}: {words}" for words in one.exercise.explanations]


def chosen(name: str) -> list[Exercise]:
    """Give the exercises of an argument: one, or all."""
    return list(EXERCISES.values()) if name == "all" else [EXERCISES[name]]
