"""Keys as a terminal sends them: bytes to names."""

from __future__ import annotations

import codecs
import os
import re
import select
from collections.abc import Iterator

_READ = 4096
# The bytes of one key may come apart on a slow line.
_REST_S = 0.05
_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z])")
_NAMES = {
    "A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "Z": "left",
    "1~": "home", "4~": "end", "5~": "page up", "6~": "page down", "7~": "home", "8~": "end",
}  # fmt: skip
_CONTROLS = {
    "\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace", "\x15": "clear",
    "\t": "tab", "\x0c": "redraw", "\x03": "interrupt", "\x1b": "escape",
}  # fmt: skip


class Keys:
    """Reads keys from a terminal."""

    def __init__(self, descriptor: int) -> None:
        """`descriptor`: of a terminal in cbreak mode."""
        self._descriptor = descriptor
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")

    def read(self) -> list[str] | None:
        """Give the keys that have been pressed; None: the terminal is gone."""
        text = self._text()
        if text is None:
            return None
        while text.endswith(("\x1b", "\x1b[", "\x1bO")) and self._more():
            text += self._text() or ""
        return list(names(text))

    def _text(self) -> str | None:
        try:
            data = os.read(self._descriptor, _READ)
        except OSError:
            return None
        return self._decoder.decode(data) if data else None

    def _more(self) -> bool:
        return bool(select.select([self._descriptor], [], [], _REST_S)[0])


def names(text: str) -> Iterator[str]:
    """Give a name for each key: a character, or a word for keys without one."""
    while text:
        match = _SEQUENCE.match(text)
        if match:
            code = match.group()
            name = _NAMES.get(code[2:]) or _NAMES.get(code[-1] if code[-1].isalpha() else "")
            text = text[match.end() :]
            if name:
                yield name
            continue
        one, text = text[0], text[1:]
        name = _CONTROLS.get(one) or (one if one.isprintable() else "")
        if name:
            yield name
