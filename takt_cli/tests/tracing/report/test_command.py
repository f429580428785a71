"""`takt report` on traces, with a stand-in for `takt_trace`."""

import json
import os
from pathlib import Path

import pytest
from support.synthetic import results
from support.trace_documents import document

MAGIC = b"TAKTTRC1 and records"
_PROGRAM = """#!/bin/sh
printf '%s\\n' "$@" > {arguments}
cat {answer}
[ -f {errors} ] && cat {errors} >&2
exit {code}
"""


@pytest.fixture
def answers(fakes, tmp_path, monkeypatch):
    """Let `takt_trace` print a document, or fail; gives its arguments."""
    place = tmp_path / "other" / "lib" / "takt_trace"
    place.mkdir(parents=True)
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path / 'other'}{os.pathsep}{fakes}")
    paths = {name: place / name for name in ("arguments", "answer", "errors")}

    def call(answer, code=0, errors=""):
        paths["answer"].write_text(answer if isinstance(answer, str) else json.dumps(answer))
        if errors:
            paths["errors"].write_text(errors)
        program = place / "takt_trace"
        program.write_text(_PROGRAM.format(code=code, **paths))
        program.chmod(0o755)
        return lambda: paths["arguments"].read_text().splitlines()

    for name in ("a.takttrace", "-b.takttrace"):
        Path(name).write_bytes(MAGIC)
    return call


def test_a_trace_becomes_a_page(takt, answers, tmp_path):
    asked = answers(document(40))
    said = takt("report", "a.takttrace", "-o", "out.html")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0].startswith("Chain brake missed its deadline of 10.0 ms in ")
    assert lines[-1] == f"Report: {tmp_path}/out.html"
    page = Path("out.html").read_text()
    assert "<h1>Trace of camera and fusion</h1>" in page
    assert "takt report a.takttrace -o out.html" in page
    assert asked() == ["report", f"{tmp_path}/a.takttrace"]
    assert takt("report", "a.takttrace", "--title", "Mine").code == 0
    page = Path("report.html").read_text()
    assert "<h1>Mine</h1>" in page
    assert "takt report a.takttrace --title Mine -o report.html" in page


def test_several_traces_become_one_page(takt, answers, tmp_path):
    asked = answers(document(3))
    assert takt("report", "-o", "out.html", "--", "a.takttrace", "-b.takttrace").code == 0
    assert asked() == ["report", f"{tmp_path}/a.takttrace", f"{tmp_path}/-b.takttrace"]


def test_what_is_missing_in_a_trace_is_a_warning(takt, answers):
    raw = document(3)
    raw["processes"][0]["dropped"] = 12
    raw["measured"]["kernel"] = False
    answers(raw)
    said = takt("report", "a.takttrace")
    assert said.code == 0
    first, second = said.err.splitlines()
    assert first.startswith("warning: 12 records are missing (camera (pid 4710) 12)")
    assert second.startswith("warning: The kernel's run-queue delays were not measured.")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("{", "takt_trace printed no JSON"),
        (
            "[]",
            "takt_trace printed a document that takt cannot read: the document is a list where",
        ),
        ({"schema": 7}, "takt_trace printed a document that takt cannot read: schema is 7 where 1"),
        (
            {"schema": 1, "chains": [{"name": "a", "activations": -1}]},
            "chains[0].activations is -1",
        ),
    ],
)
def test_a_damaged_report_is_one_clear_error(takt, answers, answer, words):
    answers(answer)
    said = takt("report", "a.takttrace", "-o", "out.html")
    assert (said.code, said.out) == (2, "")
    assert words in said.err.splitlines()[0]
    assert not Path("out.html").exists()


def test_the_words_of_takt_trace_about_a_bad_trace_are_passed_on(takt, answers):
    answers("", code=2, errors="takt_trace: a.takttrace: at byte 40 it ends too early\n")
    said = takt("report", "a.takttrace")
    assert (said.code, said.out) == (2, "")
    assert said.err == "takt: a.takttrace: at byte 40 it ends too early\n"
    assert not list(Path().glob("*.html"))


def make_foreign(place):
    """Make what other tools write."""
    for name, head in {
        "session/ust/uid/1000/64-bit/metadata": b"\x57\x1d\xd1\x75" + b"\0" * 60,
        "session/ust/uid/1000/64-bit/ros2_0": b"\xc1\x1f\xfc\xc1" + b"\0" * 60,
        "takt-ctf/host/metadata": b"/* CTF 1.8 */\n",
        "a.pftrace": b"\x0a\x03abc",
        "renamed": b"\x0a\x83\x01abc",
        "chrome.json": b'{"displayTimeUnit": "ns", "traceEvents": [{"ph": "X"}]}',
        "events.json": b'[\n{"name": "a", "ph": "X", "ts": 1},\n',
    }.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(head)


@pytest.mark.parametrize("command", ["report", "model"])
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("session", "a CTF trace, as LTTng, ros2_tracing, CARET"),
        ("session/ust", "a CTF trace, as LTTng, ros2_tracing, CARET"),
        ("session/ust/uid/1000/64-bit/ros2_0", "a file of a CTF trace"),
        ("session/ust/uid/1000/64-bit/metadata", "a file of a CTF trace"),
        ("takt-ctf", "a CTF trace"),
        ("a.pftrace", "a trace for ui.perfetto.dev"),
        ("renamed", "a trace for ui.perfetto.dev"),
        ("chrome.json", "a trace for ui.perfetto.dev, in the JSON of Chrome"),
        ("events.json", "a trace for ui.perfetto.dev, in the JSON of Chrome"),
    ],
)
def test_traces_of_other_tools_are_named_with_what_takt_needs(takt, answers, command, name, what):
    answers(document(3))
    make_foreign(Path())
    said = takt(command, name)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"takt: {name} is {what}")
    words = " ".join(said.err.split())
    assert "needs a trace in its own format" in words
    assert "takt trace record --duration 10s" in words


def test_other_files_are_refused_with_the_way_out(takt, answers, tmp_path):
    answers(document(3))
    Path("r.json").write_text(json.dumps(results()))
    Path("takt.perfetto-trace").write_bytes(b"\x0a\x03abc")
    for words, line in (
        ("a.takttrace is a trace, but r.json is not; build a page of each", "a.takttrace r.json"),
        ("a.takttrace is a trace, but r.json is not; build a page of each", "r.json a.takttrace"),
        ("no.takttrace: cannot be read: No such file", "a.takttrace no.takttrace"),
        ("no.takttrace: cannot be read: No such file", "no.takttrace"),
        ("takt.perfetto-trace is a trace for ui.perfetto.dev", None),
        ("--output names the trace that takt reads", "a.takttrace -o ./a.takttrace"),
    ):
        said = takt("report", *(line or "takt.perfetto-trace").split())
        assert (said.code, said.out) == (2, ""), line
        assert said.err.startswith(f"takt: {words}"), said.err
    assert not list(tmp_path.glob("*.html"))
