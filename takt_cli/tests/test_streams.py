"""Commands whose standard streams are closed, full, or in an encoding of their own."""

import errno
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.synthetic import results

LAUNCHER = Path(__file__).resolve().parents[2] / "takt"
RUN = "run three_chains --duration 1s -o r.json"


def shell(words, redirections="", **environment):
    """Run a command line by a shell, which can close what it likes."""
    command = f"{shlex.quote(sys.executable)} -m takt_cli {words} {redirections}"
    return subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        env={**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", **environment},
    )


@pytest.mark.parametrize("words", [RUN, "check autoware_takt", "--version", "nosuch"])
def test_a_closed_standard_output_is_refused_before_anything_starts(fakes, tmp_path, words):
    done = shell(words, ">&-")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("takt: standard output is closed; open it, as in `takt")
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-"])
def test_a_command_works_without_standard_error(fakes, tmp_path, closed):
    done = shell(RUN, closed)
    assert done.returncode == 0
    assert "Chains (response in ms)" in done.stdout.decode()
    # Nothing that was meant for the stream came into the file.
    assert json.loads((tmp_path / "r.json").read_text())["version"] == 1
    assert shell("run nosuch", closed).returncode == 2


def test_a_command_without_any_stream_ends_with_2(fakes, tmp_path):
    assert shell(RUN, "<&- >&- 2>&-").returncode == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", ["--version 2>&-", "check --help <&- 2>&-"])
def test_the_launcher_works_without_standard_error(words):
    done = subprocess.run(["bash", "-c", f"{LAUNCHER} {words}"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout


def test_the_launcher_refuses_a_closed_standard_output():
    done = subprocess.run(
        ["bash", "-c", f"{LAUNCHER} --version >&-"], stderr=subprocess.PIPE, text=True
    )
    assert done.returncode == 2
    assert "takt: standard output is closed" in done.stderr


def test_a_full_standard_output_is_one_sentence(fakes, tmp_path):
    for words in ("check autoware_takt", "--version"):
        done = shell(words, ">/dev/full")
        assert done.returncode == 1
        expected = "takt: standard output cannot be written: No space left on device\n"
        assert done.stderr.decode() == expected


ENCODINGS = [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "C", "LANG": "C"},
]


@pytest.mark.parametrize("environment", ENCODINGS)
def test_every_command_can_say_everything_in_every_encoding(fakes, tmp_path, environment):
    (tmp_path / "kept.json").write_text(json.dumps(results(label="grün – ×")))
    lines = [
        RUN,
        f"{RUN} --force --label grün",
        "demo --duration 2s -o d",
        "report kept.json -o page.html",
        "host",
        "graph info three_chains",
        "run nösuch",
        "--help",
    ]
    # One process for all of them: what is tested is what each writes.
    script = (
        "import os; from takt_cli.base import streams; streams.prepare()\n"
        "from takt_cli.__main__ import run\n"
        f"lines = [os.fsdecode(line.encode('utf-8')) for line in {lines!r}]\n"
        "print([run(line.split()) for line in lines])\n"
    )
    (tmp_path / "s.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "s.py"],
        capture_output=True,
        env={**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", **environment},
    )
    assert done.stdout.splitlines()[-1] == b"[0, 0, 0, 0, 0, 0, 2, 0]", done.stderr
    assert b"internal error" not in done.stderr
    if environment != ENCODINGS[1]:
        assert done.stdout.isascii()


def test_json_and_files_for_programs_are_utf8_in_every_encoding(fakes, tmp_path):
    label = "grün – ×"
    done = shell(f"{RUN} --json --label '{label}'", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8"))["graph"] == "three_chains"
    (tmp_path / "größe.yaml").write_text("")
    done = shell("plan größe.yaml --json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.decode("utf-8"))["arguments"][0] == "größe.yaml"


def test_a_name_that_is_not_utf8_is_one_sentence(fakes, tmp_path):
    done = shell(r"run $'\xff.yaml'")
    assert done.returncode == 2
    assert done.stderr.decode() == "takt: \\xff.yaml: cannot be read: No such file or directory\n"


@pytest.mark.parametrize(
    "line",
    [
        "run {long}",
        "run three_chains -o {long}",
        "run three_chains --schedule {long}",
        "check {long}",
        "check autoware_takt --against {long}",
        "plan {long}",
        "plan three_chains --plot {long}",
        "simulate {long} autoware_takt",
        "explain autoware_takt --system {long}",
        "report {long}",
        "report kept.json -o {long}",
        "demo -o {long}",
        "graph info {long}",
    ],
)
def test_a_path_that_is_too_long_ends_with_2(takt, fakes, tmp_path, line):
    (tmp_path / "kept.json").write_text(json.dumps(results()))
    said = takt(*line.format(long="x" * 300 + "/y.yaml").split())
    assert (said.code, said.out) == (2, "")
    assert "File name too long" in said.err
    assert len(said.err.splitlines()) == 1
    assert "x" * 100 in said.err


@pytest.mark.parametrize("command", ["run", "check", "plan"])
def test_a_path_in_a_forbidden_folder_ends_with_2(takt, fakes, monkeypatch, command):
    is_file = Path.is_file

    def refused(path):
        if "secret" not in path.parts:
            return is_file(path)
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refused)  # root may look into every folder
    said = takt(command, "secret/g.yaml")
    assert (said.code, said.out) == (2, "")
    assert said.err == "takt: secret/g.yaml: Permission denied\n"
