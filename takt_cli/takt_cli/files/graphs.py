"""Graphs: names to files, and the facts that `takt_graph` tells about one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from takt_cli.base.processes import run_json, run_program
from takt_cli.base.programs import find_program
from takt_cli.files.inputs import missing, refuse_irregular
from takt_cli.files.shipped import is_bare, shipped_files, unknown
from takt_cli.files.standard_input import DASH, standard_input

PACKAGE = "takt_workload"


@dataclass(frozen=True)
class CallbackInfo:
    """One callback of a graph: how often it runs and how much of a core that takes."""

    id: str
    rate_hz: float
    utilisation: float  # share of one core
    reentrant: bool = False
    period_ns: int | None = None


@dataclass(frozen=True)
class ChainInfo:
    """One chain of a graph."""

    name: str
    path: tuple[str, ...]
    priority: int | None
    deadline_ns: int | None
    period_ns: int | None


@dataclass(frozen=True)
class GraphInfo:
    """A graph at work scale 1."""

    name: str
    callbacks: tuple[CallbackInfo, ...]
    chains: tuple[ChainInfo, ...]
    utilisation: float
    group_utilisation: float  # of the most loaded exclusive group

    def timers(self) -> list[str]:
        """Ids of the timers."""
        return [callback.id for callback in self.callbacks if ":timer(" in callback.id]


def available_graphs() -> dict[str, Path]:
    """Shipped graphs by name."""
    return shipped_files(PACKAGE, "graphs")


def available_schedules() -> dict[str, Path]:
    """Shipped schedules by name."""
    return shipped_files(PACKAGE, "schedules")


def resolve_graph(name: str) -> Path:
    """Take a file as it is; a bare name is a shipped graph."""
    return _resolve(name, available_graphs(), "graph")


def resolve_schedule(name: str) -> Path:
    """Take a file as it is; a bare name is a shipped schedule."""
    return _resolve(name, available_schedules(), "schedule")


def _resolve(name: str, shipped: Mapping[str, Path], kind: str) -> Path:
    if name == DASH:
        return standard_input()
    as_path = Path(name)
    if as_path.is_file():
        return as_path.resolve()
    if name in shipped:
        return shipped[name]
    refuse_irregular(as_path, kind)
    if not is_bare(name):
        raise missing(name)
    raise unknown(name, shipped, kind)


def graph_ids(graph: Path) -> str:
    """Give ids, kinds and groups of all callbacks, as JSON that `takt_check --ids` reads."""
    program = find_program("takt_graph", PACKAGE)
    return ids_as_json(run_program(program, ["ids", str(graph)]).stdout)


def ids_as_json(text: str) -> str:
    """Take JSON as it is; a plain list of ids becomes JSON with the kinds that the ids tell."""
    if text.lstrip().startswith("{"):
        return text
    callbacks = [
        {"id": id_, "kind": id_.rpartition(":")[2].partition("(")[0]} for id_ in text.split()
    ]
    return json.dumps({"callbacks": callbacks})


def graph_info(graph: Path) -> GraphInfo:
    """Rates, work and chains of a graph."""
    program = find_program("takt_graph", PACKAGE)
    return parse_graph_info(run_json(program, ["info", str(graph), "--json"]))


def parse_graph_info(raw: Mapping[str, Any]) -> GraphInfo:
    """Turn the JSON of `takt_graph info` into typed data."""
    callbacks = tuple(
        CallbackInfo(
            id=str(item["id"]),
            rate_hz=float(item["rate_hz"]),
            utilisation=float(item["utilisation"]),
            reentrant=bool(item.get("reentrant")),
            period_ns=item.get("period_ns"),
        )
        for item in raw["callbacks"]
    )
    reentrant = {item.get("group") for item in raw["callbacks"] if item.get("reentrant")}
    exclusive = [load for group, load in raw["groups"].items() if group not in reentrant]
    periods = {callback.id: callback.period_ns for callback in callbacks}
    return GraphInfo(
        name=str(raw["graph"]),
        callbacks=callbacks,
        chains=tuple(_chain(item, periods) for item in raw["chains"]),
        utilisation=float(raw["total_utilisation"]),
        group_utilisation=max(exclusive, default=0.0),
    )


def _chain(item: Mapping[str, Any], periods: Mapping[str, int | None]) -> ChainInfo:
    path = tuple(item["path"])
    return ChainInfo(
        name=str(item["name"]),
        path=path,
        priority=item.get("priority"),
        deadline_ns=item.get("deadline_ns"),
        period_ns=periods.get(path[0]) if path else None,
    )
