"""The types of fields, and how each is read from bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any


class CtfError(Exception):
    """The trace is not what the format allows."""


class Bytes:
    """The content of one packet, read from front to back."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        """Give the next bytes."""
        if self.at + count > len(self.data):
            raise CtfError(f"a field of {count} bytes at {self.at} is beyond the packet's content")
        self.at += count
        return self.data[self.at - count : self.at]

    def until_zero(self) -> bytes:
        """Give the bytes before the next zero byte, and skip that."""
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise CtfError(f"the text at {self.at} has no end")
        text = self.data[self.at : end]
        self.at = end + 1
        return text


Scope = dict[str, Any]


@dataclass(frozen=True)
class Integer:
    """A whole number; of a clock if it is mapped to one."""

    size: int
    signed: bool = False
    is_text: bool = False
    clock: str | None = None

    def read(self, data: Bytes, _scope: Scope) -> int:
        """Read one value."""
        return int.from_bytes(data.take(self.size // 8), "little", signed=self.signed)


@dataclass(frozen=True)
class Real:
    """A number of IEEE 754."""

    size: int

    def read(self, data: Bytes, _scope: Scope) -> float:
        """Read one value."""
        return float(struct.unpack("<d" if self.size == 64 else "<f", data.take(self.size // 8))[0])


@dataclass(frozen=True)
class Text:
    """A string that ends with a zero byte."""

    def read(self, data: Bytes, _scope: Scope) -> str:
        """Read one value; text that is not UTF-8 is an error."""
        return data.until_zero().decode()


@dataclass(frozen=True)
class Array:
    """So many elements; a text if they are letters."""

    element: Type
    length: int

    def read(self, data: Bytes, scope: Scope) -> Any:
        """Read all of them."""
        if isinstance(self.element, Integer) and self.element.is_text:
            return data.take(self.length).partition(b"\0")[0].decode()
        return [self.element.read(data, scope) for _ in range(self.length)]


@dataclass(frozen=True)
class Enum:
    """A number whose ranges have names."""

    base: Integer
    labels: dict[str, tuple[int, int]]

    def read(self, data: Bytes, scope: Scope) -> str:
        """Read one value; gives its name."""
        number = self.base.read(data, scope)
        for name, (low, high) in self.labels.items():
            if low <= number <= high:
                return name
        raise CtfError(f"no label of the enumeration is for {number}")


@dataclass(frozen=True)
class Struct:
    """Fields by name."""

    fields: dict[str, Type]

    def read(self, data: Bytes, _scope: Scope) -> Scope:
        """Read all of them."""
        values: Scope = {}
        for name, kind in self.fields.items():
            values[name] = kind.read(data, values)
        return values


@dataclass(frozen=True)
class Variant:
    """One of several types, named by a field before it."""

    tag: str
    options: dict[str, Type]

    def read(self, data: Bytes, scope: Scope) -> Any:
        """Read the one that the tag names."""
        return self.options[scope[self.tag]].read(data, scope)


Type = Integer | Real | Text | Array | Enum | Struct | Variant
