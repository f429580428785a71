"""Graphs: names to files, and the facts that `takt_graph` tells about one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from takt_cli.base.callback_ids import kind_of
from takt_cli.base.processes import run_json, run_program
from takt_cli.base.programs import find_program
from takt_cli.documents.document import Document
from takt_cli.documents.told import read_told
from takt_cli.files.inputs import missing, refuse_irregular
from takt_cli.files.shipped import is_bare, shipped_files, unknown
from takt_cli.files.standard_input import DASH, standard_input

PACKAGE = "takt_workload"


class CallbackInfo(Document, at="graph#callback"):
    """A callback with its rate and its share of a core."""


class ChainInfo(Document, at="graph#chain"):
    """A chain of a graph."""


class GraphInfo(Document, at="graph"):
    """A graph at work scale 1."""

    @property
    def group_utilisation(self) -> float:
        """The share of a core that the most loaded exclusive group uses."""
        reentrant = {callback.group for callback in self.callbacks if callback.reentrant}
        exclusive = [load for group, load in self.groups.items() if group not in reentrant]
        return max(exclusive, default=0.0)

    @property
    def slowest_ns(self) -> int:
        """The longest period of a chain's timer; 0: the graph has no chains."""
        periods = {callback.id: callback.period_ns for callback in self.callbacks}
        return max(
            (periods.get(chain.path[0]) or 0 for chain in self.chains if chain.path), default=0
        )

    def timers(self) -> list[str]:
        """Ids of the timers."""
        return [callback.id for callback in self.callbacks if kind_of(callback.id) == "timer"]


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
    callbacks = [{"id": id_, "kind": kind_of(id_)} for id_ in text.split()]
    return json.dumps({"callbacks": callbacks})


def graph_info(graph: Path) -> GraphInfo:
    """Rates, work and chains of a graph."""
    program = find_program("takt_graph", PACKAGE)
    raw = run_json(program, ["info", str(graph), "--json"])
    return read_told(GraphInfo, raw, program.name)
