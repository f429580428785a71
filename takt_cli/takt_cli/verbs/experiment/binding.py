"""Experiment 2: four threads, three bindings, with and without chain priorities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from takt_cli.base.units import milliseconds
from takt_cli.files.graphs import GraphInfo, graph_info, resolve_graph
from takt_cli.files.schedule_files import blocks, chain_entries, schedule, write_schedule
from takt_cli.results.configuration import Configuration
from takt_cli.results.samples import summarise
from takt_cli.running.runner import RunRequest
from takt_cli.running.several_runs import Planned
from takt_cli.running.work_scale import fit
from takt_cli.verbs.experiment.setting import Setting

GRAPHS = ("four_chains", "autoware_reference")
THREADS = 4
# Partitioned threads share cores unevenly; more would overload one of them and show nothing else.
LOAD = 0.6
MODES = ("global", "semi-partitioned", "partitioned")
THREAD_NAMES = [f"worker.{index}" for index in range(THREADS)]


def plan(setting: Setting, graph_name: str) -> list[Planned]:
    """Plan the six configurations of one graph."""
    file = resolve_graph(graph_name)
    graph = graph_info(file)
    slowest = graph.slowest_ns or 200_000_000
    length = setting.length_ns(slowest, samples=300, quick_s=3)
    scaling = fit(graph, len(setting.cores), load=LOAD)
    planned = []
    for mode in MODES:
        for priorities in (False, True):
            name = f"{mode}, {'chain priorities' if priorities else 'no priorities'}"
            slug = f"{graph_name}-{mode}-{'priorities' if priorities else 'flat'}"
            request = RunRequest(
                graph=file,
                output=setting.directory / f"{slug}.json",
                schedule=write_schedule(
                    binding_schedule(graph, mode, priorities, setting.cores),
                    setting.directory / f"schedules/{slug}.yaml",
                    f"{graph_name}, {name}: takt experiment binding",
                ),
                cores=setting.cores,
                duration_ns=length,
                work_scale=scaling.work_scale,
                label=f"{graph_name}: {name}",
            )
            planned.append(Planned(name, request, section=graph_name))
    return planned


def binding_schedule(
    graph: GraphInfo, mode: str, priorities: bool, cores: Sequence[int]
) -> dict[str, Any]:
    """Four threads, thread i on core i mod n; the callbacks as the mode says."""
    threads = {"worker": {"count": THREADS, "cores": list(cores), "spread": True}}
    return schedule(
        "priority" if priorities else "fifo",
        threads,
        "worker",
        bind(graph, mode),
        chain_entries(graph) if priorities else None,
    )


def bind(graph: GraphInfo, mode: str) -> dict[str, list[str]]:
    """Which callbacks each thread gets for itself; the others may run on any."""
    if mode == "global":
        return {}
    if mode == "semi-partitioned":
        pinned: dict[str, list[str]] = {name: [] for name in THREAD_NAMES}
        for index, timer in enumerate(graph.timers()):
            pinned[THREAD_NAMES[index % THREADS]].append(timer)
        return pinned
    return dict(zip(THREAD_NAMES, blocks(graph, THREADS), strict=False))


def sentences(configurations: Sequence[Configuration], graph_name: str) -> list[str]:
    """Say how the most important chain's worst response differs between the bindings."""
    first = max(
        configurations[0].results.chains, key=lambda chain: chain.priority or 0, default=None
    )
    if first is None:
        return []
    worst = []
    for configuration in configurations:
        chain = next((c for c in configuration.results.chains if c.name == first.name), None)
        most = summarise(chain.responses.values).max if chain else None
        if most is not None:
            worst.append((most, configuration.name))
    if not worst:
        return [f"{graph_name}: chain {first.name} never completed."]
    best, last = min(worst), max(worst)
    return [
        f"{graph_name}: the most important chain, {first.name}, took at most "
        f"{milliseconds(best[0])} ms under {best[1]} and up to {milliseconds(last[0])} ms under "
        f"{last[1]}."
    ]
