"""The schemas of documents: JSON Schema, of which the keywords below are used.

type, const, enum, minimum, maximum, minLength, maxLength, items, prefixItems (as many values as
it has), maxItems, properties, additionalProperties, anyOf with null, $ref, $defs, default.

Three keywords are takt's own. A program that writes writes all properties but those that are
`optional`, and no others; readers are content with fewer. `cut` beside maxLength: a reader cuts off
the rest of a text in place of refusing it; of a list with more than maxItems values it always does.
A `raw` text keeps the characters that a terminal would obey: a name that goes back to a program.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "schemas"
Schema = Mapping[str, Any]


@functools.cache
def load(document: str) -> Schema:
    """Give the schema of a document by its name: 'status'."""
    found: Schema = json.loads((FOLDER / f"{document}.json").read_text(encoding="utf-8"))
    return found


def definition(place: str) -> Schema:
    """Give the schema of an object: 'status' is the document, 'status#thread' a part of it."""
    document, _, part = place.partition("#")
    whole = load(document)
    return whole["$defs"][part] if part else whole


def referred(schema: Schema, document: str) -> str:
    """Give the place that a $ref names: 'common#distribution'; empty: the schema has none."""
    file, _, part = schema.get("$ref", "").partition("#/$defs/")
    return f"{file.removesuffix('.json') or document}#{part}" if part else ""


def without_null(schema: Schema) -> tuple[Schema, bool]:
    """Give the schema of what is not null, and whether null may stand there."""
    if "anyOf" in schema:
        (other,) = (one for one in schema["anyOf"] if one.get("type") != "null")
        return other, True
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds:
        rest = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": rest[0] if len(rest) == 1 else rest}, True
    return schema, False


def version(document: str) -> int:
    """Give the version of a document that this takt reads."""
    properties = load(document)["properties"]
    number: int = properties.get("schema", properties.get("version"))["const"]
    return number
