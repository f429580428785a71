"""What a report plots: the hot path where there is one, then the chains that all runs share."""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.pages.axes import Line
from takt_cli.pages.figures import Path
from takt_cli.results.configuration import Configuration
from takt_cli.results.run_results import ChainResult


def paths_of(configurations: Sequence[Configuration]) -> list[Path]:
    """In the order of interest: hot path, then chains by priority as the first run has them."""
    result = []
    if any(c.results.kpis.has_hot_path for c in configurations):
        result.append(_hot_path(configurations))
    chains: dict[str, list[tuple[Configuration, ChainResult]]] = {}
    for configuration in configurations:
        for chain in configuration.results.chains:
            chains.setdefault(chain.name, []).append((configuration, chain))
    ranked = sorted(chains.items(), key=lambda item: -max(c.priority or 0 for _, c in item[1]))
    result.extend(_chain(name, runs) for name, runs in ranked)
    return [path for path in result if any(len(s.values) for _, s in path.series)]


def _hot_path(configurations: Sequence[Configuration]) -> Path:
    lines = []
    floors = [c.results.kpis.hot_floor_ns for c in configurations if c.results.kpis.hot_floor_ns]
    if floors:
        lines.append(Line("physical limit", min(floors), "--good"))
    return Path(
        name="Hot path",
        about="From the later lidar's timer to the start of the collision estimator, as the "
        "reference system counts it.",
        series=[(c, c.results.kpis.hot_latency) for c in configurations],
        lines=lines,
    )


def _chain(name: str, runs: Sequence[tuple[Configuration, ChainResult]]) -> Path:
    deadlines = {chain.deadline_ns for _, chain in runs if chain.deadline_ns}
    path = runs[0][1].path
    return Path(
        name=name,
        about=f"{path[0]} → {path[-1]}, {len(path)} callbacks; from the root's release."
        if len(path) > 1
        else "From the root's release.",
        series=[(configuration, chain.responses) for configuration, chain in runs],
        lines=[Line("deadline", deadline, "--bad") for deadline in sorted(deadlines)],
        expected={c.name: max(chain.expected, len(chain.responses.values)) for c, chain in runs},
    )
