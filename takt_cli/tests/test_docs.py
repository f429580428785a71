"""The commands in the documentation run as they are written, with the real programs."""

import dataclasses
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from support.built import (
    CHECK,
    DATA_PATH,
    LATENCY,
    LIVE,
    PIPELINE,
    PLAN,
    SIMULATE,
    TIGHTNESS,
    WORKLOAD,
    WORKSHOP,
    need,
)
from support.fake_control import (
    RESULT,
    FakeProcess,
    FakeTracer,
    attributes,
    callback,
    executor,
    process,
    thread,
)
from support.fake_machine import desktop_machine, fake, plant
from support.private import private
from takt_cli.control import client
from takt_cli.running import runner
from takt_cli.verbs.known import said_of, verbs
from takt_cli.verbs.latency import measurement as latency

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (
    "run.md",
    "demo.md",
    "experiments.md",
    "graphs.md",
    "explain.md",
    "phases.md",
    "plan.md",
    "latency.md",
    "data_path.md",
)
WORKSHOP_PAGES = (
    "workshop.md",
    *(f"workshop/{name}.md" for name in ("1", "2-1", "2-2", "2-3", "3-1", "3-2", "4-1", "4-2")),
    "workshop/groups.md",
    "workshop/default_group.md",
)
TAGGED = re.compile(r"<!-- test: runs -->\n```sh\n(.*?)```", re.DOTALL)
SHELL = re.compile(r"<!-- test: shell -->\n```sh\n(.*?)```", re.DOTALL)
SAYS = re.compile(r"<!-- test: says -->\n```text\n(.*?)```", re.DOTALL)
WRITTEN = re.compile(r"<!-- written: (\S+) -->\n```yaml\n(.*?)```", re.DOTALL)
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)


def commands(page):
    """Lines of tagged blocks, in order: later ones use what earlier ones wrote."""
    text = (DOCS / page).read_text(encoding="utf-8")
    lines = [line for block in TAGGED.findall(text) for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines]


def run_commands(takt, page):
    """Run the tagged lines of a page, each when it is asked for; all must end well."""
    for program, *arguments in commands(page):
        assert program == "./takt"
        said = takt(*arguments)
        assert said.code == 0, f"{arguments}: {said.err}"
        yield arguments, said


def write_files(page, directory):
    """Write the complete files that a page shows."""
    for name, content in FILE.findall((DOCS / page).read_text(encoding="utf-8")):
        (directory / name).write_text(content, encoding="utf-8")


