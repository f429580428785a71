"""`takt experiment workshop`: claims, tables, and the real program for a moment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.built import WORKSHOP, need
from support.schemas import faults
from support.workshop_runs import CYCLES, GOOD, camera, one, periods, run, slices
from takt_cli.base.programs import find_program
from takt_cli.verbs.experiment import workshop
from takt_cli.verbs.experiment.workshop_claims import FRAME, MS, US
from takt_cli.verbs.experiment.workshop_exercises import EXERCISES
from takt_cli.verbs.experiment.workshop_program import (
    cyclictest_max_ns,
    without_host,
)

EXAMPLES = Path(__file__).resolve().parents[3] / "examples/workshop"


def verdicts(name, **changes):
    return [claim.holds for claim in EXERCISES[name].judge({**GOOD[name], **changes})]


def test_every_exercise_has_a_fault_to_show():
    assert list(EXERCISES) == list(GOOD)
    for name, exercise in EXERCISES.items():
        assert {variant.key for variant in exercise.variants} == set(GOOD[name])
        assert any(claim.fault for claim in exercise.judge(GOOD[name]))
        assert all(verdicts(name)), name


@pytest.mark.parametrize(
    ("name", "changes", "missed"),
    [
        ("1", {"other": one("Wakeup", 500 * US)}, [0]),
        ("1", {"fifo": one("Wakeup", 2 * MS, overruns=1)}, [1]),
        ("1", {"fifo": one("Wakeup", 2 * US, count=CYCLES - 1)}, [1]),
        ("2-1", {"mutex": one("GetDesiredPosition", 900 * US)}, [0]),
        ("2-1", {"atomic": one("GetDesiredPosition", 51 * US, overruns=1)}, [1, 2]),
        ("2-2", {"mutex": one("GetPIDConstants", MS)}, [0]),
        ("2-2", {"pi_mutex": one("GetPIDConstants", 2 * MS)}, [1]),
        ("2-2", {"latest": run()}, [2]),
        ("2-2", {"try_lock": one("GetPIDConstants", 21 * US)}, [3]),
        ("2-2", {"compare_and_swap": one("GetPIDConstants", 21 * US)}, [4]),
        # Fewer samples than the time has cycles, or most of them in host stalls, decide nothing.
        ("2-2", {"latest": one("GetPIDConstants", 1 * US, count=CYCLES // 10)}, [2]),
        ("2-2", {"latest": one("GetPIDConstants", 1 * US, stalled=CYCLES * 6 // 10)}, [2]),
        ("2-2", {"latest": one("GetPIDConstants", 1 * US, refused=["FIFO 80"])}, [2]),
        ("2-1", {"mutex": one("GetDesiredPosition", 5 * MS, refused=["FIFO 80"])}, [0]),
        ("2-1", {"mutex": one("GetDesiredPosition", 5 * MS, stalls_seen=False)}, [0]),
        ("1", {"fifo": one("Wakeup", 100 * US, 12_000, stalled=2_000, cycles=12_000)}, [1]),
        ("2-3", {"mutex": one("UpdateQueue", 5 * US)}, [0]),
        ("2-3", {"ring": one("UpdateQueue", 5 * US, dropped=1)}, [2]),
        ("2-3", {"ring": one("UpdateQueue", 200 * US, allocations=None)}, [1, 2]),
        ("3-1", {"stock-idle": camera([11] * 99, False)}, [0]),
        ("3-1", {"stock-idle": camera([7.95] * 99)}, [0]),
        ("3-1", {"rclcpp-idle": camera([7.95] * 99)}, [1]),
        ("3-1", {"rclcpp-idle": camera([9] * 99, False)}, []),
        ("3-1", {"detector_first-idle": camera([9] * 99)}, [2]),
        ("3-2", {"stock": camera([7] * 50)}, [3]),
        ("3-2", {"following_pool-idle": camera([4] * 50 + [6.1])}, [1]),
        ("3-2", {"planned": camera([3] * 50 + [4.1])}, [5]),
        ("4-1", {"timer_stock-idle": periods(0.1, 0)}, [0]),
        ("4-1", {"timer_stock-idle": periods(*[0] * 50, 30, times=1)}, [0]),  # a disturbance
        ("4-1", {"timer_stock-idle": periods()}, [0]),
        ("4-1", {"timer_own_thread-idle": periods(0, -0.16)}, [1]),
        ("4-1", {"timer_own_thread-idle": periods()}, [1]),
        ("4-1", {"timer_own_thread-idle": periods(0, duration_ns=30 * FRAME)}, [1]),
        ("4-2", {"stock-idle": camera([3.9] * 9)}, [0]),
        ("4-2", {"stock-idle": camera([3.9] * 9 + [400])}, [0]),  # a disturbance
        ("4-2", {"realtime_chain-idle": camera([3.9, 4.1])}, [1]),
        ("4-2", {"realtime_chain-idle": camera([3.9] * 9, held_up=[True] * 5 + [False] * 4)}, [1]),
        ("3-2", {"planned": camera([3.9] * 50, refused=["FIFO 90"])}, [5]),
    ],
)
def test_a_claim_is_missed_where_its_figure_is_bad(name, changes, missed):
    holds = verdicts(name, **changes)
    assert [number for number, good in enumerate(holds) if not good] == missed


def test_a_claim_without_samples_or_rights_says_that_it_was_not_judged():
    few = one("GetPIDConstants", US, count=CYCLES // 10)
    denied = one("GetPIDConstants", 15 * MS, refused=["SCHED_FIFO priority 80 refused"])
    runs = {**GOOD["2-2"], "latest": few, "mutex": denied}
    words = [claim.word for claim in EXERCISES["2-2"].judge(runs)]
    few_words = "1,000 of 10,000 samples outside of host stalls"
    assert words[:3] == ["NOT JUDGED: right missing", "met", f"NOT JUDGED: {few_words}"]
    assert words[3:] == ["met", "met"]
    said = workshop.sentences([workshop.Done(EXERCISES["2-2"], runs, {})])
    assert said[0] == "3 of 5 claims hold."
    assert said[1].endswith("prove nothing: 2-2.")
    assert said[2].endswith(f"are of: 2-2 (right missing); 2-2 ({few_words}).")


@pytest.mark.parametrize(
    ("longest", "empty", "word"),
    [
        (5 * US, 400 * US, "met"),
        (200 * US, 90 * US, "MISSED"),
        (200 * US, 110 * US, "NOT JUDGED: empty slices took up to 110 µs"),
        (221 * US, 110 * US, "MISSED"),
    ],
)
def test_a_machine_that_makes_empty_slices_long_decides_nothing(longest, empty, word):
    times = {"UpdateQueue": longest, "Nothing": empty}
    ring = run(*(slices(name, [US] * (CYCLES - 1) + [most]) for name, most in times.items()))
    claims = list(EXERCISES["2-3"].judge({**GOOD["2-3"], "ring": ring}))
    assert claims[1].word == word
    assert claims[1].holds == (word == "met")


def test_without_a_host_nothing_is_excused():
    stalls = one("GetDesiredPosition", 6 * US, stalled=10, overruns_in_stalls=2, stalls_seen=False)
    found = without_host(stalls)
    assert len(found.clean("GetDesiredPosition")) == CYCLES
    assert len(found.stalled("GetDesiredPosition")) == 0
    assert found.overruns == 2
    assert verdicts("2-1", atomic=stalls) == [True, True, True]
    assert verdicts("2-1", atomic=found) == [True, True, False]
    done = workshop.Done(EXERCISES["2-1"], {**GOOD["2-1"], "atomic": found}, {}, virtual=False)
    assert workshop.judged(done).notes[0] == "no host can stop this machine: all slices count"


def test_the_table_says_which_slices_are_left_out():
    lossy = {**GOOD["1"], "fifo": one("Wakeup", US, stalls_without_room=7)}
    notes = workshop.judged(workshop.Done(EXERCISES["1"], lossy, {})).notes
    assert "more than 0.3 ms late" in notes[0]
    assert "7 host stalls were not kept: their slices count" in notes


def test_host_stalls_are_left_out():
    times, stalls = [5 * US] * (CYCLES - 1) + [9 * MS], [False] * (CYCLES - 1) + [True]
    late = run(slices("UpdateQueue", times, held_up=stalls))
    assert all(verdicts("2-3", ring=late))
    done = workshop.Done(EXERCISES["2-3"], {**GOOD["2-3"], "ring": late}, {})
    row = dict(zip(workshop.judged(done).columns, workshop.judged(done).rows[1], strict=True))
    assert row["max"].text == "5.00 µs"
    assert row["in host stalls"].value == 1
    assert row["max with them"].text == "9.00 ms"


def test_a_build_without_rclcpp_says_which_variant_is_missing():
    runs = {key: found for key, found in GOOD["3-1"].items() if key != "rclcpp-idle"}
    done = workshop.Done(EXERCISES["3-1"], runs, {})
    assert [claim.holds for claim in done.claims()] == [True, True]
    table = workshop.judged(done)
    assert [row[0].text for row in table.rows] == ["ROS 2's order", "by priority"]
    without = "not measured, because takt was built without rclcpp: rclcpp's executor"
    assert without in table.notes
    assert without not in workshop.judged(workshop.Done(EXERCISES["3-1"], GOOD["3-1"], {})).notes


def test_images_are_joined_by_their_messages():
    first, *_ = camera([11, 12]).images()
    assert first.logger_first
    assert not first.overlaps
    assert (first.taken, first.ended) == (0, 11 * MS)
    other, *_ = camera([4], logger_first=False).images()
    assert not other.logger_first
    assert other.overlaps


def test_sentences_name_the_exercises_that_proved_nothing():
    wrong = {**GOOD["2-1"], "mutex": one("GetDesiredPosition", 10 * US)}
    said = workshop.sentences(
        [workshop.Done(EXERCISES["2-1"], wrong, {}), workshop.Done(EXERCISES["1"], GOOD["1"], {})]
    )
    assert said[0] == "4 of 5 claims hold."
    assert said[1].endswith("prove nothing: 2-1.")
    assert (
        "90 times as late as under SCHED_FIFO; of clock_nanosleep in a raw loop 100 times"
        in said[2]
    )


def test_all_threads_of_cyclictest_have_one_interval(tmp_path, monkeypatch):
    program = tmp_path / "cyclictest"
    program.write_text(
        "#!/bin/sh\n"
        'echo "$@" >"${0%/*}/flags"\n'
        "for one; do case $one in --json=*) file=${one#*=} ;; esac; done\n"
        'echo \'{"thread": {"0": {"max": 7}}}\' >"$file"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert cyclictest_max_ns("fifo", 80, (0,), MS, tmp_path) == 7 * US
    assert "--distance=0" in (tmp_path / "flags").read_text().split()


# As in test_whole_system.py.
WITHOUT_RIGHTS = [
    "setpriv", "--bounding-set=-sys_nice,-sys_resource", "--inh-caps=-sys_nice,-sys_resource",
    "prlimit", "--rtprio=0", "--nice=0",
]  # fmt: skip


@need(*WORKSHOP)
@pytest.mark.alone
@pytest.mark.skipif(
    not all(map(shutil.which, ("setpriv", "prlimit"))) or os.geteuid() != 0,
    reason="needs root, setpriv and prlimit",
)
def test_a_schedule_with_fallbacks_tells_which_right_is_missing(tmp_path):
    schedule = EXAMPLES / "timer_own_thread.yaml"
    words = ["--exercise", "4-1", "--variant", "x", "--duration", "200ms", "--schedule", schedule]
    said = subprocess.run(
        [*WITHOUT_RIGHTS, find_program(*WORKSHOP[0]), *words],
        check=True, timeout=300, capture_output=True,
    )  # fmt: skip
    refused = " ".join(json.loads(said.stdout)["refused"])
    assert "no right to policy fifo 90, so threads 'camera' ask for their fallback" in refused


@need(*WORKSHOP)
@pytest.mark.alone
def test_the_program_writes_what_the_schema_has(tmp_path):
    program = find_program(*WORKSHOP[0])
    words = ["--exercise", "2-3", "--variant", "ring", "--duration", "200ms", "--output", "told"]
    subprocess.run([program, *words], cwd=tmp_path, check=True, timeout=300)
    found = json.loads((tmp_path / "told").read_text(encoding="utf-8"))
    assert faults("workshop", found) == []


@need(*WORKSHOP)
@pytest.mark.alone
def test_a_moment_of_all_exercises(takt, monkeypatch, tmp_path):
    # The pages of the documentation run the others.
    some = {name: EXERCISES[name] for name in ("2-3", "4-1")}
    monkeypatch.setattr(workshop, "EXERCISES", some)
    said = takt("experiment", "workshop", "--duration", "200ms", "--json", "-o", tmp_path / "w")
    assert said.code in (0, 1), said.err  # the figures of a moment prove nothing
    summary = json.loads((tmp_path / "w/summary.json").read_text())
    assert summary["kind"] == "experiment workshop"
    assert summary["command"].endswith("experiment workshop all --duration 200ms")
    page = (tmp_path / "w/4-1/report.html").read_text(encoding="utf-8")
    assert "experiment workshop 4-1 --duration 200ms" in page
    for name, exercise in some.items():
        folder = tmp_path / "w" / name
        assert (folder / "report.html").stat().st_size > 1_000_000
        for variant in exercise.variants:
            trace = (folder / f"{variant.key}.perfetto-trace").read_bytes()
            # What each variant has after a moment on a busy machine, too.
            words = "MessageDelay" if variant.schedule else exercise.slice
            assert words.encode() in trace
        assert not list(folder.glob("*.takttrace"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["5-1"], "there is no exercise '5-1'; choose 1, 2-1,"),
        (["1", "--duration", "1ms"], "--duration 1ms is too short"),
        (["1", "--quick", "--duration", "1s"], "--quick and --duration say"),
    ],
)
def test_faulty_options_are_refused(takt, words, said):
    done = takt("experiment", "workshop", *words)
    assert done.code == 2
    assert said in done.err


@need(*WORKSHOP)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--exercise", "9", "--variant", "x"], "'9' is not one of 1, 2-1,"),
        (["--exercise", "1", "--variant", "x"], "'x' is not one of other, fifo,"),
        (["--exercise", "3-1", "--variant", "x"], "exercise 3-1 needs one"),
        (["--exercise", "1", "--variant", "fifo", "--schedule", "s"], "exercise 1 takes none"),
        (["--exercise", "1", "--variant", "fifo", "--duration", "1us"], "not between 100ms and"),
    ],
)
def test_the_program_refuses_faulty_options(words, said):
    done = subprocess.run([find_program(*WORKSHOP[0]), *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert said in done.stderr
