"""The seconds of a build come from ninja's logs, each step counted once and of one kind."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "build_times.py"
spec = importlib.util.spec_from_file_location("build_times", SCRIPT)
build_times = importlib.util.module_from_spec(spec)
sys.modules["build_times"] = build_times
spec.loader.exec_module(build_times)


def log(root: Path, package: str, *steps: tuple[int, int, str, str]) -> Path:
    """Write the log of one package: start and end in milliseconds, output, hash."""
    path = root / "build" / package / ".ninja_log"
    path.parent.mkdir(parents=True)
    lines = [f"{start}\t{end}\t0\t{output}\t{key}" for start, end, output, key in steps]
    path.write_text("\n".join(["# ninja log v5", *lines, ""]))
    return path


def read(root: Path, capsys, *options: str) -> dict:
    """Return what the program says as JSON."""
    assert build_times.main(["--json", *options, str(root)]) == 0
    return json.loads(capsys.readouterr().out)


def test_each_step_is_of_one_kind(tmp_path, capsys):
    log(
        tmp_path,
        "takt_core",
        (0, 1000, "CMakeFiles/takt_core.dir/src/a.cpp.o", "1"),
        (1000, 1500, "libtakt_core.a", "2"),
        (0, 3000, "test/CMakeFiles/core_tests.dir/a_test.cpp.o", "3"),
        (3000, 3250, "test/core_tests", "4"),
    )
    log(
        tmp_path,
        "takt_plan",
        (0, 2000, "CMakeFiles/plan_test.dir/test/a_test.cpp.o", "1"),
        (2000, 2125, "plan_test", "2"),
        (0, 4000, "CMakeFiles/takt_plan.dir/src/latest/test.cpp.o", "3"),
    )
    log(tmp_path, "takt_bench", (0, 8000, "CMakeFiles/b.dir/src/b_benchmark.cpp.o", "1"))
    data = read(tmp_path, capsys)
    assert data["packages"] == {
        "takt_core": {"users": 1.5, "experiments": 0, "tests": 3.25},
        "takt_plan": {"users": 4.0, "experiments": 0, "tests": 2.125},
        "takt_bench": {"users": 0, "experiments": 8.0, "tests": 0},
    }
    assert data["kinds"] == {"users": 5.5, "experiments": 8.0, "tests": 5.375}
    assert data["total"] == 18.875


def test_names_tell_tests_where_several_sources_are_one(tmp_path, capsys):
    log(
        tmp_path,
        "takt_plan",
        (0, 1000, "CMakeFiles/takt_plan_test_support.dir/Unity/unity_0_cxx.cxx.o", "1"),
        (0, 2000, "CMakeFiles/takt_plan_test_headers.dir/cmake_pch.hxx.gch", "2"),
        (0, 4000, "CMakeFiles/takt_plan_program_headers.dir/cmake_pch.hxx.gch", "3"),
        (0, 8000, "CMakeFiles/takt_plan.dir/Unity/unity_0_cxx.cxx.o", "4"),
    )
    assert read(tmp_path, capsys)["packages"]["takt_plan"] == {
        "users": 12.0,
        "experiments": 0,
        "tests": 3.0,
    }


def test_the_last_run_of_a_step_counts(tmp_path, capsys):
    log(tmp_path, "takt_core", (0, 9000, "a.o", "1"), (0, 500, "a.o", "1"))
    assert read(tmp_path, capsys)["total"] == 0.5


def test_a_step_with_many_outputs_counts_once(tmp_path, capsys):
    log(
        tmp_path,
        "takt_msgs",
        (0, 700, "a.hpp", "1"),
        (0, 700, "b.hpp", "1"),
        (0, 700, "c.hpp", "2"),
    )
    assert read(tmp_path, capsys)["total"] == 1.4


def test_slowest_first_and_no_more_than_asked_for(tmp_path, capsys):
    log(tmp_path, "a", (0, 100, "x.o", "1"), (0, 300, "z.o", "3"), (0, 200, "y.o", "2"))
    slowest = read(tmp_path, capsys, "--slowest", "2")["slowest"]
    assert [step["output"] for step in slowest] == ["z.o", "y.o"]


def test_the_table_names_packages_and_files(tmp_path, capsys):
    log(tmp_path, "takt_core", (0, 1500, "CMakeFiles/takt_core.dir/src/a.cpp.o", "1"))
    assert build_times.main([str(tmp_path)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1].split() == ["takt_core", "1.5", "0.0", "0.0", "1.5"]
    assert said[-1].split() == ["1.5", "takt_core", "takt_core:", "src/a.cpp"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# ninja log v4\n", "version 5 to 7"),
        ("", "version 5 to 7"),
        ("# ninja log v5\nx\n", ":2:"),
    ],
)
def test_a_log_that_is_not_known_is_refused(tmp_path, capsys, text, sentence):
    log(tmp_path, "a").write_text(text)
    assert build_times.main([str(tmp_path)]) == 2
    assert sentence in capsys.readouterr().err


def test_no_log_is_refused(tmp_path, capsys):
    assert build_times.main([str(tmp_path)]) == 2
    assert "make build" in capsys.readouterr().err
