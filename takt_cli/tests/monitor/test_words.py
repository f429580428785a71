"""Causes and stacks of alarms in words."""

import pytest
from support.fake_alarms import alarm
from takt_cli.verbs.monitor.alarm import Alarm
from takt_cli.verbs.monitor.words import alarm_words


def words(**more):
    """Give the words of an alarm of a callback."""
    return alarm_words(Alarm.read(alarm(1, chain=None, **more)))


def of_cause(**more):
    """Give the words of a cause."""
    rates = {"arrival_rate_hz": 50.0, "usual_rate_hz": 50.0, "demand": 7.5, "who": []}
    return words(cause={"kind": "runs_longer", **rates, **more}).split("; ", 1)[1]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"run_ns": 150_000_000, "usual_run_ns": 11_200_000},
            "its runs take longer: 150 ms, usually 11.2 ms",
        ),
        ({"running_ns": 1_200_000_000}, "its run has not returned for 1.20 s"),
        (
            {"callback": "/b:sub(/y)", "run_ns": 60_000_000, "usual_run_ns": 10_000_000},
            "the runs of /b:sub(/y) take longer: 60.0 ms, usually 10.0 ms",
        ),
        (
            {"callback": "/b:sub(/y)", "running_ns": 60_000_000, "usual_run_ns": 10_000_000},
            "the run of /b:sub(/y) has not returned for 60.0 ms, usually 10.0 ms",
        ),
        (
            {"kind": "runs_too_long", "run_ns": 50_000_000},
            "its runs take 50.0 ms, longer than the time between its messages (50.0 Hz, usually "
            "50.0 Hz, needs 750 % of a core)",
        ),
        (
            {"kind": "too_little_processor_time", "callback": "/b:sub(/y)"},
            "too little processor time for /b:sub(/y) (50.0 Hz, usually 50.0 Hz, needs 750 % of a "
            "core)",
        ),
    ],
)
def test_a_cause_names_the_callback_and_its_runs(more, said):
    assert of_cause(**more) == f"cause: {said}"


@pytest.mark.parametrize(
    ("stack", "said"),
    [
        (
            ["waits in the kernel: hrtimer_nanosleep", "system call: clock_nanosleep"],
            "it waits in the kernel (hrtimer_nanosleep)",
        ),
        (["system call: futex"], "system call: futex"),
        (
            [
                "clock_gettime+0xf1 (linux-vdso.so.1)",
                "clock_gettime+0x23 (libc.so.6)",
                "std::chrono::_V2::steady_clock::now()+0x15 (libstdc++.so.6)",
                "busy(double)+0x1a (libnode.so)",
                "main+0x3 (node)",
            ],
            "it is in busy(double)+0x1a (libnode.so)",
        ),
        (["libc.so.6+0x5", "robot+0x12"], "it is in robot+0x12"),
        (["write+0x14 (libc.so.6)"], "it is in write+0x14 (libc.so.6)"),
        (["run+0x1 (libcamera.so)"], "it is in run+0x1 (libcamera.so)"),
    ],
)
def test_a_stall_names_the_first_function_of_the_program(stack, said):
    assert words(kind="stall", unit="ns", value=25e7, limit=2e8, stack=stack).endswith(f"; {said}")


def test_a_chain_that_begins_in_another_process_says_from_where_it_counts():
    said = alarm_words(Alarm.read(alarm(1, from_arrival=True)))
    assert said.endswith("limit 1 miss; from the arrival in this process")


def test_an_unfinished_activation_is_told_with_its_age():
    said = alarm_words(Alarm.read(alarm(1, silent_ns=41_000_000, deadline_ns=40_000_000)))
    assert said.endswith("; an activation has not ended after 41.0 ms, deadline 40.0 ms")
