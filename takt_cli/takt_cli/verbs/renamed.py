"""Commands and options with earlier names: these still work, and standard error has the new name.

A command line is rewritten before the parser sees it. Here, too, a single number for `--cpus`
becomes a list, because commands that allow a count take a single number for a count.
"""

from __future__ import annotations

from collections.abc import Sequence

from takt_cli.base.errors import TaktError
from takt_cli.base.printable import short
from takt_cli.base.units import parse_whole

CPUS = "--cpus"
COUNT = "--core-count"
# Commands whose --cores was a count or a list.
_EITHER = frozenset({"demo", "latency", "calibrate", "experiment"})
# The verb whose program runs another program, and writes a model of it.
_OBSERVE = "observe"
_OBSERVED = "takt observe is now takt model [OPTION]... -- PROGRAM"
_MODEL = "model"
# By the words of a command: the old name and the new one.
RENAMED = {
    "run": {"--cores": CPUS},
    "doctor": {"--cores": CPUS, "--window": "--duration"},
    "check": {"--cores": COUNT},
    "graph": {"--cores": COUNT},
    "trace record": {"--for": "--duration"},
}


def cores_option(cores: str | None) -> list[str]:
    """Spell the option for a count of cores or a list of them, as users write it."""
    if cores is None:
        return []
    return [COUNT if parse_whole(cores) is not None else CPUS, cores]


def renew(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give the command line with the names of today, and a sentence for each old name."""
    if words[0] == _OBSERVE:
        asks_for_help = words[1:2] in (["-h"], ["--help"])
        return list(words), [] if asks_for_help else [_OBSERVED]
    if words[0] == _MODEL and "--" in words and not _names_trace(words):
        return [_OBSERVE, *words[1:]], []
    renamed = RENAMED.get(" ".join(words[:2]), RENAMED.get(words[0], {}))
    either = words[0] in _EITHER
    renewed = list(words)
    told: dict[str, None] = {}
    used: set[str] = set()
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option == "--":
            break
        if not equals and at + 1 < len(words):
            value = words[at + 1]
        new = renamed.get(option, option)
        if either and option == "--cores":
            new = COUNT if _is_count(value) else CPUS
        # It named a file, and is now a flag.
        if words[0] == "latency" and option == "--json" and value and value[0] != "-":
            new = "--output"
        if new != option:
            told[f"{option} is now {new}"] = None
            renewed[at] = f"{new}{equals}{value if equals else ''}"
        if either and new in (CPUS, COUNT):
            used.add(new)
            value = _as_list(new, value)
            if equals:
                renewed[at] = f"{new}={value}"
            elif at + 1 < len(words):
                renewed[at + 1] = value
    if len(used) > 1:
        raise TaktError(f"{CPUS} and {COUNT} both say which cores; give one of them")
    return renewed, list(told)


def _names_trace(words: Sequence[str]) -> bool:
    """Whether nothing but a trace is behind `--`."""
    return words[-2] == "--" and words[-1].endswith(".takttrace")


def _is_count(text: str) -> bool:
    count = parse_whole(text)
    return count is not None and count >= 0


def _as_list(option: str, text: str) -> str:
    """Let no number after --cpus be a count; refuse a list after --core-count."""
    if option == CPUS:
        return f"{text}-{text}" if _is_count(text) else text
    if text and not _is_count(text):
        raise TaktError(f"{COUNT}: '{short(text)}' is not a number of cores, as in 2")
    return text
