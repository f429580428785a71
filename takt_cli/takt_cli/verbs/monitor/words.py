"""Alarms as lines for people."""

from __future__ import annotations

import re
import time
from typing import Any

from takt_cli.base.units import NS_PER_MS, NS_PER_S, human, percent, significant
from takt_cli.verbs.monitor.alarm import Alarm, Cause

_CAUSES = {
    "publisher_faster": "the publisher became faster",
    "too_little_processor_time": "too little processor time",
}
# The value of each kind of alarm in a sentence, and the name of its limit.
_VALUES = {
    "backlog": ("{} wait", "limit"),
    "age": ("the oldest message is {} old", "limit"),
    "rate": ("{} arrivals per service", "limit"),
    "lost": ("{} lost", "limit"),
    "deadline": ("{} in the window", "limit"),
    "overrun": ("ran for {}", "budget"),
    "stall": ("has run for {}", "limit"),
    "skipped": ("{} skipped", "limit"),
    "guard": ("{} that real-time code should not have", "limit"),
}
_IN_KERNEL = "waits in the kernel: "
# The file of a frame: "write+0x14 (libc.so.6)" or "libc.so.6+0x5".
_LIBRARY = re.compile(r"(^|\()(linux-vdso|ld-linux|ld-|lib(c|m|rt|pthread|dl|gcc_s|stdc\+\+)[-.])")
_UNITS = {"messages": "message", "misses": "miss", "events": "event"}


def clock(realtime_ns: int) -> str:
    """Spell a point in time as this machine's clock shows it, to the millisecond."""
    told = time.strftime("%H:%M:%S", time.localtime(realtime_ns // NS_PER_S))
    return f"{told}.{realtime_ns % NS_PER_S // NS_PER_MS:03d}"


def amount(value: float, unit: str, kind: str = "") -> str:
    """Spell a value with its unit."""
    if unit == "ns":
        return human(value)
    number = f"{value:,.0f}" if value == int(value) else significant(value)
    if unit in ("ratio", ""):
        return number
    one = "period" if kind == "skipped" else _UNITS.get(unit, unit)
    plural = "" if value == 1 else "es" if one.endswith("s") else "s"
    return f"{number} {one}{plural}"


def alarm_words(alarm: Alarm) -> str:
    """Describe in one line the crossed threshold, the excess and the cause; or the alarm's end."""
    if not alarm.raised:
        return f"{alarm.kind} of {alarm.subject} is over"
    shape, limit = _VALUES[alarm.kind]
    value = shape.format(amount(alarm.value, alarm.unit, alarm.kind))
    words = [
        f"{alarm.kind} of {alarm.subject}: {value}, {limit} "
        f"{amount(alarm.limit, alarm.unit, alarm.kind)}"
    ]
    if alarm.from_arrival:
        words.append("from the arrival in this process")
    if alarm.silent_ns is not None:
        within = "" if alarm.deadline_ns is None else f", deadline {human(alarm.deadline_ns)}"
        words.append(f"an activation has not ended after {human(alarm.silent_ns)}{within}")
    if alarm.cause is not None:
        words += cause_words(alarm.cause)
    if alarm.stack:
        words.append(stack_words(alarm.stack))
    if alarm.dropped_before:
        words.append(f"{alarm.dropped_before:,} alarms before it were dropped")
    told = "; ".join(words)
    return f"FAIL-SAFE {told}" if alarm.fail_safe else told


def cause_words(cause: Cause) -> list[str]:
    """Describe the cause, with the callbacks and threads that had the processor."""
    if cause.kind == "runs_longer":
        return [f"cause: {_longer_runs(cause)}"]
    why = _CAUSES.get(cause.kind, cause.kind)
    if cause.kind == "runs_too_long":
        why = f"the runs of {cause.callback} take" if cause.callback else "its runs take"
        run = "" if cause.run_ns is None else f" {human(cause.run_ns)},"
        why += f"{run} longer than the time between its messages"
    elif cause.callback:
        why += f" for {cause.callback}"
    about = []
    if cause.arrival_rate_hz is not None:
        usual = cause.usual_rate_hz
        about.append(
            f"{significant(cause.arrival_rate_hz)} Hz"
            + ("" if usual is None else f", usually {significant(usual)} Hz")
        )
    if cause.demand is not None:
        about.append(f"needs {percent(cause.demand)} of a core")
    words = [f"cause: {why}" + (f" ({', '.join(about)})" if about else "")]
    if cause.who:
        had = ", ".join(f"{one.name} {percent(one.share)}" for one in cause.who)
        words.append(f"processor: {had}")
    return words


def _longer_runs(cause: Cause) -> str:
    usual = "" if cause.usual_run_ns is None else f", usually {human(cause.usual_run_ns)}"
    if cause.running_ns is not None:
        whose = f"the run of {cause.callback}" if cause.callback else "its run"
        return f"{whose} has not returned for {human(cause.running_ns)}{usual}"
    whose = f"the runs of {cause.callback} take" if cause.callback else "its runs take"
    now = "" if cause.run_ns is None else f": {human(cause.run_ns)}"
    return f"{whose} longer{now}{usual}"


def stack_words(stack: tuple[str, ...]) -> str:
    """Name the place of a thread: the first function outside of the C and C++ libraries."""
    if stack[0].startswith(_IN_KERNEL):
        return f"it waits in the kernel ({stack[0].removeprefix(_IN_KERNEL)})"
    if stack[0].startswith(("system call: ", "the thread ")):
        return stack[0]
    own = [frame for frame in stack if not _LIBRARY.search(frame)]
    return f"it is in {own[0] if own else stack[0]}"


def value_words(value: Any) -> str:
    """Spell the value of an attribute or a parameter."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
