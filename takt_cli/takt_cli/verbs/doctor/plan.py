"""The kernel files that `takt doctor --fix` writes, and their values. Writes nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from takt_cli.base.cores import core_list
from takt_cli.verbs.doctor.cpu import frequencies, frequency_file, governors
from takt_cli.verbs.doctor.examination import isolated_cores
from takt_cli.verbs.doctor.interrupts import (
    DEFAULT_AFFINITY,
    affinities,
    affinity_file,
    mask_of,
    parse_mask,
)
from takt_cli.verbs.doctor.kernel import (
    RT_RUNTIME,
    fair_server_files,
    has_fair_server,
    is_throttled,
)
from takt_cli.verbs.doctor.machine import Machine, Unreadable


@dataclass(frozen=True)
class Action:
    """One value to write; `what` names it for people."""

    finding: str
    what: str
    path: str
    before: str
    after: str


@dataclass(frozen=True)
class Skipped:
    """A finding without a possible action, and the reason; `fault`: a right is missing."""

    finding: str
    why: str
    fault: bool


def plan_fixes(
    machine: Machine, chosen: tuple[int, ...] | None
) -> tuple[list[Action], list[Skipped]]:
    """Give all values that `takt doctor` would change, in the order in which to write them."""
    actions: list[Action] = []
    skipped = []
    for finding, planned in _PLANNERS.items():
        try:
            # All of a finding or none: a reason for which it is skipped holds for all cores.
            actions.extend([*planned(machine, chosen)])
        except _NothingToDo as reason:
            skipped.append(Skipped(finding, str(reason), False))
        except Unreadable as unreadable:
            skipped.append(Skipped(finding, unreadable.why, not unreadable.absent))
    return actions, skipped


class _NothingToDo(Exception):
    """The reason why a finding has no action."""


def _governor(machine: Machine, _chosen: tuple[int, ...] | None) -> Iterator[Action]:
    for core, governor in governors(machine).items():
        if governor == "performance":
            continue
        path = frequency_file(core, "scaling_governor")
        offered = machine.read(frequency_file(core, "scaling_available_governors")).split()
        if "performance" not in offered:
            raise _NothingToDo(f"core {core} has no governor performance")
        what = f"governor of core {core}"
        yield Action("cpu.governor", what, path, governor, "performance")


def _frequency(machine: Machine, _chosen: tuple[int, ...] | None) -> Iterator[Action]:
    for core, (least, most) in frequencies(machine).items():
        if least != most:
            path = frequency_file(core, "scaling_min_freq")
            what = f"least frequency of core {core} (kHz)"
            yield Action("cpu.frequency", what, path, str(least), str(most))


def _throttling(machine: Machine, _chosen: tuple[int, ...] | None) -> Iterator[Action]:
    if is_throttled(machine):
        before = str(machine.number(RT_RUNTIME))
        what = "runtime of real-time threads in a period (µs)"
        yield Action("kernel.rt_throttling", what, RT_RUNTIME, before, "-1")


def _fair_server(machine: Machine, _chosen: tuple[int, ...] | None) -> Iterator[Action]:
    try:
        files = fair_server_files(machine)
    except Unreadable as unreadable:
        if not has_fair_server(machine):
            return
        if unreadable.absent:
            raise _NothingToDo(f"{unreadable.why}; mount debugfs there") from unreadable
        raise
    for path, runtime in files.items():
        if runtime:
            what = f"runtime of the fair server of {path.split('/')[-2]} (ns)"
            yield Action("kernel.fair_server", what, path, str(runtime), "0")


def _affinity(machine: Machine, chosen: tuple[int, ...] | None) -> Iterator[Action]:
    apart = set(isolated_cores(machine) if chosen is None else chosen)
    if not apart:
        raise _NothingToDo(
            "no core is isolated; name the cores for real-time threads with --cpus to move "
            "interrupts away from them"
        )
    others = [core for core in machine.online_cores() if core not in apart]
    if not others:
        raise _NothingToDo("all cores are set apart, so no core is left for interrupts")
    default = parse_mask(machine.read(DEFAULT_AFFINITY))
    if apart & set(default):
        kept = tuple(core for core in default if core not in apart)
        # The same spelling as that of the new value; leading zeros of the kernel do not count.
        before, after = mask_of(default), mask_of(kept or tuple(others))
        what = "mask of cores for new interrupts"
        yield Action("irq.affinity", what, DEFAULT_AFFINITY, before, after)
    for number, cores in affinities(machine).items():
        if apart & set(cores):
            kept_here = [core for core in cores if core in others] or others
            yield Action(
                "irq.affinity",
                f"cores of interrupt {number}",
                affinity_file(number),
                core_list(cores),
                core_list(kept_here),
            )


_PLANNERS: dict[str, Callable[[Machine, tuple[int, ...] | None], Iterator[Action]]] = {
    "cpu.governor": _governor,
    "cpu.frequency": _frequency,
    "kernel.rt_throttling": _throttling,
    "kernel.fair_server": _fair_server,
    "irq.affinity": _affinity,
}
