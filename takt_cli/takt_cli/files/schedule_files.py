"""Builds schedule files for experiments (docs/schedule.md explains the format)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from takt_cli.base.errors import TaktError
from takt_cli.files.graphs import GraphInfo
from takt_cli.files.outputs import same_file, write_text

Schedule = dict[str, Any]
EXECUTOR = "main"


def schedule(
    order: str,
    threads: Mapping[str, Mapping[str, Any]],
    default: str | Sequence[str],
    binding: Mapping[str, Sequence[str]] | None = None,
    chains: Mapping[str, Any] | None = None,
) -> Schedule:
    """One executor; `binding` gives each thread its callback ids."""
    executor: Schedule = {
        "order": order,
        "missing_rights": "report",
        "threads": {name: dict(attributes) for name, attributes in threads.items()},
        "default": default if isinstance(default, str) else list(default),
    }
    rules = [
        {"match": list(ids), "threads": thread} for thread, ids in (binding or {}).items() if ids
    ]
    if rules:
        executor["callbacks"] = rules
    result: Schedule = {"version": 1, "executors": {EXECUTOR: executor}}
    if chains:
        result["chains"] = dict(chains)
    return result


def write_schedule(
    content: Schedule, path: Path, about: str, made_from: Path | None = None
) -> Path:
    """Write a schedule with a comment on top about its purpose; never over its own source."""
    if made_from is not None and same_file(path, made_from):
        raise TaktError(f"{path} is the schedule that takt reads; name another --output directory")
    text = yaml.safe_dump(content, sort_keys=False, width=100)
    write_text(path, f"# {about}\n{text}")
    return path


def read_schedule(path: Path) -> Schedule:
    """Read a schedule to vary it."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TaktError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TaktError(f"{path}: the file is not UTF-8 text; save it as UTF-8") from error
    except yaml.YAMLError as error:
        words = " ".join(str(error).split())
        raise TaktError(f"{path}: the file is not YAML: {words}") from error
    if not isinstance(content, dict) or not isinstance(content.get("executors"), dict):
        raise TaktError(f"{path}: is not a schedule: `executors` is missing")
    return content


def fair_twin(content: Schedule) -> Schedule:
    """Make the same schedule of threads and callbacks without any OS priority, nice level or core.

    What remains is the kernel's fair scheduler on all cores.
    """
    twin = _copy(content)
    keep = {"count", "stack"}
    for executor in twin["executors"].values():
        executor["threads"] = {
            name: {key: value for key, value in (attributes or {}).items() if key in keep}
            for name, attributes in executor["threads"].items()
        }
        executor.pop("process_threads", None)
        executor["middleware_ceiling"] = "off"
    return twin


def with_count(content: Schedule, count: int) -> Schedule:
    """Make the same schedule with `count` threads in every entry of threads."""
    result = _copy(content)
    for executor in result["executors"].values():
        executor["threads"] = {
            name: {**(attributes or {}), "count": count}
            for name, attributes in executor["threads"].items()
        }
    return result


def without_quiet_keys(content: Schedule) -> Schedule:
    """Make the same schedule, whose messages wake threads: without trigger, when and sequences.

    A callback with `trigger: false` has no threads of its own; without that rule it has those of
    its group.
    """
    result = _copy(content)
    for executor in result["executors"].values():
        executor.pop("sequences", None)
        for key, lines in (
            ("callbacks", ("trigger", "with", "keep", "max_age")),
            ("groups", ("when",)),
        ):
            rules = [
                {name: value for name, value in rule.items() if name not in lines}
                for rule in executor.pop(key, None) or ()
            ]
            if rules := [rule for rule in rules if rule.keys() != {"match"}]:
                executor[key] = rules
    return result


def on_cores(content: Schedule, cores: Sequence[int]) -> Schedule:
    """Make the same schedule with core i replaced by the i-th of these; more cores wrap around."""
    result = _copy(content)
    for executor in result["executors"].values():
        entries = [*executor["threads"].values(), *(executor.get("process_threads") or ())]
        for entry in entries:
            if entry and "cores" in entry:
                entry["cores"] = sorted({cores[core % len(cores)] for core in entry["cores"]})
    return result


def _copy(content: Schedule) -> Schedule:
    """Copy all but the model's name, since the copy fits no model."""
    copied = yaml.safe_load(yaml.safe_dump(content))
    copied.pop("system", None)
    return copied


def chain_entries(graph: GraphInfo) -> dict[str, Any]:
    """Give the chains of a graph, as a schedule names them."""
    return {
        chain.name: {"path": list(chain.path), "priority": chain.priority or 0}
        for chain in graph.chains
    }


def blocks(graph: GraphInfo, count: int) -> list[list[str]]:
    """Cut the callbacks into `count` equal blocks: chain by chain, most important chain first.

    Callbacks of one chain stay together as far as equal blocks allow; those of no chain are last.
    """
    order: dict[str, None] = {}
    for chain in sorted(graph.chains, key=lambda chain: -(chain.priority or 0)):
        order.update(dict.fromkeys(chain.path))
    order.update(dict.fromkeys(callback.id for callback in graph.callbacks))
    known = {callback.id for callback in graph.callbacks}
    ids = [id_ for id_ in order if id_ in known]
    size = -(-len(ids) // count)
    return [ids[start : start + size] for start in range(0, len(ids), size)]
