"""How much work fits a machine: the scale at which a graph loads given cores as wanted."""

from __future__ import annotations

from dataclasses import dataclass

from takt_cli.files.graphs import GraphInfo

TARGET_LOAD = 0.85
GROUP_LIMIT = 0.75


@dataclass(frozen=True)
class Scaling:
    """A work scale, the load that it leads to, and its limit."""

    work_scale: float
    cores: int
    load: float  # share of the cores
    group_utilisation: float
    limited_by_group: bool

    def describe(self) -> str:
        """Say it in a sentence."""
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        why = (
            f"; more would load one exclusive group above {GROUP_LIMIT:.0%}"
            if self.limited_by_group
            else ""
        )
        return (
            f"work × {self.work_scale:.2f} loads {cores} to {100 * self.load:.0f} % "
            f"(busiest exclusive group: {100 * self.group_utilisation:.0f} % of a core{why})"
        )


def fit(
    graph: GraphInfo, cores: int, *, load: float = TARGET_LOAD, group_limit: float = GROUP_LIMIT
) -> Scaling:
    """Scale the graph's work to `load` of `cores`, no exclusive group above `group_limit`.

    An exclusive group can never use more than one core, so past its limit more work would show
    that and not how well an executor schedules.
    """
    if cores < 1:
        raise ValueError("at least one core is needed")
    if graph.total_utilisation <= 0:
        return Scaling(1.0, cores, 0.0, graph.group_utilisation, False)
    wanted = load * cores / graph.total_utilisation
    most = group_limit / graph.group_utilisation if graph.group_utilisation > 0 else wanted
    scale = min(wanted, most)
    return Scaling(
        work_scale=scale,
        cores=cores,
        load=scale * graph.total_utilisation / cores,
        group_utilisation=scale * graph.group_utilisation,
        limited_by_group=most < wanted,
    )
