"""Reads metadata: text in TSDL, the language in which a trace says how its streams are laid out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ctf_reader.types import Array, CtfError, Enum, Integer, Real, Struct, Text, Type, Variant

_TOKEN = re.compile(
    r'\s+|/\*.*?\*/|(?P<text>"(?:\\.|[^"\\])*")|(?P<word>[A-Za-z_][A-Za-z0-9_]*)'
    r"|(?P<number>-?[0-9]+)|(?P<sign>\.\.\.|:=|[{}\[\];=:<>.,()])",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass
class Metadata:
    """What the metadata of a trace say."""

    trace: dict[str, Any] = field(default_factory=dict)
    env: dict[str, Any] = field(default_factory=dict)
    clocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    streams: dict[int, dict[str, Any]] = field(default_factory=dict)
    events: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)  # by stream, id


def parse(text: str) -> Metadata:
    """Read metadata; an error names the token that does not belong."""
    if not text.startswith("/* CTF 1.8"):
        raise CtfError("the metadata do not begin with the format's name")
    return _Parser(list(_tokens(text))).metadata()


def _tokens(text: str) -> list[str]:
    tokens = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise CtfError(f"metadata: {text[at : at + 20]!r} is no token")
        if match.lastgroup is not None:
            tokens.append(match.group())
        at = match.end()
    return tokens


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._aliases: dict[str, Type] = {}

    def metadata(self) -> Metadata:
        result = Metadata()
        while self._at < len(self._tokens):
            word = self._next()
            if word == "typealias":
                kind = self._type()
                self._expect(":=")
                self._aliases[self._next()] = kind
            elif word == "trace":
                result.trace = self._attributes()
            elif word == "env":
                result.env = self._attributes()
            elif word == "clock":
                clock = self._attributes()
                result.clocks[clock["name"]] = clock
            elif word == "stream":
                stream = self._attributes()
                result.streams[stream["id"]] = stream
            elif word == "event":
                event = self._attributes()
                key = (event["stream_id"], event["id"])
                if key in result.events:
                    raise CtfError(f"metadata: two events have the number {event['id']}")
                result.events[key] = event
            else:
                raise CtfError(f"metadata: {word!r} begins nothing")
            self._expect(";")
        return result

    def _peek(self) -> str:
        if self._at >= len(self._tokens):
            raise CtfError("metadata: the text ends early")
        return self._tokens[self._at]

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _expect(self, wanted: str) -> None:
        token = self._next()
        if token != wanted:
            raise CtfError(f"metadata: {token!r} where {wanted!r} belongs")

    def _attributes(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        self._expect("{")
        while self._peek() != "}":
            key = self._dotted()
            if self._next() == ":=":
                values[key] = self._type()
            else:
                values[key] = self._value()
            self._expect(";")
        self._expect("}")
        return values

    def _dotted(self) -> str:
        words = [self._next()]
        while self._peek() == ".":
            self._next()
            words.append(self._next())
        return ".".join(words)

    def _value(self) -> Any:
        token = self._peek()
        if token.startswith('"'):
            self._next()
            return _ESCAPED.sub(r"\1", token[1:-1])
        if token.lstrip("-").isdigit():
            self._next()
            return int(token)
        word = self._dotted()
        return {"true": True, "false": False}.get(word, word)

    def _type(self) -> Type:
        word = self._next()
        if word == "integer":
            return self._integer()
        if word == "floating_point":
            values = self._attributes()
            self._check_aligned(values)
            return Real(values["exp_dig"] + values["mant_dig"])
        if word == "string":
            return Text()
        if word == "struct":
            return Struct(self._fields())
        if word == "variant":
            self._expect("<")
            tag = self._next()
            self._expect(">")
            return Variant(tag, self._fields())
        if word == "enum":
            return self._enum()
        if word not in self._aliases:
            raise CtfError(f"metadata: no type is named {word!r}")
        return self._aliases[word]

    def _integer(self) -> Integer:
        values = self._attributes()
        self._check_aligned(values)
        if values["size"] % 8 != 0:
            raise CtfError(f"a number of {values['size']} bits")
        clock = values.get("map")
        name = None if clock is None else re.fullmatch(r"clock\.(\w+)\.value", clock).group(1)
        is_text = str(values.get("encoding", "none")).upper() in ("UTF8", "ASCII")
        return Integer(values["size"], values.get("signed", False) in (True, 1), is_text, name)

    @staticmethod
    def _check_aligned(values: dict[str, Any]) -> None:
        if values.get("align", 1) != 8:
            raise CtfError(f"a field with the alignment {values.get('align', 1)}")

    def _fields(self) -> dict[str, Type]:
        fields: dict[str, Type] = {}
        self._expect("{")
        while self._peek() != "}":
            kind = self._type()
            # Tracers write `_` before names, because some are keywords.
            name = self._next().removeprefix("_")
            if self._peek() == "[":
                self._next()
                kind = Array(kind, int(self._next()))
                self._expect("]")
            if name in fields:
                raise CtfError(f"metadata: two fields are named {name!r}")
            fields[name] = kind
            self._expect(";")
        self._expect("}")
        return fields

    def _enum(self) -> Enum:
        self._expect(":")
        base = self._type()
        if not isinstance(base, Integer):
            raise CtfError("metadata: an enumeration of what is no integer")
        labels: dict[str, tuple[int, int]] = {}
        self._expect("{")
        while self._peek() != "}":
            name = self._next()
            self._expect("=")
            low = high = int(self._next())
            if self._peek() == "...":
                self._next()
                high = int(self._next())
            labels[name] = (low, high)
            if self._peek() == ",":
                self._next()
        self._expect("}")
        return Enum(base, labels)
