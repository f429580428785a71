"""The include check accepts the table's includes, and names file and line of all others."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "check_includes.py"
spec = importlib.util.spec_from_file_location("check_includes", SCRIPT)
check_includes = importlib.util.module_from_spec(spec)
sys.modules["check_includes"] = check_includes
spec.loader.exec_module(check_includes)


def write(root: Path, path: str, text: str) -> None:
    """Write one file of a repository."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def faults(root: Path) -> list[str]:
    """Return the faults, with paths relative to the repository."""
    return [str(f).replace(f"{root}/", "") for f in check_includes.check(root)]


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("takt_core/src/a.cpp", "<vector>"),
        ("takt_core/src/a.cpp", "<linux/futex.h>"),
        ("takt_core/src/a.cpp", "<sys/syscall.h>"),
        ("takt_core/src/a.cpp", '"takt_core/a.hpp"'),
        ("takt_core/src/a.cpp", '"takt_core/detail/a.hpp"'),
        ("takt_core/src/a.cpp", '"takt_rt/a.hpp"'),
        ("takt_schedule/src/a.cpp", '"takt_rt/a.hpp"'),
        ("takt_core/test/a.cpp", "<gtest/gtest.h>"),
        ("takt_core/bench/a.cpp", "<benchmark/benchmark.h>"),
        ("takt_schedule/src/reader/a.cpp", "<yaml-cpp/yaml.h>"),
        ("takt_schedule/src/a.cpp", '"takt_core/a.hpp"'),
        ("takt_rcl/include/takt_rcl/a.hpp", '"rcl/rcl.h"'),
        ("takt_rcl/include/takt_rcl/a.hpp", '"rosidl_runtime_cpp/traits.hpp"'),
        ("takt_rcl/test/a.cpp", '"std_msgs/msg/header.hpp"'),
        ("takt_rcl/src/a.cpp", '"takt_watch/a.hpp"'),
        ("takt_rcl/src/a.cpp", '"takt_host/a.hpp"'),
        ("takt_bench/src/a.cpp", '"anything/at/all.hpp"'),
    ],
)
def test_listed_includes_pass(tmp_path, path, header):
    write(tmp_path, path, f"#include {header}\n")
    assert faults(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("takt_rt/src/a.cpp", '"takt_core/a.hpp"'),
        ("takt_rt/src/a.cpp", "<yaml-cpp/yaml.h>"),
        ("takt_core/src/a.cpp", '"takt_schedule/a.hpp"'),
        ("takt_core/src/a.cpp", '"rcl/rcl.h"'),
        ("takt_core/src/a.cpp", "<yaml-cpp/yaml.h>"),
        ("takt_schedule/src/schedule/a.cpp", "<yaml-cpp/yaml.h>"),
        ("takt_workload/src/reader/a.cpp", "<yaml-cpp/yaml.h>"),
        ("takt_bench/src/a.cpp", "<yaml-cpp/yaml.h>"),
        ("takt_core/src/a.cpp", "<fmt/format.h>"),
        ("takt_core/src/a.cpp", "<gtest/gtest.h>"),
        ("takt_core/test/a.cpp", '"rcl/rcl.h"'),
        ("takt_schedule/src/a.cpp", '"takt_control/a.hpp"'),
        ("takt_configurator/src/a.cpp", '"rcl/rcl.h"'),
        ("takt_plan/src/a.cpp", '"takt_rcl/a.hpp"'),
        ("takt_rcl/src/a.cpp", '"rclcpp/rclcpp.hpp"'),
        ("takt_rcl/src/a.cpp", '"std_msgs/msg/header.hpp"'),
        ("takt_watch/src/a.cpp", '"takt_rcl/a.hpp"'),
        ("takt_host/src/a.cpp", '"takt_rcl/a.hpp"'),
        ("takt_core/src/a.cpp", '"takt_host/a.hpp"'),
        ("takt_bench/src/a.cpp", '"takt_core/detail/a.hpp"'),
    ],
)
def test_unlisted_includes_fail_with_file_and_line(tmp_path, path, header):
    write(tmp_path, path, f"// first line\n  #  include {header}\n")
    package = path.split("/")[0]
    assert faults(tmp_path) == [f"{path}:2: {package} may not include {header[1:-1]}"]


def test_own_private_headers_pass_and_missing_ones_fail(tmp_path):
    write(tmp_path, "takt_core/src/detail/a.hpp", "")
    write(tmp_path, "takt_core/src/a.cpp", '#include "detail/a.hpp"\n')
    write(tmp_path, "takt_core/test/a.cpp", '#include "../src/detail/a.hpp"\n')
    assert faults(tmp_path) == []
    write(tmp_path, "takt_core/src/b.cpp", '#include "detail/b.hpp"\n')
    assert faults(tmp_path) == ["takt_core/src/b.cpp:1: takt_core may not include detail/b.hpp"]


def test_a_path_out_of_the_package_fails(tmp_path):
    write(tmp_path, "takt_plan/src/a.hpp", "")
    write(tmp_path, "takt_core/src/a.cpp", '#include "../../takt_plan/src/a.hpp"\n')
    assert len(faults(tmp_path)) == 1


def test_cmake_dependencies_follow_the_same_table(tmp_path):
    text = "find_package(takt_core REQUIRED)\n# find_package(takt_rcl)\nfind_package(takt_rcl)\n"
    write(tmp_path, "takt_schedule/CMakeLists.txt", text)
    assert faults(tmp_path) == [
        "takt_schedule/CMakeLists.txt:3: takt_schedule may not depend on takt_rcl"
    ]


def test_a_path_in_cmake_into_a_package_above_fails(tmp_path):
    text = 'set(a "../oracles/a")\nset(b "../takt_schedule/a")\nset(c "../takt_bench/a")\n'
    write(tmp_path, "takt_plan/CMakeLists.txt", text)
    assert faults(tmp_path) == [
        "takt_plan/CMakeLists.txt:3: takt_plan may not depend on takt_bench"
    ]


def test_a_package_without_a_row_fails(tmp_path):
    write(tmp_path, "takt_new/src/a.cpp", "")
    write(tmp_path, "takt_results/run/results.json", "")
    assert faults(tmp_path) == ["takt_new:0: takt_new has no row in the table"]


def test_the_command_says_so_with_its_exit_code(tmp_path, capsys):
    write(tmp_path, "takt_core/src/a.cpp", '#include "rcl/rcl.h"\n')
    assert check_includes.main([str(tmp_path)]) == 1
    assert "takt_core may not include rcl/rcl.h" in capsys.readouterr().err
    write(tmp_path, "takt_core/src/a.cpp", "#include <atomic>\n")
    assert check_includes.main([str(tmp_path)]) == 0


def test_public_headers_that_only_their_package_needs_are_faults(tmp_path):
    write(tmp_path, "takt_core/include/takt_core/used.hpp", '#include "takt_core/below.hpp"\n')
    write(tmp_path, "takt_core/include/takt_core/below.hpp", "")
    write(tmp_path, "takt_core/include/takt_core/own.hpp", '#include "takt_core/below_own.hpp"\n')
    write(tmp_path, "takt_core/include/takt_core/below_own.hpp", "")
    write(tmp_path, "takt_core/src/a.cpp", '#include "takt_core/own.hpp"\n')
    write(tmp_path, "takt_schedule/test/a_test.cpp", '#include "takt_core/used.hpp"\n')
    write(tmp_path, "takt_rclcpp/include/takt_rclcpp/executor.hpp", "")
    lonely = [f.path.name for f in check_includes.lonely_headers(tmp_path)]
    assert lonely == ["below_own.hpp", "own.hpp"]
