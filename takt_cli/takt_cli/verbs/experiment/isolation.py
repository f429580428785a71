"""The cost of isolation: callback groups on threads of their own, against pools and a plan.

A cell is a number of callbacks in a number of processes. Each cell runs under several arrangements
of threads, which are schedules of one system model, in alternating order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from takt_cli.base.callback_ids import callback_id, group_id
from takt_cli.base.processes import run_program
from takt_cli.base.programs import find_program
from takt_cli.base.units import NS_PER_S
from takt_cli.files.outputs import write_text
from takt_cli.files.schedule_files import Schedule, on_cores, read_schedule, write_schedule
from takt_cli.verbs.experiment.isolation_program import (
    IDLE,
    Cost,
    count_system_calls,
    find_strace,
    run_isolation,
)
from takt_cli.verbs.experiment.setting import Setting

ONE, STOCK, POOL = "one thread", "stock pool", "takt pool"
ISOLATED, ISOLATED_RT, PLANNED = "isolated", "isolated, real-time", "planned"
ARRANGEMENTS = (ONE, STOCK, POOL, ISOLATED, ISOLATED_RT, PLANNED)
REALTIME = (ISOLATED_RT, PLANNED)

CHAIN = 4  # callbacks
PERIOD_NS = 50_000_000
LOAD = 0.4  # of the cores
POOL_THREADS = 16
# Receiving threads of real-time arrangements are above all callbacks, as a plan needs it.
RECEIVER = {"match": "receiver", "policy": "fifo", "priority": 95}
MOST_PRIORITY = 90
# What a plan assumes; the calibrated costs of this machine would differ.
OVERHEADS = {"dispatch": "2us", "middleware": "20us", "context_switch": "10us"}


@dataclass(frozen=True)
class Cell:
    """So many callbacks in chains of four, whose steps go round the processes."""

    callbacks: int
    processes: int

    @property
    def name(self) -> str:
        """'16 in 4': callbacks and processes."""
        return f"{self.callbacks} in {self.processes}"

    @property
    def chains(self) -> int:
        """How many chains there are."""
        return self.callbacks // CHAIN


def grid(quick: bool) -> list[Cell]:
    """Give the cells: in one process, and each node in a process of its own."""
    sizes, nodes = ((4, 16), (1, 2)) if quick else ((4, 16, 64), (1, 2, 4, 8))
    return [Cell(n, p) for n in sizes for p in nodes if p <= n]


@dataclass
class Measured:
    """All runs of a cell under one arrangement, in the order of the rounds."""

    cell: Cell
    arrangement: str
    costs: list[Cost] = field(default_factory=list)
    calls_per_activation: float | None = None


def system_of(cell: Cell, cores: int, seed: int | None) -> dict[str, Any]:
    """Make the system model of a cell; the phases of the chains follow from the seed alone.

    Without a seed all chains are released together.
    """
    phases = random.Random(seed)
    work_us = max(1, round(LOAD * cores * PERIOD_NS / cell.callbacks / 1000))
    callbacks: list[dict[str, Any]] = []
    chains: dict[str, Any] = {}
    groups: dict[str, str] = {}
    for chain in range(cell.chains):
        offset_us = 0 if seed is None else phases.randrange(PERIOD_NS // 1000)
        path = []
        for step in range(CHAIN):
            # The chains begin in all processes alike.
            first = chain * cell.processes // cell.chains
            process = (first + step) % cell.processes
            node = f"/node{process}"
            what = ("sub", f"/c{chain}_{step - 1}") if step else ("timer", f"c{chain}")
            entry: dict[str, Any] = {
                "id": callback_id(node, *what),
                "executor": f"p{process}",
                "group": group_id(node, f"c{chain}_{step}"),
                "time": f"{work_us}us",
            }
            if step:
                entry["triggers"] = f"/c{chain}_{step - 1}"
            else:
                entry |= {"period": f"{PERIOD_NS}ns", "offset": f"{offset_us}us"}
            if step < CHAIN - 1:
                entry["publishes"] = f"/c{chain}_{step}"
            groups[entry["group"]] = "mutually_exclusive"
            callbacks.append(entry)
            path.append(entry["id"])
        chains[f"c{chain}"] = {
            "path": path,
            "priority": MOST_PRIORITY - chain,
            "deadline": f"{PERIOD_NS}ns",
        }
    return {
        "version": 1,
        "hosts": {"here": {"cores": cores}},
        "overheads": OVERHEADS,
        "communication": {"processes": "200us"},
        "groups": groups,
        "callbacks": callbacks,
        "chains": chains,
    }


def schedule_of(arrangement: str, system: dict[str, Any]) -> Schedule:
    """Make the schedule of an arrangement, except for the planned one."""
    executors: dict[str, Any] = {}
    priorities = {
        id_: chain["priority"] for chain in system["chains"].values() for id_ in chain["path"]
    }
    for name in dict.fromkeys(callback["executor"] for callback in system["callbacks"]):
        own = [callback for callback in system["callbacks"] if callback["executor"] == name]
        executor: dict[str, Any] = {"missing_rights": "report"}
        if arrangement in (ISOLATED, ISOLATED_RT):
            executor |= {"threads": {IDLE: {}}, "default": IDLE}
            executor["groups"] = [
                {"match": callback["group"], "isolate": True}
                | (
                    {"policy": "fifo", "priority": priorities[callback["id"]]}
                    if arrangement == ISOLATED_RT
                    else {}
                )
                for callback in own
            ]
        else:
            count = 1 if arrangement == ONE else min(POOL_THREADS, len(own))
            executor |= {"threads": {"pool": {"count": count}}, "default": "pool"}
            if arrangement == STOCK:
                executor["order"] = "stock"
        executors[name] = executor
    content: Schedule = {"version": 1, "executors": executors}
    return with_receivers(content) if arrangement in REALTIME else content


def with_receivers(content: Schedule) -> Schedule:
    """Put the threads that receive messages above the callbacks."""
    if len(content["executors"]) > 1:
        for executor in content["executors"].values():
            executor["process_threads"] = [dict(RECEIVER)]
    return content


def plan_schedule(system: Path, scratch: Path, cores: Sequence[int]) -> Schedule:
    """Let `takt plan` make a schedule of the model, for these cores."""
    scratch.parent.mkdir(parents=True, exist_ok=True)
    done = run_program(
        find_program("takt_plan", "takt_plan"), [str(system), "-o", str(scratch)], check=False
    )
    if not scratch.is_file():
        run_program(find_program("takt_plan", "takt_plan"), [str(system), "-o", str(scratch)])
        raise AssertionError(done.stderr)
    content = on_cores(read_schedule(scratch), cores)
    for executor in content["executors"].values():
        executor["missing_rights"] = "report"
    return with_receivers(content)


def prepare(setting: Setting, cell: Cell, seed: int | None) -> tuple[Path, dict[str, Path]]:
    """Write the model of a cell and the schedule of each arrangement."""
    slug = f"{cell.callbacks}-callbacks-{cell.processes}-processes"
    system = system_of(cell, len(setting.cores), seed)
    file = setting.directory / f"systems/{slug}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, f"# takt experiment isolation\n{yaml.safe_dump(system, sort_keys=False)}")
    schedules = {}
    for arrangement in ARRANGEMENTS:
        path = setting.directory / f"schedules/{slug}-{_slug(arrangement)}.yaml"
        content = (
            plan_schedule(file, path, setting.cores)
            if arrangement == PLANNED
            else schedule_of(arrangement, system)
        )
        about = f"{cell.callbacks} callbacks in {cell.processes} processes, {arrangement}"
        schedules[arrangement] = write_schedule(content, path, about)
    return file, schedules


def _slug(arrangement: str) -> str:
    return arrangement.replace(", ", "-").replace(" ", "-")


@dataclass(frozen=True)
class Campaign:
    """How much is measured."""

    cells: list[Cell]
    rounds: int
    length_ns: int
    system_calls: bool
    seed: int | None  # of the chains' phases; None: together

    def count(self) -> int:
        """How many measurements there are, those under strace apart."""
        return len(self.cells) * self.rounds * len(ARRANGEMENTS)

    def expected_s(self) -> float:
        """How long they should take."""
        each = self.length_ns / NS_PER_S + 1.2
        return each * self.count() + (
            3 * each * len(self.cells) * len(ARRANGEMENTS) if self.system_calls else 0.0
        )


def measure(
    setting: Setting, campaign: Campaign, done: Callable[[str], None] = lambda _: None
) -> list[Measured]:
    """Run all rounds of all cells. Calls `done` before each measurement."""
    found: list[Measured] = []
    speed: float | None = None
    for cell in campaign.cells:
        system, schedules = prepare(setting, cell, campaign.seed)
        of_cell = {name: Measured(cell, name) for name in ARRANGEMENTS}
        for number, name in _rounds(campaign.rounds):
            done(f"{cell.name}, {name}, round {number + 1}")
            output = setting.directory / f"{schedules[name].stem}-{number + 1}.json"
            cost, speed = run_isolation(
                system,
                schedules[name],
                output,
                duration_ns=campaign.length_ns,
                speed=speed,
                cores=setting.cores,
            )
            of_cell[name].costs.append(cost)
        found += of_cell.values()
        if campaign.system_calls and speed is not None:
            for name in ARRANGEMENTS:
                done(f"{cell.name}, {name}, system calls")
                short = campaign.length_ns // 2
                calls = count_system_calls(
                    system,
                    schedules[name],
                    durations_ns=(short, short + campaign.length_ns),
                    speed=speed,
                    cores=setting.cores,
                )
                due = campaign.length_ns / PERIOD_NS * cell.chains
                of_cell[name].calls_per_activation = None if calls is None else calls / due
    return found


def _rounds(rounds: int) -> Iterator[tuple[int, str]]:
    """Give each arrangement once in each round, every round beginning with another one."""
    for number in range(rounds):
        turned = (
            ARRANGEMENTS[number % len(ARRANGEMENTS) :] + ARRANGEMENTS[: number % len(ARRANGEMENTS)]
        )
        for name in turned:
            yield number, name


def may_count_calls() -> bool:
    """Whether strace is installed."""
    return find_strace() is not None


def raw_counts(found: Sequence[Measured]) -> str:
    """Give the counts of all runs as JSON, without the single responses."""
    return json.dumps(
        [
            {
                "callbacks": one.cell.callbacks,
                "processes": one.cell.processes,
                "arrangement": one.arrangement,
                "system_calls_per_activation": one.calls_per_activation,
                "runs": [
                    {key: value for key, value in vars(cost).items() if key != "responses"}
                    for cost in one.costs
                ],
            }
            for one in found
        ],
        indent=1,
    )
