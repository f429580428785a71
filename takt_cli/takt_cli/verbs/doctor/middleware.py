"""The middleware: shared memory, the buffers of sockets, and the checks of each middleware.

A middleware has its checks in a module beside this one, named as RMW_IMPLEMENTATION begins. Its
`CHECKS` are of files and shared memory, and count whatever middleware is used; its `SETTINGS` count
only where this one is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from takt_cli.running.middleware import VARIABLE, usual
from takt_cli.verbs.doctor.examination import Examination
from takt_cli.verbs.doctor.finding import Check, Verdict
from takt_cli.verbs.doctor.machine import shown
from takt_cli.verbs.doctor.remedies import set_sysctl
from takt_cli.verbs.doctor.shared_memory import SHM

# Docker gives a container 64 MiB, and messages with images need more.
_LEAST_SHM = 128 << 20
_LEAST_FREE = 1 / 8
# The kernel's default, 208 KiB, holds less than one image.
_LEAST_BUFFER = 4 << 20


def _judge_size(look: Examination) -> Verdict:
    space = look.machine.space(SHM)
    data = {"total_bytes": space.total, "free_bytes": space.free}
    now = f"{space.free >> 20} of {space.total >> 20} MiB free"
    remedy = "`sudo mount -o remount,size=1G /dev/shm`; in Docker: `--shm-size=1g`"
    if space.total < _LEAST_SHM:
        return Verdict("warn", now, remedy, data)
    if space.free < space.total * _LEAST_FREE:
        others = ", ".join(check.id for module in _modules() for check in module.CHECKS)
        return Verdict("warn", now, f"see {others}; or {remedy}", data)
    return Verdict("ok", now, data=data)


def _judge_buffers(look: Examination) -> Verdict:
    sizes = {
        name: look.machine.number(f"/proc/sys/net/core/{name}") for name in ("rmem_max", "wmem_max")
    }
    now = ", ".join(f"{name} {size >> 10} KiB" for name, size in sizes.items())
    small = [name for name, size in sizes.items() if size < _LEAST_BUFFER]
    if not small:
        return Verdict("ok", now, data=sizes)
    remedy = "; ".join(set_sysctl(f"net.core.{name}", _LEAST_BUFFER) for name in small)
    return Verdict("note", now, remedy, sizes)


def _if_used(rmw: str, judge: Callable[[Examination], Verdict]) -> Callable[[Examination], Verdict]:
    def judged(look: Examination) -> Verdict:
        used = look.machine.environ.get(VARIABLE, "")
        if (used or usual()).startswith(rmw):
            return judge(look)
        return Verdict("ok", f"not used: {VARIABLE} is {shown(used) or 'not set'}")

    return judged


def _modules() -> Iterator[ModuleType]:
    for file in sorted(Path(__file__).parent.glob("rmw_*.py")):
        yield import_module(f"{__package__}.{file.stem}")


def _of_each() -> Iterator[Check]:
    """Give the checks of each middleware's module, those of settings only where it is used."""
    for module in _modules():
        yield from module.CHECKS
        rmw = module.__name__.rpartition(".")[2]
        for check in module.SETTINGS:
            yield replace(check, judge=_if_used(rmw, check.judge))


CHECKS = (
    Check(
        "dds.shared_memory",
        "Shared memory",
        f"at least {_LEAST_SHM >> 20} MiB, and an eighth of it free",
        "A middleware may send large messages through /dev/shm. Where that is full it sends them "
        "by UDP, with more copies and more system calls, or not at all.",
        _judge_size,
    ),
    *_of_each(),
    Check(
        "dds.buffers",
        "Buffers of sockets",
        f"{_LEAST_BUFFER >> 20} MiB",
        "Between hosts a message larger than the buffer loses fragments, and a reliable one waits "
        "until they are sent again. Messages in shared memory need no such buffer.",
        _judge_buffers,
    ),
)
