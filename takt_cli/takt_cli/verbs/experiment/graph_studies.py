"""`takt experiment ...`: the experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from takt_cli.base.command_line import command_line
from takt_cli.base.console import note
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.units import milliseconds, significant
from takt_cli.files.output_directory import output_directory
from takt_cli.pages.finish import finish
from takt_cli.pages.study import Study
from takt_cli.results.configuration import Configuration
from takt_cli.running.busy_cores import hogs
from takt_cli.running.middleware import check_middleware
from takt_cli.running.other_programs import NOTABLE_CORES
from takt_cli.running.several_runs import Planned, run_all, total_s
from takt_cli.tables.comparison import chain_comparison
from takt_cli.tables.run_tables import thread_table
from takt_cli.verbs.experiment import (
    binding,
    bounds,
    executors,
    executors_table,
    hot_path,
    overload,
    policy,
)
from takt_cli.verbs.experiment.setting import Setting, make_setting
from takt_cli.verbs.options import (
    MOST_SEED,
    Cores,
    Json,
    OutputDirectory,
    choose_cores,
    duration_ns,
    whole,
)
from takt_cli.verbs.renamed import cores_option

app = typer.Typer(no_args_is_help=True)

Duration = Annotated[
    str | None, typer.Option(help="Measured time of each run.", show_default=False)
]
SampleCount = Annotated[
    int | None, whole("--samples", 20, help="Samples per chain, instead.", show_default=False)
]
Quick = Annotated[bool, typer.Option("--quick", help="A few seconds per run; to look around.")]


class _Asked:
    """An experiment as it was asked for: its setting, and how to repeat it."""

    def __init__(
        self,
        name: str,
        *,
        duration: str | None,
        samples: int | None,
        quick: bool,
        output: Path | None,
        cores: str | None,
        json_output: bool,
    ) -> None:
        self._name = name
        self._options = {"duration": duration, "samples": samples, "quick": quick, "cores": cores}
        self._as_json = json_output
        length = duration_ns(duration, "--duration") if duration else None
        used = choose_cores(cores)
        check_middleware()
        directory = output_directory(output, name)
        self.setting = make_setting(directory, used, quick, length, samples)

    def finish(self, done: list[Configuration], own: Mapping[str, object], **parts: Any) -> None:
        """Write the page and print the tables; `own`: options of this experiment alone."""
        study = Study(
            kind=f"experiment {self._name}",
            command=repeated(self._name, **own, **self._options),
            host=self.setting.host,
            configurations=done,
            **parts,
        )
        finish(study, self.setting.directory, self._as_json)


def _options(
    duration: Duration = None,
    samples: SampleCount = None,
    quick: Quick = False,
    output: OutputDirectory = None,
    cores: Cores = None,
    json_output: Json = False,
) -> None:
    """Declare the options that all of these experiments have."""


def _command(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare an experiment; its function takes what was asked, and options of its own."""

    def declare(study: Callable[..., None]) -> Callable[..., None]:
        _, *own = _parameters(study)
        shared = _parameters(_options)

        def command(**given: Any) -> None:
            asked = _Asked(name, **{one.name: given.pop(one.name) for one in shared})
            study(asked, **given)

        command.__doc__ = study.__doc__
        command.__signature__ = Signature([*own, *shared])  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in (*own, *shared)}
        app.command(name)(command)
        return study

    return declare


def _parameters(function: Callable[..., None]) -> list[Parameter]:
    hints = get_type_hints(function, include_extras=True)
    return [
        one.replace(annotation=hints[one.name], kind=Parameter.KEYWORD_ONLY)
        for one in signature(function).parameters.values()
    ]


def _announce(setting: Setting, planned: list[Planned]) -> None:
    minutes = total_s(planned) / 60
    hint = "; --quick takes a few seconds per run" if minutes > 5 and not setting.quick else ""
    note(f"{setting.host.describe()}; {len(planned)} runs, about {minutes:.1f} min{hint}.")


def _others(done: list[Configuration]) -> list[str]:
    return others_used(max((c.results.other_cores or 0.0 for c in done), default=0.0))


def must_hold(claims: Iterable[bool], quick: bool) -> None:
    """End with exit code 1 unless all claims hold; one that was not judged was not shown.

    A quick run is there to look around, and fails no claim.
    """
    if not all(claims) and not quick:
        raise typer.Exit(EXIT_FAILED)


