"""Five chains under overload: a plan against isolated threads under the fair scheduler.

The graph wants more than the cores have. Two further runs show which part makes the difference:
isolated threads with priorities, and a plan of the chains alone with all else under the fair
scheduler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from takt_cli.base.callback_ids import group_id, node_of
from takt_cli.base.errors import TaktError
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.base.units import significant
from takt_cli.files.graphs import PACKAGE, GraphInfo, graph_info, resolve_graph
from takt_cli.files.schedule_files import Schedule, on_cores, read_schedule
from takt_cli.results.configuration import Configuration
from takt_cli.results.run_results import ChainResult
from takt_cli.results.samples import Samples, summarise
from takt_cli.running.several_runs import Planned
from takt_cli.running.work_scale import fit
from takt_cli.tables.run_tables import ms
from takt_cli.tables.skipped_periods import skipped_notes
from takt_cli.tables.table import Cell, Table, count_cell
from takt_cli.verbs.experiment.setting import Setting

GRAPH = "five_chains"
LOAD = 1.25  # of the cores
GOAL = 5.0
FAIR, RANKED = "isolated, fair", "isolated, priorities"
PLANNED, CHAINS = "planned", "planned chains"
RUNS = (FAIR, RANKED, PLANNED, CHAINS)
# Real-time priorities of the isolated threads: the most important chain has this one.
_MOST = 80
# Costs that the plan assumes; those of this machine may differ, and takt calibrate measures them.
_OVERHEADS = ("--dispatch", "5us", "--middleware", "150us", "--context-switch", "60us")
_IDLE = "idle"
_REST = "rest"


def plan(setting: Setting) -> list[Planned]:
    """Plan the four runs."""
    file = resolve_graph(GRAPH)
    graph = graph_info(file)
    scale = fit(graph, len(setting.cores), load=LOAD, group_limit=float("inf")).work_scale
    length = setting.length_ns(100_000_000, samples=300, quick_s=4)
    contents = {
        FAIR: isolated(),
        RANKED: isolated(graph),
        PLANNED: _planned(setting, scale),
        CHAINS: beside_the_rest(_planned(setting, scale, graph), len(setting.cores)),
    }
    notes = {
        FAIR: "a thread for each callback group, the kernel's fair scheduler",
        RANKED: "the same threads under SCHED_FIFO, by the importance of their chains",
        PLANNED: "the threads, cores and priorities of takt plan",
        CHAINS: "takt plan of the nodes of chains, the others on fair threads",
    }
    planned = []
    for name, content in contents.items():
        slug = name.replace(", ", "-").replace(" ", "-")
        request = setting.request(
            file,
            slug,
            content,
            f"{GRAPH}: {notes[name]}",
            duration_ns=length,
            work_scale=scale,
            label=name,
        )
        planned.append(
            Planned(name, request, notes[name], muted=name == FAIR, accent=name == PLANNED)
        )
    return planned


def isolated(graph: GraphInfo | None = None) -> Schedule:
    """Give each callback group a thread; with a graph, under SCHED_FIFO where a chain needs it.

    A node of several chains has the priority of the most important one. Groups of no chain stay
    under the fair scheduler.
    """
    groups: list[dict[str, Any]] = [{"match": "**:group(**)", "isolate": True}]
    ranked = sorted(graph.chains if graph else (), key=lambda chain: -(chain.priority or 0))
    seen: set[str] = set()
    for rank, chain in enumerate(ranked):
        nodes = dict.fromkeys(node_of(id_) for id_ in chain.path)
        own = [node for node in nodes if node not in seen]
        seen.update(own)
        groups += [
            {
                "match": group_id(node, "**"),
                "isolate": True,
                "policy": "fifo",
                "priority": _MOST - rank,
            }
            for node in own
        ]
    executor = {
        "missing_rights": "report",
        "threads": {_IDLE: {}},
        "default": _IDLE,
        "groups": groups,
    }
    return {"version": 1, "executors": {"main": executor}}


def _planned(setting: Setting, scale: float, graph: GraphInfo | None = None) -> Schedule:
    """Let `takt plan` make the schedule of the graph's model; with `graph` of its chains only."""
    directory = setting.directory / "schedules"
    directory.mkdir(parents=True, exist_ok=True)
    done = run_program(
        find_program("takt_graph", PACKAGE),
        [
            *("system", str(resolve_graph(GRAPH)), "--cores", str(len(setting.cores))),
            *("--work-scale", f"{scale:.6g}", *_OVERHEADS, "--witness"),
        ],
    )
    slug = "system_of_chains" if graph else "system"
    text = of_chains(done.stdout, graph) if graph else done.stdout
    system = setting.directory / f"{slug}.yaml"
    system.write_text(text, encoding="utf-8")
    output = directory / f"plan_of_{slug}.yaml"
    # The exit code is 1 where no plan can promise all callbacks a bound, as under overload.
    made = run_program(
        find_program("takt_plan", "takt_plan"), [str(system), "-o", str(output)], check=False
    )
    if not output.is_file():
        raise TaktError(f"takt_plan made no schedule: {made.stderr}")
    content = on_cores(read_schedule(output), setting.cores)
    for executor in content["executors"].values():
        executor["missing_rights"] = "report"
    return content


