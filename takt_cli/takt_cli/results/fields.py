"""Reads a JSON object field by field: of the right kind, or an error that names the place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from takt_cli.base.printable import short
from takt_cli.documents.document import DamagedError

if TYPE_CHECKING:  # numpy takes a sixth of a second, and most objects have no samples
    from takt_cli.results.run_results import Flags
    from takt_cli.results.samples import Samples

# Times in ns and counts are 64 bits wide; larger numbers would overflow statistics.
_LARGEST = 2**63 - 1
Own = TypeVar("Own", bound="Fields")


@dataclass(frozen=True)
class Fields:
    """One object of a file. A field that is missing or null reads as empty."""

    raw: Mapping[str, Any]
    place: str = ""

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.raw.get(name) is not None

    def text(self, name: str, default: str = "") -> str:
        """Read a text."""
        value = self._value(name, default)
        return value if isinstance(value, str) else self._refuse(name, "text")

    def name(self, name: str) -> str:
        """Read a text that must not be empty."""
        return self.text(name) or self._refuse(name, "a name")

    def whole(self, name: str, default: int = 0, least: int = 0) -> int:
        """Read a whole number from `least` on; JSON may write it as 12.0."""
        value = self.number(name, default, least)
        return int(value) if value == int(value) else self._refuse(name, "a whole number")

    def whole_or_none(self, name: str, least: int = 0) -> int | None:
        """Read a whole number; None for a missing one."""
        return self.whole(name, least=least) if self.has(name) else None

    def number(self, name: str, default: float = 0.0, least: float = 0.0) -> float:
        """Read a finite number from `least` on."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return self._refuse(name, "a number")
        if not least <= value <= _LARGEST:  # nan is refused as well
            return self._refuse(name, f"a number from {least:g} on")
        return value

    def flag(self, name: str) -> bool:
        """Read yes or no."""
        value = self._value(name, False)
        return value if isinstance(value, bool) else self._refuse(name, "true or false")

    def part(self: Own, name: str) -> Own:
        """Read an object within this one."""
        value = self._value(name, {})
        if not isinstance(value, dict):
            return self._refuse(name, "an object")
        return type(self)(value, self._place(name))

    def parts(self: Own, name: str) -> list[Own]:
        """Read a list of objects."""
        found = []
        for index, value in enumerate(self._list(name)):
            place = f"{self._place(name)}[{index}]"
            if not isinstance(value, dict):
                raise DamagedError(_words(place, "an object", value))
            found.append(type(self)(value, place))
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Read a list of texts."""
        values = self._list(name)
        if not all(isinstance(value, str) for value in values):
            self._refuse(name, "a list of texts")
        return tuple(values)

    def samples(self, name: str) -> Samples:
        """Read a list of numbers, without null values."""
        values = self._list(name)
        for value in values:
            if value is not None and not (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and abs(value) <= _LARGEST  # nan is not
            ):
                self._refuse(name, "a list of numbers", value)
        from takt_cli.results.samples import as_samples

        return as_samples(values)

    def flags(self, name: str, count: int) -> Flags:
        """Read a list of yes or no, as 0 and 1 too; none of them if there are not `count`."""
        values = self._list(name)
        if not all(isinstance(value, bool | int) for value in values):
            self._refuse(name, "a list of 0 and 1")
        import numpy as np

        return np.asarray(values, dtype=bool) if len(values) == count else np.zeros(count, bool)

    def _list(self, name: str) -> list[Any]:
        value = self._value(name, [])
        return value if isinstance(value, list) else self._refuse(name, "a list")

    def _value(self, name: str, default: Any) -> Any:
        value = self.raw.get(name)
        return default if value is None else value

    def _place(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name

    def _refuse(self, name: str, wanted: str, value: Any = None) -> NoReturn:
        raise DamagedError(
            _words(self._place(name), wanted, self.raw.get(name) if value is None else value)
        )


def _words(place: str, wanted: str, value: Any) -> str:
    kinds = {dict: "an object", list: "a list"}
    found = kinds.get(type(value)) or short(repr(value))
    return f"{place} is {found} where {wanted} belongs"
