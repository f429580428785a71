"""Memory: work of the kernel that makes a thread wait when it touches a page."""

from __future__ import annotations

import re

from takt_cli.verbs.doctor.examination import Examination
from takt_cli.verbs.doctor.finding import Check, Verdict
from takt_cli.verbs.doctor.machine import Unreadable, shown
from takt_cli.verbs.doctor.remedies import set_file, set_sysctl

THP = "/sys/kernel/mm/transparent_hugepage/enabled"
SWAPS = "/proc/swaps"
NUMA_BALANCING = "/proc/sys/kernel/numa_balancing"


def _judge_huge_pages(look: Examination) -> Verdict:
    said = look.machine.read_if_there(THP)
    if said is None:
        return Verdict("ok", "this kernel has none")
    match = re.search(r"\[(always|madvise|never)\]", said)  # always [madvise] never
    if match is None:
        raise Unreadable(f"{THP} says '{shown(said)}' and marks no choice")
    data = {"choice": match[1]}
    if match[1] != "always":
        return Verdict("ok", match[1], data=data)
    return Verdict("warn", "always", set_file(THP, "madvise"), data)


def _judge_swap(look: Examination) -> Verdict:
    said = look.machine.read_if_there(SWAPS)
    if said is None:
        return Verdict("ok", "this kernel has none")
    lines = said.splitlines()
    if not lines or not lines[0].startswith("Filename"):
        raise Unreadable(f"{SWAPS} says '{shown(said)}', which is not a table of swap areas")
    areas = [shown(line.split()[0]) for line in lines[1:] if line.split()]
    data = {"areas": areas}
    if not areas:
        return Verdict("ok", "none", data=data)
    return Verdict(
        "warn",
        f"on {', '.join(areas)}",
        "`sudo swapoff -a`, and comment its lines out in /etc/fstab; or lock the memory of each "
        "real-time program",
        data,
    )


def _judge_numa_balancing(look: Examination) -> Verdict:
    said = look.machine.read_if_there(NUMA_BALANCING)
    if said is None:
        return Verdict("ok", "this kernel has none")
    if look.machine.number(NUMA_BALANCING) == 0:
        return Verdict("ok", "off")
    return Verdict("warn", "on", set_sysctl("kernel.numa_balancing", 0))


CHECKS = (
    Check(
        "memory.huge_pages",
        "Transparent huge pages",
        "madvise or never",
        "The kernel clears, moves and joins pages of 2 MiB while a thread that touches them waits.",
        _judge_huge_pages,
    ),
    Check(
        "memory.swap",
        "Swap",
        "none, or locked memory",
        "A page that was swapped out comes back from the disk while the thread that touches it "
        "waits for milliseconds.",
        _judge_swap,
    ),
    Check(
        "memory.numa_balancing",
        "Automatic NUMA balancing",
        "off",
        "The kernel takes pages away from a thread to see whether the thread still uses them, and "
        "each such page costs a fault.",
        _judge_numa_balancing,
    ),
)