def of_chains(system: str, graph: GraphInfo) -> str:
    """Reduce a system model to the nodes that chains go through."""
    content = yaml.safe_load(system)
    nodes = {node_of(id_) for chain in graph.chains for id_ in chain.path}
    content["callbacks"] = [
        callback
        for callback in content["callbacks"]
        if node_of(callback["id"] if isinstance(callback["id"], str) else callback["id"][0])
        in nodes
    ]
    return str(yaml.safe_dump(content, sort_keys=False))


def beside_the_rest(content: Schedule, cores: int) -> Schedule:
    """Give the callbacks that no rule names threads under the fair scheduler."""
    for executor in content["executors"].values():
        executor["threads"][_REST] = {"count": cores}
        executor["default"] = _REST
    return content


@dataclass(frozen=True)
class Factor:
    """Of one chain: how much longer the fair run's worst response was than a planned run's."""

    run: str
    chain: str
    value: float | None  # None: a run has no response
    complete: bool  # the planned run lost no activation of the chain

    @property
    def holds(self) -> bool | None:
        """Whether the goal was reached; a run that lost activations did not reach it."""
        if self.value is None:
            return None
        return self.complete and self.value >= GOAL


def factors(done: Sequence[Configuration]) -> list[Factor]:
    """Compare the worst responses of both planned runs, the most important chain first."""
    fair = _chains(done, FAIR)
    found = []
    for run in (PLANNED, CHAINS):
        for name, mine in _chains(done, run).items():
            worst = summarise(mine.responses.values).max
            rival = summarise(fair[name].responses.values).max if name in fair else None
            value = rival / worst if worst and rival else None
            found.append(Factor(run, name, value, not (mine.lost or mine.skipped)))
    return found


def _chains(done: Sequence[Configuration], name: str) -> dict[str, ChainResult]:
    results = next((c.results for c in done if c.name == name), None)
    chains = sorted(results.chains if results else (), key=lambda chain: -(chain.priority or 0))
    return {chain.name: chain for chain in chains}


def tables(done: Sequence[Configuration]) -> list[Table]:
    """Make tables of the worst responses, their factors, and each run's lost activations."""
    worst = Table("Worst response under overload (ms)", ["chain", *RUNS])
    times = Table(
        "Worst response under the fair scheduler over that of the other runs",
        ["chain", RANKED, PLANNED, "goal", CHAINS, "goal"],
    )
    responses = Table(
        "Responses under overload (ms), and lost activations",
        ["chain", "run", "samples", "p50", "p90", "max", "max, clean", "lost", "skipped"],
        words=2,
    )
    runs = {name: _chains(done, name) for name in RUNS}
    judged = {(factor.run, factor.chain): factor for factor in factors(done)}
    for chain in dict.fromkeys(name for _, name in judged):
        values = {
            name: summarise(chains[chain].responses.values).max
            for name, chains in runs.items()
            if chain in chains
        }
        worst.add(chain, *[ms(values.get(name)) for name in RUNS])
        goals = [_goal(judged.get((run, chain))) for run in (PLANNED, CHAINS)]
        ratios = [_times(values.get(FAIR), values.get(run)) for run in (RANKED, PLANNED, CHAINS)]
        times.add(chain, ratios[0], ratios[1], goals[0], ratios[2], goals[1])
        for name, chains in runs.items():
            if chain in chains:
                _add_run(responses, name, chains[chain])
    times.notes.append(f"goal: at least {GOAL:g} ×, and the planned run lost no activation")
    responses.notes.append("clean: without responses that a stall of the host touched")
    responses.notes += skipped_notes(list(done))
    return [worst, times, responses]


def _goal(factor: Factor | None) -> Cell:
    words = {True: Cell("met", "good"), False: Cell("MISSED", "bad"), None: Cell("not judged")}
    return words[factor.holds if factor else None]


def _add_run(table: Table, name: str, chain: ChainResult) -> None:
    values: Samples = chain.responses.values
    summary = summarise(values)
    table.add(
        chain.name,
        name,
        count_cell(len(values)),
        ms(summary.p50),
        ms(summary.p90),
        ms(summary.max),
        ms(summarise(chain.responses.clean()).max),
        count_cell(chain.lost, bad_above=0),
        count_cell(chain.skipped, bad_above=0),
    )


def _times(rival: float | None, mine: float | None) -> Cell:
    if not rival or not mine:
        return Cell("–")
    return Cell(f"{significant(rival / mine)} ×", value=round(rival / mine, 4))


def sentences(done: Sequence[Configuration]) -> list[str]:
    """State the factor of each chain and whether it reaches the goal."""
    said = []
    for run in (PLANNED, CHAINS):
        found = [factor for factor in factors(done) if factor.run == run]
        known = [f"{f.chain} {significant(f.value, 2)} ×" for f in found if f.value is not None]
        if known:
            met = sum(f.holds is True for f in found)
            said.append(
                f"Worst response under the fair scheduler over that of the run '{run}': "
                f"{', '.join(known)}. {met} of {len(found)} chains reach the goal of {GOAL:g} ×."
            )
    return said or ["No chain completed in both runs, so there is nothing to compare."]


def reached(done: Sequence[Configuration]) -> bool:
    """Whether every chain reached the goal in both planned runs."""
    return all(factor.holds for factor in factors(done))
