"""`takt demo pendulum` and `takt demo camera`: claims, pictures, and the real programs."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree as ET

import pytest
import typer
from support.built import LIVE, need
from support.private import private
from support.proc import ended
from support.schemas import example, faults
from takt_cli.base.programs import find_program
from takt_cli.verbs.demo import camera, pendulum
from takt_cli.verbs.demo.live_demo import Claim, Common, Shown, conclude

PATIENCE_S = 120
LATENCIES = {"count": 2000, "p50_ns": 20_000, "p99_ns": 100_000, "max_ns": 200_000}


def pendulum_run(variant, falls, granted="other", load=True, cycles=1900, missed=100):
    return pendulum.Run.read(
        example(
            "live_pendulum#run",
            variant=variant,
            falls=falls,
            granted=granted,
            load=load,
            duration_ns=2 * 10**9,
            cycles=cycles,
            missed=missed,
            wakeup=LATENCIES,
        )
    )


def camera_run(
    side, late, in_stalls=0, threads=("hot: fifo 90, core 0",), load=True, count=60, released=None
):
    return camera.Run.read(
        example(
            "live_camera#run",
            side=side,
            late=late,
            late_in_stalls=in_stalls,
            threads=list(threads),
            load=load,
            duration_ns=2 * 10**9,
            released=count if released is None else released,
            delay={**LATENCIES, "count": count, "p99_ns": None},
        )
    )


@pytest.mark.parametrize(
    ("run", "holds"),
    [
        (pendulum_run("executor", 1), [True]),
        (pendulum_run("executor", 0), [False]),
        (pendulum_run("other", 3), [True]),
        (pendulum_run("other", 0), [False]),
        (pendulum_run("executor", 0, load=False), [False]),
        (pendulum_run("other", 0, load=False), [None]),  # is not said to fall
        (pendulum_run("other", 3, load=False), [None]),
        (pendulum_run("realtime", 0, "fifo 80"), [True]),
        (pendulum_run("realtime", 1, "fifo 80"), [False]),
        (pendulum_run("realtime", 0, "other"), [False]),  # without the right it is not shown
        (pendulum_run("realtime", 0, "fifo 80", cycles=0, missed=0), [False]),  # did not run
        (pendulum_run("realtime", 0, "fifo 80", cycles=1700), [True]),
        (pendulum_run("realtime", 0, "fifo 80", cycles=1699), [False]),
    ],
)
def test_the_pendulum_is_judged(run, holds):
    assert [claim.holds for claim in pendulum.claims([run])] == holds


@pytest.mark.parametrize(
    ("run", "holds"),
    [
        (camera_run("stock", 1), [True]),
        (camera_run("stock", 0), [False]),
        (camera_run("stock", 2, 2), [False]),
        (camera_run("stock", 0, load=False), [False]),
        (camera_run("stock", 1, load=False), [True]),
        (camera_run("planned", 0), [True]),
        (camera_run("planned", 0, count=54), [True]),
        (camera_run("planned", 0, count=53), [False]),  # too few
        (camera_run("planned", 0, count=58, released=60), [True]),
        (camera_run("planned", 0, count=57, released=60), [False]),  # three never arrived
        (camera_run("planned", 1), [False]),
        (camera_run("planned", 1, 1), [True]),
        (camera_run("planned", 0, threads=["hot: other"]), [False]),
        (camera_run("planned", 0, threads=[]), [False]),
    ],
)
def test_the_camera_is_judged(run, holds):
    assert [claim.holds for claim in camera.claims([run])] == holds


def test_a_run_that_ended_early_shows_nothing():
    asked = 3 * 10**9  # of which two thirds were seen
    for claims, run in (
        (pendulum.claims, pendulum_run("realtime", 0, "fifo 80")),
        (camera.claims, camera_run("planned", 0)),
    ):
        assert [one.holds for one in claims([run], asked)] == [False]


def common(**more):
    return Common(duration_ns=None, cores=(0,), load=True, **more)


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ([Claim("a", True, "")], 0),
        ([Claim("a", True, ""), Claim("b", False, "")], 1),
        ([Claim("a", True, ""), Claim("b", None, "")], 1),
        ([], 1),  # nothing was shown
    ],
)
def test_a_check_passes_where_all_was_shown(claims, code, capsys):
    shown = Shown("pendulum", pendulum.table([]), claims, [], [])
    try:
        conclude(shown, common(check=True), judged=True)
        found = 0
    except typer.Exit as end:
        found = end.exit_code
    assert found == code
    assert ("not shown" in capsys.readouterr().out) == any(one.holds is None for one in claims)


def test_a_check_without_variant_shows_the_executor_without_load_too():
    assert pendulum.runs_of(None, True) == [
        ("executor", False),
        ("executor", True),
        ("other", True),
        ("realtime", True),
    ]
    assert pendulum.runs_of(None, False) == [
        ("executor", False),
        ("other", False),
        ("realtime", False),
    ]
    assert pendulum.runs_of("other", True) == [("other", True)]


def test_refused_rights_are_told():
    run = pendulum.Run.read(
        {**example("live_pendulum#run"), "variant": "realtime", "refused": ["no right"]}
    )
    assert pendulum.shown(pendulum.Recorded(runs=[run])).refused == ["no right"]


def frame(ms, cycles, angles=(), latest_ns=0):
    values = {"time_ns": ms * 10**6, "cycles": cycles, "latest_ns": latest_ns}
    return pendulum.Frame.read(example("live_pendulum#frame", angles=list(angles), **values))


def test_a_picture_has_no_wakeup_where_no_cycle_was_and_one_axis_of_time():
    frames = [
        frame(50, 0),
        frame(100, 1, [0.1], 95_000_000),
        frame(150, 1),
        frame(200, 2, [0.2], 9),
    ]
    drawn = pendulum.strip(pendulum_run("executor", 1), frames)
    assert drawn.latencies == [(100_000_000, 95_000_000), (200_000_000, 9)]
    # The second angle comes late, and is that of 5 ms after the first.
    assert drawn.values == [(100_000_000, 0.1), (105_000_000, 0.2)]


def test_an_angle_after_a_pause_is_drawn_after_the_pause():
    frames = [frame(50, 1, [0.1]), frame(60_000, 2, [0.2])]
    drawn = pendulum.strip(pendulum_run("realtime", 1), frames)
    assert [time for time, _ in drawn.values] == [50_000_000, 60_000_000_000]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pendulum", "--variant", "best"], "there is no 'best'; choose executor, other, realtime"),
        (["pendulum", "--port", "65536"], "'65536' is not a whole number from 0 to 65535"),
        (["camera", "--cpus", "1"], "camera needs two cores"),
        (["pendulum", "--duration", "1h"], "--duration: '1h'"),
        (["--json", "pendulum"], "options of takt demo pendulum go behind its name"),
        (["pendulumm"], "no such command of takt demo 'pendulumm'; did you mean 'pendulum'?"),
    ],
)
def test_wrong_words_are_one_message(takt, words, said):
    done = takt("demo", *words)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


@pytest.fixture
def private_domain(monkeypatch, tmp_path):
    for name, value in private(tmp_path).items():
        monkeypatch.setenv(name, value)


def each_kind(text):
    for line in filter(None, text.splitlines()):
        yield (read := json.loads(line))["kind"], read


@need(*LIVE)
def test_a_pendulum_writes_what_the_schema_says_and_obeys(private_domain):
    program = find_program("takt_live", "takt_workload")
    commands = [
        {"set": {"setpoint": 0.2, "load": False}},
        {"set": {"kp": -1, "nothing": 1}},
        {"set": {"variant": "fast"}},
        "no command",
        {"set": {"variant": "executor"}},
    ]
    live = subprocess.Popen(
        [program, "pendulum", "--commands", "--variant", "realtime", "--no-load"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    lines = []

    def read_until(wanted):
        while True:
            lines.append(live.stdout.readline())
            assert lines[-1], "it ended"
            kind, line = next(each_kind(lines[-1]))
            if wanted(kind, line):
                return line

    read_until(lambda kind, _: kind == "frame")
    for command in commands:
        live.stdin.write(json.dumps(command) + "\n")
    live.stdin.flush()
    begun = read_until(lambda kind, line: kind == "begun" and line["variant"] == "executor")
    assert begun["granted"].startswith("other")
    frame = read_until(lambda kind, line: kind == "frame" and line["cycles"] > 0)
    assert (frame["setpoint"], frame["load"], frame["kp"]) == (0.2, False, 200_000.0)
    live.stdin.close()  # ends it
    lines += live.stdout.read().splitlines()
    assert live.wait(PATIENCE_S) == 0
    found = list(each_kind("\n".join(lines)))
    for kind, line in found:
        assert faults(f"live_pendulum#{kind}", line) == []
    refused = [line["text"] for kind, line in found if kind == "refused"]
    assert len(refused) == 3
    assert "kp" in refused[0]
    assert "has no parameter 'nothing'" in refused[0]
    assert "'fast' is not executor, other or realtime" in refused[1]
    runs = [line for kind, line in found if kind == "run"]
    assert [run["variant"] for run in runs] == ["realtime", "executor"]
    assert all(run["cycles"] > 0 for run in runs)


@need(*LIVE)
@pytest.mark.alone  # its load would slow others down
def test_json_has_all_variants(takt, private_domain, tmp_path):
    # On a busy machine the claims may not hold: --json alone does not judge.
    done = takt("demo", "pendulum", "--json", "--duration", "1s", "-o", tmp_path / "out")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert faults("live_demo#pendulum", document) == []
    ran = ["executor", "executor", "other", "realtime"]
    assert [run["variant"] for run in document["runs"]] == ran
    assert [run["load"] for run in document["runs"]] == [False, True, True, True]
    assert len(document["claims"]) == 4
    # The start of a variant under load takes a second at times, which is not of its run.
    assert all(run["duration_ns"] >= 10**9 for run in document["runs"])
    assert document == json.loads((tmp_path / "out/summary.json").read_text())
    drawn = ET.fromstring((tmp_path / "out/pendulum.svg").read_text())
    assert len(drawn.findall(".//{*}polyline")) == 8


@need(*LIVE)
@pytest.mark.alone  # its load would slow others down
@pytest.mark.parametrize("load", [[], ["--no-load"]])
def test_the_executor_lets_the_pendulum_fall(takt, private_domain, load):
    # However idle or busy the machine: the logger keeps the control loop waiting.
    done = takt("demo", "pendulum", "--check", "--variant", "executor", "--duration", "3s", *load)
    assert done.code == 0, done.out
    assert "holds" in done.out


@need(*LIVE)
def test_camera_json_has_both_sides(takt, private_domain, tmp_path):
    done = takt("demo", "camera", "--json", "--no-load", "--duration", "2s", "-o", tmp_path / "out")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert faults("live_demo#camera", document) == []
    assert [run["side"] for run in document["runs"]] == ["stock", "planned"]
    assert all(run["delay"]["count"] > 0 for run in document["runs"])
    assert all(run["threads"] for run in document["runs"])
    assert all(run["released"] >= run["delay"]["count"] for run in document["runs"])
    assert document["runs"][0]["late"] > 0  # the order alone makes images wait for the logger
    ET.fromstring((tmp_path / "out/camera.svg").read_text())
    assert (tmp_path / "out/planned.yaml").is_file()


@need(*LIVE)
def test_camera_writes_what_the_schema_says(private_domain, tmp_path):
    program = find_program("takt_live", "takt_workload")
    schedule = camera.plan(tmp_path, sorted(os.sched_getaffinity(0)))
    done = subprocess.run(
        [program, "camera", "--schedule", schedule, "--duration", "500ms"],
        check=True, capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    found = list(each_kind(done.stdout))
    assert {kind for kind, _ in found} == {"begun", "frame", "run"}
    for kind, line in found:
        assert faults(f"live_camera#{kind}", line) == []


@need(*LIVE)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "subcommand"),
        (["pendulum", "--variant", "best"], "'best' is not executor, other or realtime"),
        (["pendulum", "--cores", "4711"], "--cores"),
        (["camera"], "--schedule is required"),
        (["camera", "--schedule", "/nowhere.yaml"], "/nowhere.yaml"),
    ],
)
def test_the_program_refuses_wrong_words_with_one_line(words, said):
    program = find_program("takt_live", "takt_workload")
    done = subprocess.run(
        [program, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def without_rights():
    """Drop the rights to real-time priorities and locked memory, and to get them back."""
    prctl = ctypes.CDLL(None).prctl
    for capability in (14, 23, 24):  # CAP_IPC_LOCK, CAP_SYS_NICE, CAP_SYS_RESOURCE
        prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP, as far as it is allowed
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))


@need(*LIVE)
@pytest.mark.parametrize("demo", ["pendulum --variant realtime", "camera"])
def test_missing_rights_are_told_and_fail_the_check(private_domain, demo):
    command = ["demo", *demo.split(), "--check", "--no-load", "--duration", "500ms"]
    done = subprocess.run(
        [sys.executable, "-m", "takt_cli", *command],
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        preexec_fn=without_rights,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    said = " ".join(done.stderr.split())
    assert "missing rights: " in said
    assert "refused for this thread" in said
    assert "does not hold" in done.stdout


@need(*LIVE)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_page_stream_and_program_cleanly(private_domain, how):
    demo = subprocess.Popen(
        [sys.executable, "-m", "takt_cli", "demo", "pendulum", "--port", "0", "--no-browser",
         "--no-load"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    said = demo.stderr.readline()
    url = next(word for word in said.split() if word.startswith("http://127.0.0.1:"))
    program = next(
        int(line) for line in subprocess.run(
            ["pgrep", "-P", str(demo.pid), "takt_live"],
            check=True, capture_output=True, text=True,
        ).stdout.split()
    )  # fmt: skip
    with urllib.request.urlopen(f"{url}events", timeout=PATIENCE_S) as stream:
        while b'"frame"' not in stream.readline():
            pass
        demo.send_signal(how)
        rest = stream.read().decode()
    assert rest.endswith("event: end\ndata: {}\n\n")
    assert '"kind":"run"' in rest
    out, err = demo.communicate(timeout=PATIENCE_S)
    assert demo.returncode == 0, err
    assert "realtime" in out
    assert "Traceback" not in err
    assert ended(program)


@need(*LIVE)
def test_a_taken_port_starts_no_program(takt, private_domain):
    from takt_cli.verbs.demo.event_hub import EventHub
    from takt_cli.verbs.demo.page_server import PageServer

    with PageServer("", EventHub(), print, 0) as other:
        done = takt("demo", "pendulum", "--port", other.server_port, "--no-browser")
    assert done.code == 2
    assert f"port {other.server_port} of 127.0.0.1 is taken" in done.err


def test_pictures_are_well_formed_whatever_names_say():
    run = pendulum_run("other", 1)
    for frames in ([], [frame(0, 0)], [frame(50, 1, [0.1], 5)]):
        ET.fromstring(pendulum.shown(pendulum.Recorded(runs=[run], frames=[frames])).picture)


def test_documents_have_what_the_schema_says(capsys):
    for shown, demo in (
        (pendulum.shown(pendulum.Recorded(runs=[pendulum_run("other", 1)])), "pendulum"),
        (camera.shown(camera.Recorded(runs=[camera_run("stock", 1, load=False)])), "camera"),
    ):
        conclude(shown, common(json=True), judged=True)
        assert faults(f"live_demo#{demo}", json.loads(capsys.readouterr().out)) == []
