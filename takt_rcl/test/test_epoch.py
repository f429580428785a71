"""Processes that start at odd times, one of them twice, have one epoch if the schedule says so."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

PHASES = os.environ["TAKT_RCL_PHASES"]
PATIENCE = 60.0
MS = 1_000_000
# Waits that make the starts fall anywhere; whatever comes of them, the releases must agree.
ODD_WAITS = (0.0137, 0.0071, 0.0293)


def schedule(folder: Path, epoch: str) -> Path:
    """Write a schedule of two processes; one of the timers has an offset beyond its period."""
    file = folder / "s.yaml"
    file.write_text(
        f"""\
version: 1
epoch: {epoch}
executors:
  front:
    threads: {{t: {{}}}}
    default: t
    callbacks:
      - {{match: "/front:timer(20ms)", offset: 3ms}}
      - {{match: "/front:timer(30ms)", offset: 7ms}}
  rear:
    threads: {{t: {{}}}}
    default: t
    callbacks:
      - {{match: "/rear:timer(20ms)", offset: 48ms}}
      - {{match: "/rear:timer(30ms)", offset: 11ms}}
""",
        encoding="utf-8",
    )
    return file


def start(
    file: Path, executor: str, runs: int, prefix: tuple[str, ...] = (), *, clock_off: int = 0
) -> subprocess.Popen[str]:
    """Start a process; on its host TAI is off by `clock_off` nanoseconds."""
    return subprocess.Popen(
        [*prefix, PHASES, str(file), executor, str(runs)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TAKT_TEST_TAI_SHIFT": str(clock_off)},
    )


def releases(process: subprocess.Popen[str], *, tai: bool = False) -> tuple[list[int], int]:
    """Wait for its end, and give the releases of its first timer and the first one of the other.

    `tai`: on that clock, else on the monotonic one.
    """
    words, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    pairs = [line.removeprefix("late ").split() for line in words.splitlines()]
    *times, late = (int(time) + (int(ahead) if tai else 0) for time, ahead in pairs)
    return times, late


def test_releases_of_all_processes_of_a_host_are_on_one_grid(tmp_path: Path) -> None:
    """To the nanosecond, also of a process that starts again and of a timer that comes late."""
    file = schedule(tmp_path, "host")
    front = start(file, "front", 60)
    time.sleep(ODD_WAITS[0])
    rear = start(file, "rear", 20)
    first_rear, first_late = releases(rear)
    time.sleep(ODD_WAITS[1])
    again, late_again = releases(start(file, "rear", 10))
    all_front, late_front = releases(front)
    # The late timer's release ends the process; until it comes the other one may run more often.
    assert len(all_front) >= 59
    assert len(first_rear) >= 19
    assert len(again) >= 9
    assert {ns % (20 * MS) for ns in all_front} == {3 * MS}
    assert {ns % (20 * MS) for ns in first_rear + again} == {8 * MS}
    assert {ns % (30 * MS) for ns in (late_front,)} == {7 * MS}
    assert {ns % (30 * MS) for ns in (first_late, late_again)} == {11 * MS}


def test_releases_count_from_the_start_of_each_process_by_default(tmp_path: Path) -> None:
    """Each has a phase of its own: it would be luck if two agreed to the nanosecond."""
    file = schedule(tmp_path, "start")
    one = start(file, "front", 3)
    time.sleep(ODD_WAITS[2])
    other = start(file, "front", 3)
    phases = {ns % (20 * MS) for process in (one, other) for ns in releases(process)[0]}
    assert len(phases) == 2


def another_host(booted_earlier: int) -> tuple[str, ...]:
    """Give a prefix for a process on a host with its own network booted so many seconds earlier."""
    shift = str(booted_earlier)
    prefix = (
        *("unshare", "--net", "--time", "--monotonic", shift, "--boottime", shift),
        *("sh", "-c", 'ip link set lo up && exec "$@"', "sh"),
    )
    try:
        subprocess.run([*prefix, "true"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user may not make namespaces here")
    return prefix


def test_hosts_that_were_booted_at_other_times_have_one_grid_on_tai(tmp_path: Path) -> None:
    """Their monotonic clocks differ; TAI is one (here it may be equal to the system's clock)."""
    file = schedule(tmp_path, "{clock: tai, uncertainty: 1ms}")
    other = another_host(1_234)
    front = start(file, "front", 20)
    time.sleep(ODD_WAITS[0])
    rear = start(file, "rear", 10, other)
    on_front, late_front = releases(front, tai=True)
    on_rear, late_rear = releases(rear, tai=True)
    assert {ns % (20 * MS) for ns in on_front} == {3 * MS}
    assert {ns % (20 * MS) for ns in on_rear} == {8 * MS}
    assert late_front % (30 * MS) == 7 * MS
    assert late_rear % (30 * MS) == 11 * MS


def test_clocks_that_are_off_move_releases_by_as_much(tmp_path: Path) -> None:
    """So two hosts are apart by at most twice the uncertainty: the jitter that bounds count."""
    uncertainty = 400_000
    file = schedule(tmp_path, "{clock: tai, uncertainty: 400us}")
    fast = start(file, "front", 10, another_host(77), clock_off=uncertainty)
    slow = start(file, "rear", 10, another_host(1_234), clock_off=-uncertainty)
    on_fast, _ = releases(fast, tai=True)
    on_slow, _ = releases(slow, tai=True)
    # What each reads; below, what an exact clock says.
    assert {ns % (20 * MS) for ns in on_fast} == {3 * MS}
    assert {ns % (20 * MS) for ns in on_slow} == {8 * MS}
    nominal = 5 * MS
    distance = ((on_slow[0] + uncertainty) - (on_fast[0] - uncertainty)) % (20 * MS)
    assert abs(distance - nominal) == 2 * uncertainty
