"""`takt experiment ...`: the experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from takt_cli.base.console import note
from takt_cli.base.errors import EXIT_FAILED, TaktError
from takt_cli.base.units import milliseconds
from takt_cli.results.configuration import Configuration
from takt_cli.running.busy_cores import hogs
from takt_cli.running.middleware import check_middleware
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
from takt_cli.verbs.experiment.asked import Asked, experiment, others_used
from takt_cli.verbs.experiment.setting import Setting
from takt_cli.verbs.options import MOST_SEED, duration_ns, whole

app = typer.Typer(no_args_is_help=True)


def _command(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare an experiment whose runs need the middleware."""

    def declare(study: Callable[..., None]) -> Callable[..., None]:
        app.command(name)(experiment(name, before=check_middleware)(study))
        return study

    return declare


def _announce(setting: Setting, planned: list[Planned]) -> None:
    minutes = total_s(planned) / 60
    hint = "; --quick takes a few seconds per run" if minutes > 5 and not setting.quick else ""
    note(f"{setting.host.describe()}; {len(planned)} runs, about {minutes:.1f} min{hint}.")


def _finish(
    asked: Asked, done: list[Configuration], own: Mapping[str, object], **parts: Any
) -> None:
    asked.show(asked.study(own, done, **parts))


def _others(done: list[Configuration]) -> list[str]:
    return others_used(max((c.results.other_cores or 0.0 for c in done), default=0.0))


@_command("executors")
def run_executors(
    asked: Asked,
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
    _finish(
        asked,
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
    asked: Asked,
) -> None:
    """Bind callbacks to four threads in three ways, with and without chain priorities."""
    setting = asked.setting
    planned = {name: binding.plan(setting, name) for name in binding.GRAPHS}
    everything = [item for items in planned.values() for item in items]
    _announce(setting, everything)
    done = run_all(everything)
    parts = {name: [c for c in done if c.section == name] for name in planned}
    _finish(
        asked,
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
    asked: Asked,
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
    _finish(
        asked,
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


def _run_overload(asked: Asked) -> None:
    setting = asked.setting
    planned = overload.plan(setting)
    _announce(setting, planned)
    done = run_all(planned)
    _finish(
        asked,
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
    asked: Asked,
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
    _finish(
        asked,
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
    asked.must_hold(item.holds for item in judgements)


@_command("bounds")
def run_bounds(
    asked: Asked,
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
    _finish(
        asked,
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
