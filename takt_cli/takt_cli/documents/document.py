"""Reads documents by their schemas into objects with the schema's fields.

A class names the object of a schema that it reads, and adds what can be said of it. Its fields are
those of the schema, under the same names: lists are tuples, null and a missing value are None where
the schema allows null. Elsewhere a missing value is the schema's default, else empty: so the
document of an older program can be read. Texts that are not `raw` lose the characters that a
terminal would obey. A value of the wrong kind is an error that names its place. `required` binds
programs that write; a test holds their documents against the schema.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NoReturn, TypeVar

from takt_cli.base.printable import printable, short
from takt_cli.documents.schema import Schema, definition, referred, without_null

# Times in ns and counts are 64 bits wide; larger numbers would overflow statistics.
_LARGEST = 2**63 - 1
Own = TypeVar("Own", bound="Document")
Reader = Callable[[Any, str], Any]  # of a value and its place
_EMPTY = {"string": "", "integer": 0, "number": 0.0, "boolean": False, "array": ()}


class DamagedError(Exception):
    """A value of another kind than it has to be."""


class Document:
    """An object of a document; `at`: its place in the schemas, 'status' or 'status#thread'."""

    _classes: ClassVar[dict[str, type[Document]]] = {}
    _readers: ClassVar[Mapping[str, Reader]]

    def __init_subclass__(cls, at: str) -> None:
        """Give the class the fields of the schema, and let it read them."""
        document = at.partition("#")[0]
        properties: Schema = definition(at)["properties"]
        own = inspect.get_annotations(cls)
        cls.__annotations__ = dict.fromkeys(properties, Any) | own
        for name, schema in properties.items():
            setattr(cls, name, _default(schema, document))
        dataclass(frozen=True)(cls)
        cls._readers = {name: _reader(schema, document) for name, schema in properties.items()}
        # Last: another thread that finds the class here reads with it at once.
        Document._classes[at] = cls

    @classmethod
    def read(cls: type[Own], raw: Any, place: str = "") -> Own:
        """Read the JSON value at `place`; DamagedError where it is not such an object."""
        if not isinstance(raw, Mapping):
            _refuse(place or "the document", "an object", raw)
        dot = f"{place}." if place else ""
        return cls(**{
            name: reader(raw.get(name), f"{dot}{name}") for name, reader in cls._readers.items()
        })  # fmt: skip


def as_json(value: Any) -> Any:
    """Write what was read as JSON again."""
    if isinstance(value, Document):
        return {one.name: as_json(getattr(value, one.name)) for one in fields(value)}  # type: ignore[arg-type]
    if isinstance(value, tuple):
        return [as_json(one) for one in value]
    return value


def _default(schema: Schema, document: str) -> Any:
    schema, may_be_null = without_null(schema)
    if "default" in schema or may_be_null:
        given = schema.get("default")
        return tuple(given) if isinstance(given, list) else given
    if at := referred(schema, document):
        return _default(definition(at), at.partition("#")[0])
    kind = schema.get("type")
    return _EMPTY.get(kind[0] if isinstance(kind, list) else kind)


def _reader(schema: Schema, document: str) -> Reader:
    schema, may_be_null = without_null(schema)
    default = _default(schema, document)
    read = _value_reader(schema, document)
    if may_be_null:
        return lambda value, place: None if value is None else read(value, place)
    if at := referred(schema, document):
        if "properties" in definition(at):
            return lambda value, place: read({} if value is None else value, place)
        return _reader(definition(at), at.partition("#")[0])
    if schema.get("minLength") or ("const" in schema and "default" not in schema):
        return read
    if default is None:  # an object
        return lambda value, place: read({} if value is None else value, place)
    return lambda value, place: default if value is None else read(value, place)


def _value_reader(schema: Schema, document: str) -> Reader:
    if at := referred(schema, document):
        target = definition(at)
        if "properties" not in target:
            return _value_reader(target, at.partition("#")[0])
        return lambda value, place: _class_of(at).read(value, place)
    if "const" in schema:
        return lambda value, place: _const(schema["const"], value, place)
    kind = schema.get("type")
    if isinstance(kind, list):
        each = {one: _value_reader({**schema, "type": one}, document) for one in kind}
        return lambda value, place: each.get(_kind_of(value), each[kind[0]])(value, place)
    if kind == "array":
        return _list_reader(schema, document)
    if kind == "object":
        return _mapping_reader(schema, document)
    of_kind = {"string": _text, "integer": _whole, "number": _number, "boolean": _flag}
    return lambda value, place: of_kind[kind](schema, value, place)


def _class_of(at: str) -> type[Document]:
    """Give the class that reads an object; one without words of its own needs no class."""
    if at not in Document._classes:
        name = at.partition("#")[2].title().replace("_", "")
        types.new_class(name, (Document,), {"at": at})
    return Document._classes[at]


def _list_reader(schema: Schema, document: str) -> Reader:
    each = [_value_reader(one, document) for one in schema.get("prefixItems", ())]
    item = None if each else _value_reader(schema["items"], document)
    most = schema.get("maxItems")

    def read(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            _refuse(place, "a list", value)
        if each and len(value) != len(each):
            raise DamagedError(f"{place} has {len(value)} values in place of {len(each)}")
        readers = each or (item,) * len(value[:most])
        return tuple(
            reader(one, f"{place}[{index}]")
            for index, (reader, one) in enumerate(zip(readers, value, strict=False))
        )

    return read


def _mapping_reader(schema: Schema, document: str) -> Reader:
    inner = schema.get("additionalProperties")
    item = _value_reader(inner, document) if isinstance(inner, Mapping) else lambda value, _: value

    def read(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            _refuse(place, "an object", value)
        return {key: item(one, f"{place}.{key}") for key, one in value.items()}

    return read


def _const(wanted: Any, value: Any, place: str) -> Any:
    if isinstance(value, bool) or value != wanted:
        raise DamagedError(f"{place} is {short(repr(value))} where {wanted} belongs")
    return wanted


def _text(schema: Schema, value: Any, place: str) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if not isinstance(value, str) or len(value) < least:
        _refuse(place, "a name" if least else "text", value)
    if most is not None and len(value) > most and not schema.get("cut"):
        raise DamagedError(f"{place} has {len(value)} characters, more than {most}")
    if value not in schema.get("enum", (value,)):
        known = [one for one in schema["enum"] if one is not None]
        raise DamagedError(f"{place} is none of {', '.join(known)}")
    return value if schema.get("raw") else printable(value[:most])


def _whole(schema: Schema, value: Any, place: str) -> int:
    number = _number(schema, value, place)
    return int(number) if number == int(number) else _refuse(place, "a whole number", value)


def _number(schema: Schema, value: Any, place: str) -> float:
    largest = _LARGEST if schema.get("type") != "number" else sys.float_info.max
    least, most = schema.get("minimum", -largest - 1), schema.get("maximum", largest)
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(place, "a number", value)
    if not least <= value <= most:  # nan is refused as well
        upper = "on" if most == largest else f"to {most:g}"
        _refuse(place, f"a number from {least:g} {upper}", value)
    return value


def _flag(schema: Schema, value: Any, place: str) -> bool:
    return value if isinstance(value, bool) else _refuse(place, "true or false", value)


def _kind_of(value: Any) -> str:
    kinds = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}
    return kinds.get(type(value), "object")


def _refuse(place: str, wanted: str, value: Any) -> NoReturn:
    kinds = {dict: "an object", list: "a list"}
    found = kinds.get(type(value)) or short(repr(value))
    raise DamagedError(f"{place} is {found} where {wanted} belongs")
