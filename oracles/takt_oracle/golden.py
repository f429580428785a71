"""The checked-in results: generated here, compared here, replayed by the C++ tests."""

from __future__ import annotations

import json
from pathlib import Path

from . import simulate
from .demonstrations import demonstrations
from .model import Scenario
from .random_scenarios import random_scenarios
from .report import make_report
from .scenario_io import replay_text
from .starvation import PRIORITIES, VICTIM, starvation
from .steady import analyse
from .three_chains import CONFIGURATIONS, PERIOD_NS, three_chains

DIRECTORY = Path(__file__).parent / "golden"
MS = 1_000_000
COSTS_MS = (10, 13, 100)
CORES = (1, 2, 3, 4)
LATENCY_KERNELS = ("fair", "fifo", "rr")
SEARCH_NS = 120_000 * MS
KEPT = 12
LISTS = (
    "transient_from_release_ns",
    "transient_from_start_ns",
    "steady_from_release_ns",
    "steady_from_start_ns",
)


def golden_files() -> dict[str, str]:
    """Relative path to content of every golden file."""
    files = {f"replay/{name}.json": text for name, text in _replays().items()}
    for cost in COSTS_MS:
        files[f"latency/three_chains_c{cost}.json"] = _latency_text(cost)
    return files


def differing(directory: Path = DIRECTORY) -> list[str]:
    """Files that are missing, superfluous or different."""
    wanted = golden_files()
    present = {
        str(path.relative_to(directory)): path.read_text(encoding="utf-8")
        for path in directory.rglob("*.json")
    }
    return sorted(p for p in wanted.keys() | present.keys() if wanted.get(p) != present.get(p))


def write(directory: Path = DIRECTORY) -> list[str]:
    """Bring the directory up to date; returns what changed."""
    changed = differing(directory)
    wanted = golden_files()
    for path in changed:
        target = directory / path
        if path in wanted:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(wanted[path], encoding="utf-8")
        else:
            target.unlink()
    return changed


def replay_scenarios() -> dict[str, tuple[str, Scenario]]:
    """Name to description and scenario; each executor thread has its own core."""
    result: dict[str, tuple[str, Scenario]] = {}
    for cost in COSTS_MS:
        periods = 20 if cost == 100 else 4
        for name in CONFIGURATIONS:
            scenario = three_chains(name, cost * MS, horizon_ns=periods * PERIOD_NS)
            text = f"three chains, {name}, {cost} ms per callback, a core per thread"
            result[f"three_chains_{name}_c{cost}"] = (text, scenario)
    for example, victim in VICTIM.items():
        for order in ("stock", "window", "fifo"):
            fate = "never starts" if order == "stock" else "starts"
            text = f"starvation example {example}, {order}: {victim} {fate}"
            result[f"starvation_{example}_{order}"] = (text, starvation(example, order))
        text = f"starvation example {example}, window polled while members are parked"
        scenario = starvation(example, "window", poll="parked")
        result[f"starvation_{example}_window_parked"] = (text, scenario)
        for levels in PRIORITIES:
            text = f"starvation example {example}, priority, levels {levels} for {victim}"
            scenario = starvation(example, "priority", priorities=levels)
            result[f"starvation_{example}_priority_{levels}"] = (text, scenario)
    for name, scenario in demonstrations().items():
        result[f"demonstration_{name}"] = (f"demonstration {name}", scenario)
    for name, scenario in random_scenarios().items():
        result[f"random_{name}"] = (f"random {name}", scenario)
    return result


def _replays() -> dict[str, str]:
    return {
        name: replay_text(name, text, scenario, simulate(scenario))
        for name, (text, scenario) in replay_scenarios().items()
    }


def _latency_text(cost_ms: int) -> str:
    entries = []
    for name in CONFIGURATIONS:
        for cores in CORES:
            for kernel in LATENCY_KERNELS:
                scenario = three_chains(name, cost_ms * MS, cores=cores, kernel=kernel)
                report = make_report(analyse(scenario, SEARCH_NS))
                for chain in report["chains"].values():
                    for key in LISTS:
                        del chain[key][KEPT:]  # type: ignore[literal-required]
                head = {"configuration": name, "cores": cores, "kernel": kernel}
                entries.append(json.dumps({**head, **report}))
    lines = ",\n    ".join(entries)
    return f'{{\n  "cost_ns": {cost_ms * MS},\n  "results": [\n    {lines}\n  ]\n}}\n'
