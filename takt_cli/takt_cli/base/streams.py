"""Standard streams as every command needs them: open, and able to write every character.

The system gives the number of a closed stream to the next file that a program opens. Text for the
stream would then go into that file.
"""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata

from takt_cli.base.errors import EXIT_FAILED, EXIT_USAGE

_HANDLER = "takt_spelling"
# Characters beyond ASCII in takt's own words.
_SPELLINGS = {
    "–": "-", "—": "-", "−": "-", "×": "x", "·": ".", "…": "...", "→": "->", "≥": ">=", "≤": "<=",
    "‘": "'", "’": "'", "“": '"', "”": '"', "µ": "u", "μ": "u", "†": "+",
}  # fmt: skip


def prepare() -> None:
    """Open closed streams, and accept every character; ends the process without an output."""
    codecs.register_error(_HANDLER, spell)
    if not _is_open(2):
        _open_null(2, os.O_WRONLY)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if not _is_open(0):
        _open_null(0, os.O_RDONLY)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if not _is_open(1):
        sys.stderr.write(
            "takt: standard output is closed; open it, as in `takt ... >/dev/null` if nobody reads "
            "it\n"
        )
        sys.stderr.flush()
        # Exit at once: the interpreter would try to flush the closed stream.
        os._exit(EXIT_USAGE)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors=_HANDLER)  # type: ignore[union-attr]


def spell(error: UnicodeError) -> tuple[str, int]:
    """Write characters that the stream's encoding lacks with ASCII: error handler of codecs."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(map(_ascii, text)), error.end


def _ascii(character: str) -> str:
    code = ord(character)
    if character in _SPELLINGS:
        return _SPELLINGS[character]
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    base = unicodedata.normalize("NFKD", character)[0]
    return base if base.isascii() else character.encode("ascii", "backslashreplace").decode("ascii")


def write_utf8(text: str) -> None:
    """Write to standard output for programs: in UTF-8 in any locale, except to terminals.

    In JSON, a byte that is not UTF-8 becomes an escape of JSON.
    """
    stream = sys.stdout
    if stream.isatty() or not hasattr(stream, "buffer"):
        stream.write(text)
        return
    stream.flush()
    stream.buffer.write(text.encode("utf-8", "backslashreplace"))
    stream.buffer.flush()


def finish(code: int) -> int:
    """Flush standard output. If this fails, print one sentence, and exit with a code."""
    try:
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _give_up(code)
    except OSError as error:
        if code == 0:
            sys.stderr.write(f"takt: standard output cannot be written: {error.strerror}\n")
        return _give_up(code)


def _give_up(code: int) -> int:
    """Redirect the stream, so that the interpreter's own flush succeeds and prints no complaint."""
    _open_null(1, os.O_WRONLY)
    return code or EXIT_FAILED


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _open_null(descriptor: int, how: int) -> None:
    null = os.open(os.devnull, how)
    if null != descriptor:
        os.dup2(null, descriptor)
        os.close(null)
    else:
        os.set_inheritable(descriptor, True)
