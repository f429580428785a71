"""What two callbacks share, as far as it can be seen: objects, writable variables, races."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from takt_cli.verbs.audit.code import READS, Code, Uses, disassembler
from takt_cli.verbs.audit.program import Callback, Object, Process, Race

# std::bind of a member function: the class of its object.
_MEMBER = re.compile(r"\((\w[\w:]*)::\*\(")


@dataclass(frozen=True)
class Variable:
    """A variable of both; how each of them uses it."""

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True)
class Shares:
    """What a pair shares; `seen`: takt saw the functions of both."""

    objects: tuple[str, ...]
    variables: tuple[Variable, ...]
    races: tuple[Race, ...]
    seen: bool

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

    def look(self, process: Process, ids: Sequence[str]) -> Shares:
        """Compare two callbacks of a process, or one with itself."""
        first, second = (process.callback(one) for one in ids)
        races = tuple(
            one
            for one in process.races
            if sorted((one.first.callback, one.second.callback)) == sorted(ids)
        )
        if first is None or second is None:
            return Shares((), (), races, seen=False)
        return Shares(
            self._objects(first, second),
            self._variables(process, first, second),
            races,
            seen=first.found and second.found,
        )

    def _objects(self, first: Callback, second: Callback) -> tuple[str, ...]:
        of_second = {one.address for one in second.objects}
        guessed = _class_of(first.function) or _class_of(second.function)
        return tuple(self._name(one, guessed) for one in first.objects if one.address in of_second)

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
            Variable(name, tuple(sorted(of_first[name])), tuple(sorted(of_second[name])))
            for name in sorted(of_first.keys() & of_second.keys())
            if (of_first[name] | of_second[name]) != {READS}
        )

    def _uses_of(self, process: Process, callback: Callback) -> Uses:
        key = (process.pid, callback.id)
        if key not in self._uses:
            found = Uses()
            by_module: dict[str, list[int]] = {}
            for place in callback.code:
                by_module.setdefault(place.module, []).append(place.offset)
            for module, offsets in by_module.items():
                code = self._code(module)
                if code is not None:
                    found.merge(code.uses(offsets))
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
