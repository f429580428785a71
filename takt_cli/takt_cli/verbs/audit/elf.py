"""Symbols, sections and relocations of a program or a library: what the walk through code needs."""

from __future__ import annotations

import bisect
import struct
from dataclasses import dataclass
from pathlib import Path

_RELA, _SYMTAB, _SYMBOL_TABLES = 4, 2, (2, 11)
_LOCAL = 0
_RELATIVE = 8  # a relocation without a symbol: of this file's own address
_FUNCTION, _OBJECT = 2, 1
_WRITE, _TLS = 1, 0x400
_X86_64 = 62
_FIXED = 2  # a program that is linked to fixed addresses
_OBJECT_KINDS = (_OBJECT, 10)  # also those that are unique in the process
# Sections that the loader writes, and then protects.
_OF_LOADER = (
    ".data.rel.ro",
    ".got",
    ".got.plt",
    ".dynamic",
    ".init_array",
    ".fini_array",
    ".tm_clone_table",
)


@dataclass(frozen=True)
class Symbol:
    """A function, or a variable that the program may write."""

    address: int
    size: int
    name: str
    local: bool = False  # another file, or another part of this one, may have its own of this name


class Elf:
    """A file for this kind of machine; ValueError for another."""

    def __init__(self, path: Path) -> None:
        """Read the file's tables."""
        self.path = path
        self._data = data = path.read_bytes()
        if data[:5] != b"\x7fELF\x02":
            raise ValueError(f"{path} is not a 64-bit program")
        self._kind, machine = struct.unpack_from("<HH", data, 16)
        if machine != _X86_64:
            raise ValueError(f"{path} is not for x86-64")
        (start,) = struct.unpack_from("<Q", data, 40)
        entry, count, names = struct.unpack_from("<HHH", data, 58)
        self._sections = [
            struct.unpack_from("<IIQQQQIIQQ", data, start + entry * i) for i in range(count)
        ]
        self._names = self._sections[names][4] if count else 0
        self.functions: dict[int, Symbol] = {}
        self._exported: dict[str, int] = {}  # functions
        variables: dict[int, Symbol] = {}
        by_name: dict[str, Symbol] = {}
        self.is_stripped = all(section[1] != _SYMTAB for section in self._sections)
        for section in self._sections:
            if section[1] in _SYMBOL_TABLES:
                self._read_symbols(section, variables, by_name)
        self._variables = sorted(variables.values(), key=lambda one: one.address)
        self._starts = [one.address for one in self._variables]
        # The tables of addresses: whose variable, and which function's begin, is at which place.
        self.slots: dict[int, Symbol] = {}
        self.function_slots: dict[int, int] = {}
        for section in self._sections:
            if section[1] == _RELA:
                self._read_relocations(section, by_name)

    @property
    def is_fixed(self) -> bool:
        """Whether constants in code may be addresses."""
        return self._kind == _FIXED

    def variable(self, address: int) -> Symbol | None:
        """Find the writable variable that an address is in."""
        place = bisect.bisect_right(self._starts, address) - 1
        if place < 0:
            return None
        found = self._variables[place]
        return found if address < found.address + max(found.size, 1) else None

    def _text(self, offset: int) -> str:
        return self._data[offset : self._data.index(b"\0", offset)].decode("utf-8", "replace")

    def _symbols(self, section: tuple[int, ...]) -> list[tuple[str, int, int, int, int, int]]:
        """Name, type, binding, section, address and size of the table's symbols."""
        strings = self._sections[section[6]][4]
        found = []
        for at in range(section[4], section[4] + section[5], 24):
            name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", self._data, at)
            found.append((self._text(strings + name), info & 15, info >> 4, index, value, size))
        return found

    def _read_symbols(
        self, section: tuple[int, ...], variables: dict[int, Symbol], by_name: dict[str, Symbol]
    ) -> None:
        for name, kind, binding, index, value, size in self._symbols(section):
            if not 0 < index < len(self._sections):
                continue
            symbol = Symbol(value, size, name, local=binding == _LOCAL)
            if kind == _FUNCTION:
                self.functions.setdefault(value, symbol)
                if binding != _LOCAL:
                    self._exported.setdefault(name, value)
            elif kind in _OBJECT_KINDS and self._is_writable(index):
                variables.setdefault(value, symbol)
                by_name.setdefault(name, symbol)

    def _is_writable(self, index: int) -> bool:
        section = self._sections[index]
        name = self._text(self._names + section[0])
        return bool(section[2] & _WRITE) and not section[2] & _TLS and name not in _OF_LOADER

    def _read_relocations(self, section: tuple[int, ...], by_name: dict[str, Symbol]) -> None:
        """Note which place of the tables of addresses is whose."""
        table = []
        if 0 < section[6] < len(self._sections):
            table = self._symbols(self._sections[section[6]])
        for at in range(section[4], section[4] + section[5], 24):
            offset, info, addend = struct.unpack_from("<QQq", self._data, at)
            if info & 0xFFFFFFFF == _RELATIVE:
                self._note_slot(offset, self.variable(addend), addend)
            elif info >> 32 < len(table):
                name = table[info >> 32][0]
                self._note_slot(offset, by_name.get(name), self._exported.get(name))

    def _note_slot(self, offset: int, variable: Symbol | None, function: int | None) -> None:
        if variable is not None:
            self.slots[offset] = variable
        elif function is not None and function in self.functions:
            self.function_slots[offset] = function
