"""A package that costs the compiler more than its budget is told, whatever machine compiled it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "compile_work.py"
BUDGETS = SCRIPT.parent / "compile_budgets.json"
NINJA = """
rule cc
  command = c++ -std=c++17 -MD -MF $out.d -c $in -o $out
  deps = gcc
  depfile = $out.d
build CMakeFiles/takt_core.dir/a.cpp.o: cc a.cpp
build CMakeFiles/some_test.dir/test/b.cpp.o: cc b.cpp
"""

pytestmark = pytest.mark.skipif(shutil.which("ninja") is None, reason="ninja is not installed")


def compiled(build: Path, source: str) -> Path:
    """Compile one source as a library's and nothing much as a test's."""
    package = build / "build/takt_core"
    package.mkdir(parents=True, exist_ok=True)
    (package / "build.ninja").write_text(NINJA)
    (package / "a.cpp").write_text(source)
    (package / "b.cpp").write_text("int two() { return 2; }\n")
    (build / ".unity").write_text("yes\n")
    subprocess.run(["ninja", "-C", package], check=True, capture_output=True)
    return build


def judged(build: Path, budgets: object) -> subprocess.CompletedProcess[str]:
    file = build.parent / "budgets.json"
    file.write_text(json.dumps(budgets))
    return subprocess.run(
        [sys.executable, SCRIPT, "--json", "--budgets", file, build], capture_output=True, text=True
    )


def seconds(build: Path, kind: str) -> float:
    return json.loads(judged(build, {}).stdout)["packages"]["takt_core"][kind]


def test_a_header_that_comes_in_and_a_template_that_is_made_often_are_told(tmp_path: Path) -> None:
    lean = compiled(tmp_path / "lean", "int one() { return 1; }\n")
    headers = compiled(tmp_path / "headers", "#include <regex>\nint one() { return 1; }\n")
    templates = compiled(
        tmp_path / "templates",
        "template <int N> struct T { static int f() { return N + T<N - 1>::f(); } };\n"
        "template <> struct T<0> { static int f() { return 0; } };\n"
        "int one() { return T<800>::f(); }\n",
    )
    assert seconds(lean, "users") < 0.1
    assert seconds(headers, "users") > 0.5
    assert seconds(templates, "users") > 3 * seconds(lean, "users")
    budgets = {"takt_core": {"users": 0, "tests": 0}}
    assert judged(lean, budgets).returncode == 0
    told = judged(headers, budgets)
    assert told.returncode == 1
    assert "takt_core: compiling for users is worth 1 s, and its budget is 0 s" in told.stderr
    assert "for tests" not in told.stderr


def test_it_is_the_same_again_and_asks_no_clock(tmp_path: Path) -> None:
    build = compiled(tmp_path / "b", "#include <vector>\n")
    first = seconds(build, "users")
    (build / "build/takt_core/CMakeFiles/takt_core.dir/a.cpp.o").touch()
    assert seconds(build, "users") == first


def test_a_new_package_needs_a_budget(tmp_path: Path) -> None:
    told = judged(compiled(tmp_path / "b", "\n"), {})
    assert told.returncode == 1
    assert "takt_core has no budget" in told.stderr


def test_a_package_that_was_built_with_rclcpp_is_not_judged(tmp_path: Path) -> None:
    build = compiled(tmp_path / "b", "#include <regex>\n")
    cache = build / "build/takt_core/CMakeCache.txt"
    budgets = {"takt_core": {"users": 0, "tests": 0}}
    cache.write_text("A:BOOL=ON\nrclcpp_DIR:PATH=rclcpp_DIR-NOTFOUND\n")
    assert judged(build, budgets).returncode == 1
    cache.write_text("A:BOOL=ON\nrclcpp_DIR:PATH=/opt/ros/jazzy/share/rclcpp/cmake\n")
    told = judged(build, budgets)
    assert told.returncode == 0
    assert told.stderr == "takt_core was built with rclcpp, and its budget is without\n"


def test_what_was_not_built_or_otherwise_is_told(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    assert judged(tmp_path / "nothing", {}).returncode == 2
    build = compiled(tmp_path / "b", "\n")
    (build / ".unity").write_text("no\n")
    told = judged(build, {})
    assert told.returncode == 2
    assert "UNITY=yes make test" in told.stderr


def test_each_package_that_is_compiled_has_a_budget() -> None:
    root = SCRIPT.parents[2]
    packages = {path.parent.name for path in root.glob("takt_*/CMakeLists.txt")}
    assert set(json.loads(BUDGETS.read_text())) == packages
