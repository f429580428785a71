"""The path and the format of a trace."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from takt_cli.base.errors import TaktError
from takt_cli.control.tracing import RawTrace
from takt_cli.files.outputs import check_file, refuse_replacing
from takt_cli.files.trace_folders import check_trace_folder
from takt_cli.running.trace import arguments, find_converter


class Format(str, Enum):
    """Formats of traces."""

    perfetto = "perfetto"
    chrome = "chrome"
    ctf = "ctf"
    takt = "takt"


# Default names of files: the parts before and behind the number of a second file.
_DEFAULTS = {
    Format.takt: ("trace", ".takttrace"),
    Format.perfetto: ("takt", ".perfetto-trace"),
    Format.chrome: ("takt-trace", ".json"),
    Format.ctf: ("takt-ctf", ""),
}
# The format of --output without --format.
_BY_ENDING = {
    ".perfetto-trace": Format.perfetto,
    ".pftrace": Format.perfetto,
    ".json": Format.chrome,
}


@dataclass(frozen=True)
class Target:
    """The path and the format of a trace."""

    converter: Path
    output: Path
    form: str
    as_json: bool

    def kept(self, raws: Sequence[RawTrace]) -> str:
        """Explain how to write the trace of files that still exist."""
        flags = arguments([raw.path for raw in raws], self.output, self.form)
        command = shlex.join([str(self.converter), *flags])
        return f"The files of the processes are kept. This command writes the trace: {command}"


def target_of(output: Path | None, form: Format | None, force: bool, as_json: bool) -> Target:
    """Refuse an unwritable path before any process begins or ends a trace."""
    if form is None:
        form = _BY_ENDING.get("" if output is None else output.suffix, Format.takt)
    path = _unused(form, force) if output is None else output
    if str(path) != "-" and not path.parent.is_dir():
        raise TaktError(f"{path} cannot be written: there is no folder {path.parent}")
    if form == Format.ctf:
        check_trace_folder(path, force)
    else:
        refuse_replacing(path, force)
        check_file(path)
    return Target(find_converter(), path, form.value, as_json)


def _unused(form: Format, force: bool) -> Path:
    """Give the default name, or the next one that no file has."""
    name, ending = _DEFAULTS[form]
    first = Path(f"{name}{ending}")
    more = (Path(f"{name}-{number}{ending}") for number in range(2, 10_000))
    free = (path for path in (first, *more) if not path.exists() and not path.is_symlink())
    return first if force else next(free, first)
