"""What two callbacks share, as far as it can be seen: objects, writable variables, races."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from takt_cli.verbs.audit.code import READS, Code, Key, Uses, disassembler, is_library
from takt_cli.verbs.audit.program import Callback, Object, Process, Race

# std::bind of a member function: the class of its object.
_MEMBER = re.compile(r"\((\w[\w:]*)::\*\(")


@dataclass(frozen=True)
class SharedObject:
    """An object of both."""

    address: str
    name: str


@dataclass(frozen=True)
class Variable:
    """A variable of both; how each of them uses it."""

    key: Key
    first: tuple[str, ...]
    second: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its readable name."""
        return self.key[0]


@dataclass(frozen=True)
class Shares:
    """What a pair shares; `seen`: takt saw the functions of both, `code_read`: and their code."""

    objects: tuple[SharedObject, ...]
    variables: tuple[Variable, ...]
    races: tuple[Race, ...]
    seen: bool
    code_read: bool

    @property
    def may_be_any(self) -> bool:
        """Whether takt saw something, or could not look."""
        return self.any or not self.seen or not self.code_read

    @property
    def any(self) -> bool:
        """Whether takt saw something that they share."""
        return bool(self.objects or self.variables or self.races)


@dataclass
class Looker:
    """Looks at callbacks, and at each program and library once."""

    notes: list[str] = field(default_factory=list)
    _codes: dict[str, Code | None] = field(default_factory=dict)
    _uses: dict[tuple[int, str], Uses] = field(default_factory=dict)
    _addresses: dict[tuple[int, str], frozenset[str]] = field(default_factory=dict)
    _races: dict[int, dict[tuple[str, ...], list[Race]]] = field(default_factory=dict)

    def look(self, process: Process, ids: Sequence[str]) -> Shares:
        """Compare two callbacks of a process, or one with itself."""
        first, second = (process.by_id.get(one) for one in ids)
        races = tuple(self._races_of(process).get(tuple(sorted(ids)), ()))
        if first is None or second is None:
            return Shares((), (), races, seen=False, code_read=False)
        return Shares(
            self._objects(process, first, second),
            self._variables(process, first, second),
            races,
            seen=first.found and second.found,
            code_read=all(self._uses_of(process, one).known for one in (first, second)),
        )

    def other_races(self, process: Process, pairs: Iterable[Sequence[str]]) -> list[Race]:
        """Give the races of a process that are not between two callbacks of these pairs."""
        listed = {tuple(sorted(pair)) for pair in pairs}
        by_pair = self._races_of(process)
        return [race for pair, races in by_pair.items() if pair not in listed for race in races]

    def _races_of(self, process: Process) -> dict[tuple[str, ...], list[Race]]:
        if process.pid not in self._races:
            by_pair = self._races[process.pid] = {}
            for race in process.races:
                pair = tuple(sorted((race.first.callback, race.second.callback)))
                by_pair.setdefault(pair, []).append(race)
        return self._races[process.pid]

    def _objects(
        self, process: Process, first: Callback, second: Callback
    ) -> tuple[SharedObject, ...]:
        both = self._addresses_of(process, first) & self._addresses_of(process, second)
        if not both:
            return ()
        guessed = _class_of(first.function) or _class_of(second.function)
        return tuple(
            SharedObject(one.address, self._name(one, guessed))
            for one in first.objects
            if one.address in both
        )

    def _addresses_of(self, process: Process, callback: Callback) -> frozenset[str]:
        key = (process.pid, callback.id)
        if key not in self._addresses:
            self._addresses[key] = frozenset(one.address for one in callback.objects)
        return self._addresses[key]

    def _name(self, found: Object, guessed: str) -> str:
        code = self._code(found.module) if found.module else None
        variable = None if code is None else code.variable_at(found.offset)
        if variable is not None:
            return variable
        return found.type or f"{guessed or 'object'} at {found.address}"

    def _variables(
        self, process: Process, first: Callback, second: Callback
    ) -> tuple[Variable, ...]:
        of_first = self._uses_of(process, first).variables
        of_second = self._uses_of(process, second).variables
        return tuple(
            Variable(key, tuple(sorted(of_first[key])), tuple(sorted(of_second[key])))
            for key in sorted(of_first.keys() & of_second.keys())
            if (of_first[key] | of_second[key]) != {READS}
        )

    def _uses_of(self, process: Process, callback: Callback) -> Uses:
        key = (process.pid, callback.id)
        if key not in self._uses:
            found = Uses(known=bool(callback.code) or not callback.found)
            by_module: dict[str, list[int]] = {}
            for place in callback.code:
                by_module.setdefault(place.module, []).append(place.offset)
            for module, offsets in by_module.items():
                if is_library(module):
                    continue  # its variables are left out
                code = self._code(module)
                found.merge(Uses(known=False) if code is None else code.uses(offsets))
            self._uses[key] = found
        return self._uses[key]

    def _code(self, module: str) -> Code | None:
        if module not in self._codes:
            self._codes[module] = self._read(module)
        return self._codes[module]

    def _read(self, module: str) -> Code | None:
        if not module:
            return None
        if disassembler() is None:
            self._note("objdump is not installed (package binutils), so variables are unknown")
            return None
        try:
            return Code(Path(module))
        except (OSError, ValueError) as error:
            self._note(f"variables of {module} are unknown: {error}")
            return None

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)


def _class_of(function: str) -> str:
    found = _MEMBER.search(function)
    return found.group(1) if found else ""