def others_used(most: float) -> list[str]:
    """Say that other programs used so many cores, if that is notable."""
    if most < NOTABLE_CORES:
        return []
    return [
        f"Other programs used up to {significant(most, 2)} cores meanwhile, which makes times "
        "longer. Repeat the experiment on an idle machine."
    ]


def repeated(name: str, **options: object) -> str:
    """Spell the command that repeats an experiment with these options."""
    words = ["experiment", name]
    for key, value in options.items():
        if key == "cores":
            words += cores_option(None if value is None else str(value))
        elif value is True:
            words.append(f"--{key}")
        elif value not in (None, False):
            words += [f"--{key}", str(value)]
    return command_line(*words)


@_command("executors")
def run_executors(
    asked: _Asked,
    cost: Annotated[str, typer.Option(help="CPU time of each callback.")] = "10ms",
    period: Annotated[str, typer.Option(help="Period of the three timers.")] = "300ms",
    seed: Annotated[int, whole("--seed", 0, MOST_SEED, help="Of the random phase.")] = 1,
    realtime: Annotated[
        bool, typer.Option("--realtime", help="Threads at SCHED_FIFO, out of others' way.")
    ] = False,
) -> None:
    """Run three chains in six configurations of executors, beside the oracle."""
    setting = asked.setting
    period_ns = duration_ns(period, "--period", least="10ms")
    asked_ns = duration_ns(cost, "--cost", least="1ns")
    cost_ns = executors.fitting_cost(asked_ns, period_ns)
    if cost_ns < asked_ns:
        note(f"Cost cut to {milliseconds(cost_ns)} ms: one core must carry nine callbacks.")
    phases = (("In phase", False), ("Random phase", True))
    planned = [
        executors.plan(setting, cost_ns, period_ns, seed, random, realtime) for _, random in phases
    ]
    _announce(setting, planned[0] + planned[1])
    done = run_all(planned[0] + planned[1])
    count = len(executors.SHAPES)
    parts = [done[:count], done[count:]]
    asked.finish(
        done,
        {
            "cost": cost if cost != "10ms" else None,
            "period": period if period != "300ms" else None,
            "seed": seed if seed != 1 else None,
            "realtime": realtime,
        },
        title="Three chains in six configurations of executors",
        sentences=_others(done)
        + [
            sentence
            for part, (name, _) in zip(parts, phases, strict=True)
            for sentence in executors_table.sentences(part, name)
        ],
        tables=[
            executors_table.table(part, setting, cost_ns, period_ns, f"{name} (ms)")
            for part, (name, _) in zip(parts, phases, strict=True)
        ],
        explanations=[
            f"Each callback uses {milliseconds(cost_ns)} ms of CPU time every "
            f"{milliseconds(period_ns)} ms, so nine of them load "
            f"{9 * cost_ns / period_ns:.2f} cores.",
            "Each executor is a thread set with a window ready queue of its own.",
        ],
    )


@_command("binding")
def run_binding(
    asked: _Asked,
) -> None:
    """Bind callbacks to four threads in three ways, with and without chain priorities."""
    setting = asked.setting
    planned = {name: binding.plan(setting, name) for name in binding.GRAPHS}
    everything = [item for items in planned.values() for item in items]
    _announce(setting, everything)
    done = run_all(everything)
    parts = {name: [c for c in done if c.section == name] for name in planned}
    asked.finish(
        done,
        {},
        title="Binding callbacks to threads, with and without chain priorities",
        sentences=_others(done)
        + [s for name, part in parts.items() for s in binding.sentences(part, name)],
        tables=[chain_comparison(part, f"{name}: response (ms)") for name, part in parts.items()],
        explanations=[
            f"{binding.THREADS} threads, thread i on core i mod {len(setting.cores)}; the work "
            f"is scaled to {binding.LOAD:.0%} of the cores.",
            "global: any callback on any thread. semi-partitioned: timers on one thread each. "
            "partitioned: equal blocks of callbacks, chain by chain, on one thread each.",
        ],
    )


