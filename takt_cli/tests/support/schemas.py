"""What schemas of documents say: the faults of a document, and any document that has none.

Read from the schemas anew, and not by the reader that is tested.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st
from takt_cli.control.frames import Message
from takt_cli.documents.schema import definition, referred
from takt_cli.results.samples import supported

_KINDS = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
# Of requests to a process that have properties, and of the one to subscribe.
REQUESTS = {
    Message.apply: "request_apply",
    Message.reset: "request_reset",
    Message.set: "request_set",
    Message.subscribe: "request_subscribe",
    Message.trace_start: "request_trace_start",
}
# Sums of several stay within 64 bits.
_LARGEST = 2**53
_PERCENTILES = {"p50_ns": 50, "p99_ns": 99, "p50": 50, "p90": 90, "p99": 99, "p999": 99.9}


def request_faults(kind: int, request: Any) -> list[str]:
    """Say where a request that takt wrote is not what its schema has."""
    known = REQUESTS.get(Message(kind)) if kind in set(Message) else None
    return [] if known is None else faults(known, request)


def faults(at: str, document: Any) -> list[str]:
    """Say where a document that a program wrote is not what its schema has.

    A program writes all properties but the optional ones, and no others; and a percentile if, and
    only if, ten values lie beyond it.
    """
    return list(_faults(definition(at), document, at, at.partition("#")[0]))


def _faults(schema: Mapping[str, Any], value: Any, place: str, document: str) -> Iterator[str]:
    if at := referred(schema, document):
        yield from _faults(definition(at), value, place, at.partition("#")[0])
        return
    if "anyOf" in schema:
        other = next(one for one in schema["anyOf"] if one.get("type") != "null")
        if value is not None:
            yield from _faults(other, value, place, document)
        return
    if "const" in schema:
        if isinstance(value, bool) or value != schema["const"]:
            yield f"{place} is {value!r}, not {schema['const']}"
        return
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(value, kind) for kind in kinds):
        yield f"{place} is {value!r}, not {' or '.join(kinds)}"
        return
    if value not in schema.get("enum", [value]):
        yield f"{place} is {value!r}, none of {schema['enum']}"
    if value is None:
        return
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Whole numbers have 64 bits, in the programs as in the readers.
        least, most = (value, value) if "number" in kinds else (-(2**63), 2**63 - 1)
        if not schema.get("minimum", least) <= value <= schema.get("maximum", most):
            yield f"{place} is {value!r}, out of its range"
    elif isinstance(value, str):
        most = len(value) if schema.get("cut") else schema.get("maxLength", len(value))
        if not schema.get("minLength", 0) <= len(value) <= most:
            yield f"{place} has {len(value)} characters"
    if isinstance(value, list):
        each = schema.get("prefixItems") or [schema["items"]] * len(value)
        if len(each) != len(value):
            yield f"{place} has {len(value)} values, not {len(each)}"
        for index, (inner, one) in enumerate(zip(each, value, strict=False)):
            yield from _faults(inner, one, f"{place}[{index}]", document)
    if isinstance(value, dict) and "properties" in schema:
        yield from _object_faults(schema["properties"], value, place, document)
    elif isinstance(value, dict) and "additionalProperties" in schema:
        for name, one in value.items():
            yield from _faults(schema["additionalProperties"], one, f"{place}.{name}", document)


def _object_faults(
    properties: Mapping[str, Any], value: dict[str, Any], place: str, document: str
) -> Iterator[str]:
    for name in value:
        if name not in properties:
            yield f"{place}.{name} is not in the schema"
    for name, schema in properties.items():
        if name in value:
            yield from _faults(schema, value[name], f"{place}.{name}", document)
        elif not schema.get("optional"):
            yield f"{place}.{name} is missing"
    counted = _is(value.get("count"), "integer")
    for name, percent in _PERCENTILES.items() if counted else ():
        if name in value and (value[name] is not None) != supported(value["count"], percent):
            yield f"{place}.{name} is {value[name]} of {value['count']} values"


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, float) and not math.isfinite(value):
        return False  # JSON has no such numbers, although Python reads and writes them
    return isinstance(value, _KINDS[kind])


def example(at: str, **changes: Any) -> dict[str, Any]:
    """Give an object of a schema with the least that it may have, and with some values changed."""
    document = at.partition("#")[0]
    properties = definition(at)["properties"]
    assert set(changes) <= set(properties), f"{set(changes) - set(properties)} are not of {at}"
    least = {
        name: _least(schema, document)
        for name, schema in properties.items()
        if not schema.get("optional")
    }
    return least | changes


def _least(schema: Mapping[str, Any], document: str) -> Any:
    if at := referred(schema, document):
        found = definition(at)
        return example(at) if "properties" in found else _least(found, at.partition("#")[0])
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema or (isinstance(schema["type"], list) and "null" in schema["type"]):
        return None
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    if kind == "string":
        return schema["enum"][0] if "enum" in schema else "x" * schema.get("minLength", 0)
    if kind in ("integer", "number"):
        return max(0, schema.get("minimum", 0))
    if kind == "array":
        return [_least(one, document) for one in schema.get("prefixItems", ())]
    return False if kind == "boolean" else {}


def documents(at: str) -> st.SearchStrategy[dict[str, Any]]:
    """Give any document that a program may write by the schema."""
    return _any(definition(at), at.partition("#")[0])


def _any(schema: Mapping[str, Any], document: str) -> st.SearchStrategy[Any]:
    if at := referred(schema, document):
        return documents(at)
    if "anyOf" in schema:
        return st.one_of(
            *(st.none() if one.get("type") == "null" else _any(one, document)
              for one in schema["anyOf"])
        )  # fmt: skip
    if "const" in schema:
        return st.just(schema["const"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of(*(_any_of_kind(kind, schema, document) for kind in kinds))


def _any_of_kind(kind: str, schema: Mapping[str, Any], document: str) -> st.SearchStrategy[Any]:
    least, most = schema.get("minimum", -_LARGEST), schema.get("maximum", _LARGEST)
    if kind == "string":
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        most = min(12, schema.get("maxLength", 12))
        return st.text(min_size=schema.get("minLength", 0), max_size=most)
    if kind == "integer":
        return st.integers(least, most)
    if kind == "number":
        return st.floats(least, most)
    if kind == "boolean":
        return st.booleans()
    if kind == "null":
        return st.none()
    if kind == "array":
        if "prefixItems" in schema:
            return st.tuples(*(_any(one, document) for one in schema["prefixItems"])).map(list)
        return st.lists(_any(schema["items"], document), max_size=2)
    if "properties" not in schema:
        inner = schema.get("additionalProperties")
        values = st.none() if inner is None else _any(inner, document)
        return st.dictionaries(st.text(max_size=5), values, max_size=2)
    always = {k: v for k, v in schema["properties"].items() if not v.get("optional")}
    at_times = {k: v for k, v in schema["properties"].items() if v.get("optional")}
    return st.fixed_dictionaries(
        {name: _any(one, document) for name, one in always.items()},
        optional={name: _any(one, document) for name, one in at_times.items()},
    )
