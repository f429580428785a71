"""Scenarios and expected starts as JSON; the format is described in README.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any

from .exact import to_ns
from .model import Callback, Executor, Scenario, ScenarioError
from .timeline import Timeline

FORMAT = "takt-oracle-1"


def scenario_to_json(scenario: Scenario) -> dict[str, Any]:
    """Only what differs from the default is written, except for what a reader always needs."""
    result: dict[str, Any] = {
        "callbacks": [_sparse(cb, keep=("group_type",)) for cb in scenario.callbacks],
        "executors": [_executor_to_json(executor) for executor in scenario.executors],
        "horizon_ns": scenario.horizon_ns,
    }
    rest = _sparse(scenario, keep=("skip",))
    result.update({k: v for k, v in rest.items() if k not in result})
    for entry, cb in zip(result["callbacks"], scenario.callbacks, strict=True):
        entry["executor"] = cb.executor
        if cb.is_timer:
            entry["offset_ns"] = cb.offset_ns
    return result


def _executor_to_json(executor: Executor) -> dict[str, Any]:
    modes = ("timers", "poll") if executor.order == "window" else ()
    return _sparse(executor, keep=("order", "threads", *modes))


def scenario_from_json(data: Mapping[str, Any]) -> Scenario:
    """Parse and validate; unknown fields are faults."""
    body = dict(data)
    try:
        callbacks = tuple(
            Callback(**{**entry, "publishes": tuple(entry.get("publishes", ()))})
            for entry in body.pop("callbacks")
        )
        executors = tuple(Executor(**entry) for entry in body.pop("executors"))
        scenario = Scenario(callbacks=callbacks, executors=executors, **body)
    except (KeyError, TypeError) as error:
        raise ScenarioError(f"malformed scenario: {error}") from error
    scenario.validate()
    return scenario


def replay_text(name: str, description: str, scenario: Scenario, timeline: Timeline) -> str:
    """Write a replay golden: one callback and one start per line, so that differences read well."""
    body = scenario_to_json(scenario)
    callbacks = ",\n    ".join(json.dumps(entry) for entry in body.pop("callbacks"))
    rest = json.dumps(body)[1:-1]
    starts = ",\n    ".join(
        json.dumps([_whole(s.start), s.callback, _whole(s.release), s.thread])
        for s in timeline.starts
    )
    return (
        f'{{\n  "format": {json.dumps(FORMAT)},\n  "name": {json.dumps(name)},\n'
        f'  "description": {json.dumps(description)},\n'
        f'  "scenario": {{{rest}, "callbacks": [\n    {callbacks}\n  ]}},\n'
        f'  "expected": {{"starts": [\n    {starts}\n  ]}}\n}}\n'
    )


def _whole(value: Any) -> int:
    """Replays are compared exactly, so nothing in them may be rounded."""
    assert isinstance(value, int), "replay goldens need whole nanoseconds"
    return to_ns(value)


def _sparse(item: Any, keep: tuple[str, ...]) -> dict[str, Any]:
    values = asdict(item)
    defaults = {f.name: f.default for f in fields(item) if f.default is not MISSING}
    return {
        name: value
        for name, value in values.items()
        if name in keep or name not in defaults or value != defaults[name]
    }