@_command("policy")
def run_policy(
    asked: _Asked,
    graph: Annotated[str, typer.Option(help="Which graph.")] = policy.GRAPH,
    schedule: Annotated[str, typer.Option(help="Which schedule.")] = policy.SCHEDULE,
    overloaded: Annotated[
        bool,
        typer.Option(
            "--overload", help="Five chains under overload: a plan, and isolated threads."
        ),
    ] = False,
) -> None:
    """Compare OS priorities with the kernel's fair scheduler, under background load."""
    if overloaded and (graph != policy.GRAPH or schedule != policy.SCHEDULE):
        raise TaktError("--overload has a graph and schedules of its own; omit --graph, --schedule")
    setting = asked.setting
    if overloaded:
        _run_overload(asked)
        return
    planned = policy.plan(setting, graph, schedule)
    _announce(setting, planned)
    with hogs(setting.cores):
        done = run_all(planned)
    scheduled, fair = done
    asked.finish(
        done,
        {
            "graph": graph if graph != policy.GRAPH else None,
            "schedule": schedule if schedule != policy.SCHEDULE else None,
        },
        title="OS priorities against the fair scheduler, under background load",
        sentences=policy.sentences(scheduled.results, fair.results),
        tables=[policy.table(scheduled, fair), thread_table(scheduled.results)],
        explanations=[
            f"One process per core that never sleeps ran at ordinary priority on cores "
            f"{', '.join(map(str, setting.cores))}; the graph's work is scaled to "
            f"{policy.LOAD:.0%} of them."
        ],
    )


def _run_overload(asked: _Asked) -> None:
    setting = asked.setting
    planned = overload.plan(setting)
    _announce(setting, planned)
    done = run_all(planned)
    asked.finish(
        done,
        {"overload": True},
        title="Five chains under overload: a plan against isolated threads",
        sentences=_others(done) + overload.sentences(done),
        tables=[*overload.tables(done), *[thread_table(c.results) for c in done]],
        explanations=[
            f"The graph {overload.GRAPH} at {overload.LOAD:.0%} of cores "
            f"{', '.join(map(str, setting.cores))}: its five chains fit them, and the work "
            "beside the chains does not.",
            "isolated, priorities differs from isolated, fair in the kernel's policy alone, "
            "and from planned in the threads and their cores.",
            "planned chains: takt plan of the nodes of chains alone. The other nodes share one "
            "thread for each core under the fair scheduler, so that real-time threads leave "
            "time to others, and the kernel need not hold them back.",
        ],
    )
    if not overload.reached(done) and not setting.quick:
        raise typer.Exit(EXIT_FAILED)


@_command("hot-path")
def run_hot_path(
    asked: _Asked,
    runs: Annotated[int, whole("--runs", 1, help="Runs with fixed phases.")] = 5,
    seeds: Annotated[int, whole("--seeds", 0, help="Runs with random phases.")] = 20,
) -> None:
    """Compare the reference system's hot path with its floor over many runs (20 minutes)."""
    setting = asked.setting
    campaign = hot_path.plan(setting, runs, seeds)
    _announce(setting, campaign.alone + campaign.hogged)
    done = run_all(campaign.alone)
    with hogs(setting.cores):
        done += run_all(campaign.hogged)
    judgements = hot_path.judge(done)
    asked.finish(
        done,
        {"runs": runs if runs != 5 else None, "seeds": seeds if seeds != 20 else None},
        title="The hot path of the Autoware reference graph over its floor",
        sentences=_others(done) + hot_path.sentences(judgements),
        tables=[hot_path.verdicts(judgements), *hot_path.tables(done)],
        explanations=[
            f"{campaign.scaling.describe()}.",
            "The hot path runs from the later LiDAR callback's start to the collision "
            "estimator's start; its floor is the work of the four callbacks between, as "
            "measured in the same run.",
        ],
    )
    must_hold((item.holds for item in judgements), setting.quick)


@_command("bounds")
def run_bounds(
    asked: _Asked,
    runs: Annotated[int, whole("--runs", 1, help="Runs under the planned schedule.")] = 5,
) -> None:
    """Hold measured responses of the reference graph against the bounds of a planned schedule."""
    setting = asked.setting
    note("Measuring the costs of runs and the work of callbacks, then planning.")
    model = bounds.prepare(setting)
    planned = bounds.plan(setting, model, min(runs, 2) if setting.quick else runs)
    _announce(setting, planned)
    done = run_all(planned)
    found = bounds.against(model, done)
    asked.finish(
        done,
        {"runs": runs if runs != 5 else None},
        title="Measured responses against the bounds of a planned schedule",
        sentences=_others(done) + bounds.sentences(model, found),
        tables=bounds.tables(model, found),
        figures=bounds.figures(found),
        explanations=[
            "The system model (system.yaml beside this page) has the longest work of each "
            "callback of a run before, and overheads as takt calibrate measures them; takt "
            "plan made the schedule from it.",
            "A bound holds if nothing costs more than the model says. Where a response is "
            "above its bound, something did: the machine's host, or an overhead that is rarer "
            "than what was measured.",
        ],
    )
    if not bounds.held(found):
        raise typer.Exit(EXIT_FAILED)
