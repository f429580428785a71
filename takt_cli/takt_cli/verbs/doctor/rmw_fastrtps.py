"""Fast DDS: its segments of shared memory, its profile, its publication mode."""

from __future__ import annotations

import re
from pathlib import Path

from takt_cli.verbs.doctor.examination import Examination
from takt_cli.verbs.doctor.finding import Check, Verdict
from takt_cli.verbs.doctor.locks import locked_files
from takt_cli.verbs.doctor.machine import Machine, Unreadable, shown, shown_path
from takt_cli.verbs.doctor.shared_memory import SHM, judge_unused

_PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
_XML_QOS = "RMW_FASTRTPS_USE_QOS_FROM_XML"
_PUBLICATION = "RMW_FASTRTPS_PUBLICATION_MODE"
_SEGMENT = re.compile("(?:fastrtps|fastdds)_(?:port[0-9]{1,5}|[0-9a-f]{16})")


def stale_segments(machine: Machine) -> tuple[list[str], int]:
    """Give Fast DDS's segments that no process locks or maps, and their bytes.

    A participant holds a lock on the file `_el` (or `_sl`: shared) beside each of its segments.
    """
    names = machine.names(SHM)
    segments = [name for name in names if _SEGMENT.fullmatch(name)]
    if not segments:
        return [], 0
    locked = locked_files(machine)
    mapped = _mapped(machine)
    stale, size = [], 0
    for name in segments:
        try:
            facts = machine.facts(f"{SHM}/{name}")
            locks = [f"{name}{end}" for end in ("_el", "_sl") if f"{name}{end}" in names]
            files = [machine.facts(f"{SHM}/{lock}") for lock in locks]
        except Unreadable as gone:
            if gone.absent:
                continue  # it was removed meanwhile
            raise
        if name not in mapped and not any((f.device, f.inode) in locked for f in files):
            stale.append(name)
            size += facts.size
    return stale, size


def _mapped(machine: Machine) -> set[str]:
    """Give the segments that a process has mapped, as far as this user may look."""
    found: set[str] = set()
    for process in machine.processes():
        try:
            maps = machine.read_bytes(f"/proc/{process}/maps")
        except Unreadable:
            continue  # another user's, whose locks are visible all the same; or it has ended
        for name in re.findall(rb"/dev/shm/(\S+)", maps):
            found.add(name.decode("utf-8", "replace"))
    return found


def _judge_stale(look: Examination) -> Verdict:
    stale, size = stale_segments(look.machine)
    data = {"segments": len(stale), "bytes": size}
    remedy = "`fastdds shm clean`, which removes segments without a lock"
    return judge_unused(look, "segments", len(stale), size, remedy, data)


def _judge_profile(look: Examination) -> Verdict:
    environ = look.machine.environ
    variable = next((name for name in _PROFILES if environ.get(name)), None)
    uses_xml = environ.get(_XML_QOS) == "1"
    if variable is None:
        return Verdict("ok", "no profile; rmw_fastrtps uses PREALLOCATED_WITH_REALLOC")
    name = environ[variable].removeprefix("file://")
    text = look.machine.read(str(Path.cwd() / name))
    policies = sorted(set(re.findall(r"<historyMemoryPolicy>\s*([A-Z_]{1,40})\s*<", text)))
    data = {"file": name, "policies": policies, "used": uses_xml}
    now = f"{shown_path(name)}, {', '.join(policies) or 'no history memory policy'}"
    if not uses_xml:
        now += f"; without {_XML_QOS}=1 rmw_fastrtps uses PREALLOCATED_WITH_REALLOC all the same"
        return Verdict("note" if policies else "ok", now, f"`export {_XML_QOS}=1`", data)
    if "DYNAMIC" in policies:
        remedy = (
            f"write <historyMemoryPolicy>PREALLOCATED_WITH_REALLOC</historyMemoryPolicy> in {name}"
        )
        return Verdict("warn", now, remedy, data)
    return Verdict("ok", now, data=data)


def _judge_publication(look: Examination) -> Verdict:
    mode = look.machine.environ.get(_PUBLICATION, "")
    data = {"mode": mode}
    if look.machine.environ.get(_XML_QOS) == "1":
        return Verdict("note", f"as the profile says ({_XML_QOS}=1)", f"`unset {_XML_QOS}`", data)
    if mode in ("", "SYNCHRONOUS"):
        return Verdict("ok", "synchronous", data=data)
    if mode == "ASYNCHRONOUS":
        return Verdict("warn", "asynchronous", f"`unset {_PUBLICATION}`", data)
    return Verdict("note", f"{_PUBLICATION} is {shown(mode)}", f"`unset {_PUBLICATION}`", data)


CHECKS = (
    Check(
        "dds.stale",
        "Unused segments of Fast DDS",
        "none",
        "A process that was killed leaves its segments behind. They fill /dev/shm until somebody "
        "removes them.",
        _judge_stale,
        to_read="run `takt doctor` as root outside of containers",
    ),
)
SETTINGS = (
    Check(
        "dds.profile",
        "Profile of Fast DDS",
        "the history memory policy PREALLOCATED_WITH_REALLOC",
        "With the policy DYNAMIC each message allocates memory and frees it again.",
        _judge_profile,
        to_read="name a readable file in FASTDDS_DEFAULT_PROFILES_FILE, or unset it",
    ),
    Check(
        "dds.publication",
        "Publication mode of Fast DDS",
        "synchronous",
        "In asynchronous mode a message waits for a thread of Fast DDS, which no schedule of "
        "callbacks knows.",
        _judge_publication,
    ),
)