def headings(page):
    """Give the anchors of a page, as its readers make them of the titles."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    titles = [line.lstrip("#").strip().lower() for line in lines if line.startswith("#")]
    return {re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in titles}


pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="docs/ is not in this checkout")


@pytest.fixture
def short_runs(monkeypatch, tmp_path, unmeasured):
    """Runs measure a moment only, whatever was asked, and write nothing outside of the test."""

    def short(request, *args, **options):
        moment = dataclasses.replace(request, duration_ns=200_000_000, warmup_ns=50_000_000)
        return runner.run(moment, *args, **options)

    def short_latency(setting, *args):
        return latency.run_own(dataclasses.replace(setting, duration_ns=100_000_000), *args)

    monkeypatch.setattr("takt_cli.verbs.latency.command.run_own", short_latency)
    monkeypatch.setattr("takt_cli.running.several_runs.run", short)
    monkeypatch.setattr("takt_cli.verbs.run.command.run", short)
    monkeypatch.setattr("takt_cli.verbs.experiment.workshop.QUICK_S", 0.2)
    monkeypatch.delenv("TAKT_BUILD", raising=False)
    monkeypatch.chdir(tmp_path)


@need(*WORKLOAD, *CHECK, *PLAN, *TIGHTNESS, *LATENCY, *DATA_PATH, *PIPELINE)
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(takt, short_runs, page, tmp_path):
    run_page(takt, page, tmp_path)


@need(*CHECK, *PLAN, *WORKSHOP)
@pytest.mark.parametrize("page", WORKSHOP_PAGES)
@pytest.mark.alone
def test_the_commands_of_the_workshops_pages_run(takt, short_runs, page, tmp_path):
    run_page(takt, page, tmp_path)


def run_page(takt, page, directory):
    """Run all commands of a page; each of a demo or an experiment makes a page."""
    assert commands(page)
    write_files(page, directory)
    for arguments, said in run_commands(takt, page):
        if arguments[0] in ("demo", "experiment"):
            report = Path(said.out.rpartition("Report: ")[2].strip())
            assert report.stat().st_size > 1_000_000


@need(*CHECK)
def test_the_trap_of_the_default_group_is_found(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = "workshop/default_group.md"
    write_files(page, tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    (command,) = re.findall(r"<!-- test: fails -->\n```sh\n\./takt (.*?)\n```", text)
    said = takt(*shlex.split(command))
    assert said.code == 2
    assert said.err.splitlines()[0].replace(f"{tmp_path}/", "") in text


@pytest.mark.parametrize("page", ["3-2", "4-1", "4-2", "groups"])
def test_a_page_of_the_workshop_shows_the_whole_schedule_that_is_shipped(page):
    shown = dict(FILE.findall((DOCS / f"workshop/{page}.md").read_text(encoding="utf-8")))
    assert shown
    for name, text in shown.items():
        shipped = DOCS.parent / "examples/workshop" / name
        assert text == shipped.read_text(encoding="utf-8")


def test_the_page_of_an_own_executor_shows_the_program_that_is_built():
    page, program = DOCS / "workshop/own_executor.md", "examples/workshop/own_executor.cpp"
    ((_, shown),) = FILE.findall(page.read_text(encoding="utf-8"))
    lines = (DOCS.parent / program).read_text(encoding="utf-8").splitlines(keepends=True)
    assert "".join(lines[1:]) == shown


def test_a_table_of_other_toolkits_names_headers_that_have_the_parts():
    text = (DOCS / "toolkit.md").read_text(encoding="utf-8")
    _, _, table = text.partition("| cactus-rt | realtime_tools, ros2_control | takt | header |\n")
    rows = [line.split(" | ") for line in table.partition("\n\n")[0].splitlines()[1:]]
    assert len(rows) == 15
    quoted = re.compile(r"`(\w+(?:/\w+)*(?:\.hpp)?)`")
    for *_, parts, headers in rows:
        read = ""
        for header in quoted.findall(headers):
            package = header.partition("/")[0]
            assert f"`{package}::{package}`" in text
            made = (DOCS.parent / package / "CMakeLists.txt").read_text(encoding="utf-8")
            assert re.search(rf"export_(library|targets)\((export_)?{package}\b", made)
            read += (DOCS.parent / package / "include" / header).read_text(encoding="utf-8")
        assert [name for name in quoted.findall(parts) if not re.search(rf"\b{name}\b", read)] == []


@need(*LIVE)
@pytest.mark.alone
def test_live_demos_run_as_the_page_says(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value in private(tmp_path).items():
        monkeypatch.setenv(name, value)
    ran = [arguments[1] for arguments, _ in run_commands(takt, "demos.md")]
    assert set(ran) == {"pendulum", "camera"}
    assert (tmp_path / "results/pendulum/pendulum.svg").is_file()
    assert (tmp_path / "results/camera/camera.svg").is_file()


@need(*SIMULATE)
def test_simulations_say_what_the_page_says(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = "simulate.md"
    write_files(page, tmp_path)
    said = [done.out for _, done in run_commands(takt, page)]
    shown = SAYS.findall((DOCS / page).read_text(encoding="utf-8"))
    assert len(shown) == 2
    assert said[: len(shown)] == shown
    assert "5.55 ms" in said[2]


def test_the_doctor_says_what_its_page_says(takt, tmp_path, monkeypatch):
    machine = fake(tmp_path)
    monkeypatch.setattr("takt_cli.verbs.doctor.command.this_machine", lambda: machine)
    plant(tmp_path, desktop_machine())
    said = [done.out for _, done in run_commands(takt, "doctor.md")]
    headline, fixed, undone = SAYS.findall((DOCS / "doctor.md").read_text(encoding="utf-8"))
    assert said[0].startswith(headline)
    assert said[1] == "".join(f"would write {line}\n" for line in fixed.splitlines())
    assert said[2:] == [fixed, undone]


@need(*CHECK)
def test_an_import_says_and_writes_what_the_page_shows(takt, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = "import.md"
    write_files(page, tmp_path)
    said = [done.err for _, done in run_commands(takt, page)]
    text = (DOCS / page).read_text(encoding="utf-8")
    assert SAYS.findall(text) == said[:1]
    for name, content in WRITTEN.findall(text):
        comment, first, rest = (tmp_path / name).read_text().partition("version: 1\n")
        assert first + rest == content
        assert all(line.startswith("# ") for line in comment.splitlines())


def fusion():
    """The process of docs/control.md."""
    cold = attributes("other", nice=0, cores=[1])
    threads = [
        thread("hot.0", 2, attributes("fifo", 40, cores=[0]), attributes("fifo", 40, cores=[0])),
        thread("hot.1", 3, attributes("fifo", 90, cores=[1]), cold),
        thread("rest", 4),
    ]
    threads[1]["faults"] = ["policy fifo 90 was refused: RLIMIT_RTPRIO allows priorities up to 40"]
    for one in threads:
        one["tid"] = 4710 + one["number"]
    points = {"group": "/fusion:group(points)", "threads": ["hot.0"], "rule_priority": 90}
    default = "/fusion:group(default)"
    callbacks = [
        callback("/fusion:sub(/points)", runs=12345, **points),
        callback("/fusion:timer(1s)", default),
        callback("/fusion:service(/reset)", default),
    ]
    main = executor("main", threads, callbacks, schedule="/etc/robot/schedule.yaml")
    other = {"tid": 4720, "name": "dds.udp", "now": attributes("other", nice=0), "asked": None}
    told = process("/opt/robot/lib/fusion", main, process_threads=[other])
    return told | {"command": ["/opt/robot/lib/fusion"]}


def changed(*outcomes, why=""):
    """What a process answers to a change."""
    names = ("thread hot.1", "thread hot.0", "thread rest")
    parts = [
        {"what": name, "outcome": outcome, "why": why}
        for name, outcome in zip(names, outcomes, strict=False)
    ]
    return RESULT, {"executors": [{"name": "main", "parts": parts}], "not_in_file": []}


def test_the_control_page_says_what_the_commands_say(takt, tmp_path, monkeypatch):
    text = (DOCS / "control.md").read_text(encoding="utf-8").replace(", exit code 1 -->", " -->")
    monkeypatch.setenv("TAKT_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(client, "peer_of", lambda _: client.Peer(0, 0))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schedule.yaml").write_text("executors: {main: {}, planning: {}}")
    fake_process = FakeProcess(tmp_path, 4711, fusion())
    fake_process.apply = lambda _: changed("applied", "unchanged", "unchanged")
    why = "SCHED_FIFO priority 41 -> SCHED_FIFO priority 90"
    fake_process.reset = lambda: changed("applied", why=why)
    lines = [line for block in TAGGED.findall(text) for line in block.splitlines()]
    said = [takt(*shlex.split(line)[1:]) for line in lines]
    fake_process.close()
    assert [done.code for done in said] == [1, 0, 0, 0, 0]
    status, dry_run, applied, restored, _ = (done.out for done in said)
    assert SAYS.findall(text) == [status, applied, restored]
    assert "thread hot.1: would be applied" in dry_run
    (shown,) = re.findall(r"<!-- test: written: .* -->\n```yaml\n(.*?)```", text, re.DOTALL)
    written = (tmp_path / "template.yaml").read_text(encoding="utf-8")
    assert written[written.index("executors:") :] == shown


def test_the_trace_page_says_what_the_commands_say(takt, fakes, folder, monkeypatch):
    text = (DOCS / "trace.md").read_text(encoding="utf-8")
    chains = [
        {"name": name, "activations": number, "missed": missed, "max_response_ns": worst}
        for name, number, missed, worst in (
            ("brake", 150, 2, 12_345_678),
            ("display", 50, 0, 48_000_000),
        )
    ]
    messages = {"published": 1310, "taken": 1296, "joined": 1290}
    running = [
        FakeTracer(folder, pid, process(f"/opt/robot/lib/{name}"), **figures)
        for pid, name, figures in (
            (4710, "camera", {"runs": 152, "document": {"messages": messages}}),
            (4711, "fusion", {"threads": 3, "runs": 1204, "chains": chains}),
        )
    ]
    monkeypatch.setattr("takt_cli.verbs.trace.command.wait", lambda *_: None)
    lines = [line for block in TAGGED.findall(text) for line in block.splitlines()]
    said = [takt(*shlex.split(line)[1:]) for line in lines]
    assert [done.code for done in said] == [0] * 5, [done.err for done in said]
    assert SAYS.findall(text) == [said[0].out, said[1].out]
    assert all(one.tracing is None for one in running)
    running[1].figures |= {"dropped": 1700}
    takt("trace", "start", "fusion")
    (dropped,) = re.findall(r"^    fusion.*\n    .*$", text, re.MULTILINE)
    told = takt("trace", "stop", "--force").out.splitlines()
    assert set(dropped.replace("\n    ", "\n").strip().splitlines()) <= set(told)
    for one in running:
        one.close()


@need(*CHECK)
@pytest.mark.skipif(
    not Path(os.environ.get("TAKT_INSTALL", "/nowhere"), "share/takt_rcl").is_dir(),
    reason="takt_rcl is not installed",
)
def test_a_node_of_ones_own_is_built_and_runs_as_the_page_says(tmp_path):
    page = "own_node.md"
    write_files(page, tmp_path)
    script = "".join(SHELL.findall((DOCS / page).read_text(encoding="utf-8")))
    # Of the test's own environment only what says which build this is: the page has to do the rest.
    kept = ("HOME", "LANG", "XDG_CACHE_HOME", "BUILD_ROOT", "ROS", "ROS_LOG_DIR")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"TAKT": str(DOCS.parent), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    # The last line ends by the signal of `timeout`, which says 124 then.
    done = subprocess.run(
        ["bash", "-ec", script + "\n"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 124), done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if re.fullmatch(r"image \d+", line)]
    # Three seconds of ten a second; a busy machine has less.
    assert lines[:3] == ["image 1", "image 2", "image 3"], done.stdout + done.stderr
    text = (tmp_path / "talk.yaml").read_text(encoding="utf-8")
    (tmp_path / "other.yaml").write_text(text.replace("  main:", "  other:"), encoding="utf-8")
    (tmp_path / "misfit.yaml").write_text(
        "strict: true\n"
        + text.replace('"/camera:timer(*)"', '"/camera:timer(*)", "/gone:timer(*)"'),
        encoding="utf-8",
    )
    for wrong in ("talk.yaml --ros-args -r oh", "other.yaml", "misfit.yaml"):
        done = subprocess.run(
            ["bash", "-c", f"source $TAKT/tools/setup/env.sh; timeout 20 build/talk {wrong}"],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 2, f"{wrong}: {done.stdout}{done.stderr}"
        assert "talk: " in done.stderr


@pytest.mark.parametrize("page", sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")))
def test_links_between_pages_lead_somewhere(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    for target, heading in re.findall(r"\]\(([\w./-]*)(?:#([\w-]+))?\)", text):
        linked = Path(page).parent / target if target else Path(page)
        assert (DOCS / linked).exists(), target
        if heading:
            assert heading in headings(linked), f"{target}#{heading}"


def commands_with_a_page():
    """Give the commands of the verbs that a page of their name explains."""
    for verb in verbs():
        if (DOCS / f"{verb}.md").is_file() and not said_of(verb, "PROGRAM"):
            yield verb
            for command in (said_of(verb, "COMMANDS") or "").split():
                yield f"{verb} {command}"


@pytest.mark.parametrize("command", list(commands_with_a_page()))
def test_every_option_is_explained(takt, command):
    words = command.split()
    # The live demos have a page of their own, demos.md.
    text = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob(f"{words[0]}*.md"))
    for option in set(re.findall(r"--[a-z][a-z-]+", takt(*words, "--help").out)) - {"--help"}:
        assert option in text, option


@need(("toolkit_benchmark", "takt_bench"), ("guard_benchmark", "takt_bench"))
@pytest.mark.parametrize(
    "page, only, claim",
    [
        ("toolkit.md", "^(exchange|copy_and_two_swaps)$", "latest value, write and read"),
        ("guard.md", "^(guarded_)?callback$", "a callback of 10 us in which nothing happens"),
    ],
)
def test_the_benchmark_of_a_page_prints_limits_beside_its_figures(takt, page, only, claim):
    text = (DOCS / page).read_text(encoding="utf-8")
    (name,) = set(re.findall(r"`takt bench (\w+)`", text))
    said = takt("bench", name, "--only", only, "--min-time", "1ms")
    assert re.search(rf"{claim}.*: \d+\.\d+ × \(at most \d+\.\d+ ×\), (met|MISSED)", said.out)
