"""Recognises traces that takt does not read: other formats of takt, and other tools' traces."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path

from takt_cli.base.errors import TaktError

_HEAD = 4096
# Of a session of LTTng: ust/uid/1000/64-bit/metadata. A folder that is no trace may be large.
_DEEPEST = 6
_MOST_FOLDERS = 2000
_CTF_TEXT = b"/* CTF 1."
_CTF_PACKETS = {
    struct.pack(order + "I", magic) for order in "<>" for magic in (0xC1FC1FC1, 0x75D11D57)
}
_PERFETTO = (".perfetto-trace", ".pftrace")
_CHROME = re.compile(rb'"traceEvents"\s*:|^\s*\[\s*\{[^{}]*"ph"\s*:')
_OWN = (
    "takt needs a trace in its own format: run the program under takt (`takt exec`), and record it "
    "with `takt trace record --duration 10s`"
)


def refuse_other_trace(path: Path) -> None:
    """Refuse a trace in another format, with its format and the needed one; accept all else."""
    what = other_trace(path)
    if what is not None:
        raise TaktError(f"{path} is {what}", hint=_OWN)


def other_trace(path: Path) -> str | None:
    """Name the other format of a trace file or folder; None if the format is unknown."""
    if path.is_dir():
        if _holds_ctf(path):
            return (
                "a CTF trace, as LTTng, ros2_tracing, CARET and `takt trace --format ctf` write it"
            )
        return None
    head = _head_of(path)
    if head.startswith(_CTF_TEXT) or head[:4] in _CTF_PACKETS:
        return (
            "a file of a CTF trace, as LTTng, ros2_tracing, CARET and `takt trace --format ctf` "
            "write it"
        )
    if path.name.endswith(_PERFETTO) or (head[:1] == b"\n" and head[1:2] not in b" \t\r\n[{"):
        return "a trace for ui.perfetto.dev"
    if _CHROME.search(head):
        return "a trace for ui.perfetto.dev, in the JSON of Chrome"
    return None


def _holds_ctf(folder: Path) -> bool:
    for seen, (place, folders, files) in enumerate(os.walk(folder), 1):
        if "metadata" in files:
            head = _head_of(Path(place, "metadata"))
            if head.startswith(_CTF_TEXT) or head[:4] in _CTF_PACKETS:
                return True
        if seen >= _MOST_FOLDERS:
            return False
        if len(Path(place).relative_to(folder).parts) >= _DEEPEST:
            folders.clear()
    return False


def _head_of(path: Path) -> bytes:
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""
