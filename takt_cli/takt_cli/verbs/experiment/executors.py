"""Experiment 1: three chains in six configurations of executors, beside the oracle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from takt_cli.base.errors import TaktError
from takt_cli.files.graphs import GraphInfo, graph_info, resolve_graph
from takt_cli.files.outputs import write_text
from takt_cli.files.schedule_files import schedule, write_schedule
from takt_cli.results.run_results import Results
from takt_cli.running.runner import RunRequest
from takt_cli.running.several_runs import Planned
from takt_cli.verbs.experiment.oracle import (
    KERNELS,
    Prediction,
    oracle_directory,
    predict,
    three_chains_scenario,
)
from takt_cli.verbs.experiment.setting import Setting

GRAPH = "three_chains"
ALL = (1, 2, 3, 4, 5, 6, 7, 8, 9)
# All threads alike, so that only the executors differ and not their urgency.
REALTIME = {"policy": "fifo", "priority": 50}
# Nine callbacks in one thread shall fit one core.
_MOST_LOAD = 0.85


@dataclass(frozen=True)
class Shape:
    """A configuration: callbacks by number per executor, and threads per executor."""

    name: str
    groups: tuple[tuple[int, ...], ...]
    threads: int = 1


SHAPES = (
    Shape("single", (ALL,)),
    Shape("multi, 3 threads", (ALL,), 3),
    Shape("{1,2,3} {4,5,6} {7,8,9}", ((1, 2, 3), (4, 5, 6), (7, 8, 9))),
    Shape("{1,5,9} {2,6,7} {3,4,8}", ((1, 5, 9), (2, 6, 7), (3, 4, 8))),
    Shape("{1,4,7} {2,5,8} {3,6,9}", ((1, 4, 7), (2, 5, 8), (3, 6, 9))),
    Shape("{1,4,7} {8,5,2} {9,6,3}", ((1, 4, 7), (8, 5, 2), (9, 6, 3))),
)


def fitting_cost(cost_ns: int, period_ns: int) -> int:
    """Cut a cost per callback so that one core carries nine callbacks per period."""
    return min(cost_ns, int(_MOST_LOAD * period_ns / 9))


def plan(
    setting: Setting,
    cost_ns: int,
    period_ns: int,
    seed: int,
    random_phase: bool,
    realtime: bool = False,
) -> list[Planned]:
    """Plan the six configurations, all in phase or all in one random phase."""
    length = setting.length_ns(period_ns, samples=1000, quick_s=6)
    phase = "random" if random_phase else "in-phase"
    planned = []
    for index, shape in enumerate(SHAPES, start=1):
        graph = shape_graph(
            shape, setting.directory / f"graphs/three_chains_{index}.yaml", period_ns, cost_ns
        )
        ids = ids_by_number(graph_info(graph))
        file = write_schedule(
            shape_schedule(shape, ids, REALTIME if realtime else {}),
            setting.directory / f"schedules/executors_{index}.yaml",
            f"Three chains, configuration {shape.name}: takt experiment executors",
        )
        request = RunRequest(
            graph=graph,
            output=setting.directory / f"{phase}-{index}.json",
            schedule=file,
            cores=setting.cores,
            duration_ns=length,
            # At least one whole period has to pass before anything counts.
            warmup_ns=max(10**9, 2 * period_ns),
            phases=f"random:{seed}" if random_phase else "fixed",
            label=f"{shape.name}, {phase}",
        )
        section = "random phase" if random_phase else "in phase"
        planned.append(Planned(shape.name, request, section=section))
    return planned


def shape_graph(shape: Shape, path: Path, period_ns: int, cost_ns: int) -> Path:
    """Write the shipped graph with another period and cost, registered in the shape's order.

    Under `window` callbacks run in the order in which they were registered, which is that of the
    nodes in the file.
    """
    shipped = resolve_graph(GRAPH)
    content = yaml.safe_load(shipped.read_text(encoding="utf-8"))
    content.setdefault("defaults", {})["work"] = f"{cost_ns}ns"
    for node in content["nodes"]:
        if "period" in node:
            node["period"] = f"{period_ns}ns"
        if "work" in node:
            node["work"] = f"{cost_ns}ns"
    for chain in content.get("chains", ()):
        chain["deadline"] = f"{period_ns}ns"
    chains = sorted(content["chains"], key=lambda chain: -chain["priority"])
    names = [name for chain in chains for name in chain["path"]]
    order = [names[number - 1] for group in shape.groups for number in group]
    content["nodes"].sort(key=lambda node: order.index(node["name"]))
    path.parent.mkdir(parents=True, exist_ok=True)
    about = f"# {GRAPH} with {cost_ns / 1e6:g} ms per callback every {period_ns / 1e6:g} ms\n"
    write_text(path, about + yaml.safe_dump(content, sort_keys=False))
    return path


def ids_by_number(graph: GraphInfo) -> dict[int, str]:
    """Find the ids of callbacks 1 to 9: chain by chain, root first."""
    chains = sorted(graph.chains, key=lambda chain: -(chain.priority or 0))
    ids = [id_ for chain in chains for id_ in chain.path]
    if len(chains) != 3 or len(ids) != 9:
        raise TaktError(f"graph {graph.graph} is not three chains of three callbacks")
    return dict(enumerate(ids, start=1))


def shape_schedule(
    shape: Shape, ids: dict[int, str], attributes: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Make the schedule that is this set of executors: a thread, or a pool, for each."""
    if len(shape.groups) == 1:
        return schedule("window", {"main": {"count": shape.threads, **attributes}}, "main")
    names = [f"executor{index}" for index in range(1, len(shape.groups) + 1)]
    binding = {
        name: [ids[number] for number in group]
        for name, group in zip(names, shape.groups, strict=True)
    }
    return schedule("window", {name: dict(attributes) for name in names}, names[0], binding)


def predictions(
    shape: Shape, results: Results, cores: int, cost_ns: int, period_ns: int
) -> list[Prediction | None]:
    """Ask the oracle, with the kernel policy that was granted and the phases that were seen."""
    if oracle_directory() is None:
        return [None, None, None]
    scenario = three_chains_scenario(
        shape.groups,
        threads=shape.threads,
        cores=cores,
        kernel=granted_kernel(results),
        cost_ns=cost_ns,
        period_ns=period_ns,
        offsets_ns=seen_offsets(results, period_ns),
    )
    return predict(scenario)


def granted_kernel(results: Results) -> str:
    """Name the oracle's model of the policy that the executor threads really had."""
    policies = {thread.policy for thread in results.threads if thread.executor}
    return KERNELS.get(policies.pop(), "fair") if len(policies) == 1 else "fair"


def seen_offsets(results: Results, period_ns: int) -> list[int]:
    """Give the timers' phases, from their nominal releases, the first chain's being 0 at least."""
    if results.phases == "fixed":
        return [0, 0, 0]
    phases = [
        round(float(c.responses.at_ns[0])) % period_ns if len(c.responses.at_ns) else 0
        for c in ordered_chains(results)
    ]
    return phases


def ordered_chains(results: Results) -> list[Any]:
    """Chains 1, 2, 3."""
    return sorted(results.chains, key=lambda chain: chain.name)
