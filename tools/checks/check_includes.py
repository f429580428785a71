#!/usr/bin/env python3
"""Check that each package uses only what its row of the design's table lists.

Read are the `#include` lines of all C and C++ files of every `takt_*` package, and the
`find_package(takt_...)` lines and paths into other packages of its CMakeLists.txt. Anything that is
not listed in PACKAGES below is reported with file and line, and the exit code is 1.
An include of the folder `detail` of another package is reported, too, and so is a public header
that only its own package needs: it belongs to that package's `src`.

    check_includes.py [REPOSITORY]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# -- The table -------------------------------------------------------------------------------------

STANDARD = frozenset(
    # C++20
    "algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv "
    "chrono cinttypes climits clocale cmath codecvt compare complex concepts condition_variable "
    "coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar "
    "cwctype deque exception execution filesystem forward_list fstream functional future "
    "initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map "
    "memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio "
    "regex scoped_allocator semaphore set shared_mutex source_location span sstream stack "
    "stdexcept stop_token streambuf string string_view strstream syncstream system_error thread "
    "tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant "
    "vector version cxxabi.h "
    # C and POSIX
    "aio.h alloca.h assert.h byteswap.h ctype.h dirent.h dlfcn.h elf.h endian.h errno.h error.h "
    "execinfo.h fcntl.h features.h fenv.h float.h fnmatch.h ftw.h getopt.h glob.h grp.h ifaddrs.h "
    "inttypes.h libgen.h limits.h link.h locale.h malloc.h math.h mqueue.h netdb.h poll.h "
    "pthread.h pwd.h regex.h sched.h semaphore.h setjmp.h signal.h spawn.h stdarg.h stdatomic.h "
    "stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h syscall.h sysexits.h syslog.h "
    "termios.h time.h ucontext.h unistd.h utime.h wchar.h wctype.h wordexp.h "
    # compilers
    "cpuid.h emmintrin.h immintrin.h x86intrin.h xmmintrin.h".split()
)
# Folders of Linux's and the C library's headers and of the sanitizers' interfaces.
SYSTEM = ("arpa/", "asm/", "bits/", "linux/", "net/", "netinet/", "sanitizer/", "sys/")
# Any package's tests and benchmarks may use these.
TEST_TOOLS = ("gtest/", "gmock/", "benchmark/", "nlohmann/")  # nlohmann: golden files
TEST_FOLDERS = frozenset({"test", "tests", "bench", "benchmark", "benchmarks"})

MESSAGES = ("builtin_interfaces/", "diagnostic_msgs/", "geometry_msgs/", "rcl_interfaces/")
MESSAGES += ("rosgraph_msgs/", "sensor_msgs/", "std_msgs/")
ROSIDL = ("rosidl_",)
RCL = ("rcl/", "rmw/", "rcutils/", "rcpputils/", "tracetools/", "lttng/")
RCL += (
    "ament_index_cpp/",
    "builtin_interfaces/",
    "rosgraph_msgs/",
    "rcl_interfaces/",
    "rcl_yaml_param_parser/",
    "type_description_interfaces/",
    *ROSIDL,
)
RCLCPP = ("rclcpp/", "rclcpp_action/", "rclcpp_components/", "rclcpp_lifecycle/", "class_loader/")
RCLCPP += ("rcl_action/", "rcl_lifecycle/", *RCL)
# Formatting, command lines and data of programs: not scheduling, so taken from libraries.
PROGRAM = ("fmt/", "CLI/", "nlohmann/")
# Files of people are read in one place, with its bounds and its sentences.
YAML = "yaml-cpp/"
READER = ("takt_schedule", "reader")  # the package and its folder


@dataclass(frozen=True)
class Row:
    """What one package may use: other takt packages, and headers by how they begin."""

    takt: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()  # headers for tests, on top
    test_takt: tuple[str, ...] = ()  # takt packages for tests, on top
    anything: bool = False  # any takt package and any header


RT = ("takt_rt",)
CORE = (*RT, "takt_core")
SCHEDULE = (*CORE, "takt_schedule")
CONTROL = (*SCHEDULE, "takt_control")
# What every executor of a front end is observed by.
TRACE = (*CONTROL, "takt_trace", "takt_watch")
HOST = (*TRACE, "takt_host")

PACKAGES: dict[str, Row] = {
    # guard/gtest.hpp is for the tests of users.
    "takt_rt": Row(headers=("gtest/",)),
    "takt_channel": Row(takt=RT),
    "takt_core": Row(takt=RT),
    "takt_schedule": Row(takt=CORE, headers=PROGRAM),
    "takt_control": Row(takt=SCHEDULE, headers=PROGRAM),
    "takt_configurator": Row(takt=CONTROL, headers=PROGRAM),
    "takt_trace": Row(
        takt=CONTROL,
        headers=(*PROGRAM, "tracetools/", "rcl/", "rmw/", "rcutils/"),
        tests=(*RCL, *MESSAGES),
    ),
    "takt_watch": Row(takt=CONTROL, headers=PROGRAM),
    # What the suite of sources asks of any middleware.
    "takt_host": Row(takt=TRACE, tests=("rmw/",)),
    "takt_plan": Row(takt=SCHEDULE, headers=PROGRAM),
    "takt_msgs": Row(),
    # Its tests also ask the middleware itself, where it can be asked.
    "takt_rcl": Row(
        takt=(*HOST, "takt_channel"),
        headers=(*RCL, *PROGRAM),
        test_takt=("takt_host_test_support",),
        tests=(*MESSAGES, "fastdds/", "source/"),
    ),
    "takt_rclcpp": Row(
        takt=HOST,
        headers=(*RCLCPP, *PROGRAM),
        # The conformance suites, and the other front end to compare with.
        test_takt=("takt_core_test_support", "takt_host_test_support", "takt_rcl"),
        tests=(
            *MESSAGES,
            "composition_interfaces/",
            "lifecycle_msgs/",
            "model/",  # reports, as takt_trace reads them
            "source/",
            "support/",
        ),  # tests load components
    ),
    "takt_workload": Row(
        takt=(*HOST, "takt_rcl", "takt_msgs"),
        headers=(*RCL, *PROGRAM, "std_msgs/"),  # graphs may carry Int32
        tests=MESSAGES,
    ),
    "takt_bench": Row(anything=True),
    "takt_cli": Row(),
}

# Public headers for programs of users: no package here needs them.
FOR_USERS = frozenset(
    "takt_control/takt_thread.h takt_host/cyclic_program.hpp takt_plan/simulation_observer.hpp "
    "takt_rcl/loop/loop_bridge.hpp takt_rclcpp/executor.hpp "
    "takt_rt/application/application.hpp takt_rt/application/cycle_clock.hpp "
    "takt_rt/application/cyclic_thread.hpp takt_rt/application/simulated_clock.hpp "
    "takt_rt/atomic_value.hpp takt_rt/box.hpp takt_rt/condition_variable.hpp takt_rt/exchange.hpp "
    "takt_rt/log/logger.hpp takt_rt/log/log_line.hpp takt_rt/log/log_record.hpp "
    "takt_rt/mpsc_ring.hpp takt_rt/native_waiting.hpp takt_rt/robust_mutex.hpp "
    "takt_rt/guard/gtest.hpp takt_rt/semaphore.hpp takt_rt/spsc_ring.hpp "
    "takt_rt/memory/block_pool.hpp takt_rt/memory/inplace_function.hpp "
    "takt_rt/memory/tlsf_heap.hpp takt_rt/memory/tlsf_resource.hpp".split()
)
# They move to src with the next change of takt_plan/src/analysis/jobs, which includes them.
TO_MOVE = frozenset({"takt_plan/end_to_end.hpp", "takt_plan/hyperperiod.hpp"})

# -- The check -------------------------------------------------------------------------------------

SOURCE_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".ipp"})
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
FIND_PACKAGE = re.compile(r"find_package\s*\(\s*(takt_\w+)", re.IGNORECASE)
# A path into another package's folder.
BESIDE = re.compile(r"\.\./(takt_\w+)/")


@dataclass(frozen=True)
class Fault:
    """One thing that the table does not list."""

    path: Path
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


@dataclass
class Package:
    """A package's folder and its row."""

    folder: Path
    row: Row
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.folder.name

    def faults(self) -> Iterator[Fault]:
        """Yield everything that the row does not list."""
        for path in sorted(self.folder.rglob("*")):
            if path.suffix in SOURCE_SUFFIXES and path.is_file():
                yield from self._source_faults(path)
            elif path.name == "CMakeLists.txt" or path.suffix == ".cmake":
                yield from self._cmake_faults(path)

    def _source_faults(self, path: Path) -> Iterator[Fault]:
        for number, line in numbered(path):
            match = INCLUDE.match(line)
            if match and not self._may_include(match[2], path, quoted=match[1] == '"'):
                yield Fault(path, number, f"{self.name} may not include {match[2]}")

    def _cmake_faults(self, path: Path) -> Iterator[Fault]:
        if self.row.anything:
            return
        # CMake has no test folders: what tests may use may be looked for.
        allowed = {self.name, *self.row.takt, *self.row.test_takt}
        for number, line in numbered(path):
            code = line.split("#", 1)[0]
            for found in FIND_PACKAGE.findall(code) + BESIDE.findall(code):
                if found not in allowed:
                    yield Fault(path, number, f"{self.name} may not depend on {found}")

    def _may_include(self, header: str, path: Path, *, quoted: bool) -> bool:
        folders = set(path.relative_to(self.folder).parts[:-1])
        if header.startswith(YAML):
            return self.name == READER[0] and READER[1] in folders
        first, *rest = header.split("/")
        if first.startswith("takt_") and first != self.name and "detail" in rest[:-1]:
            return False  # a package's own business
        if self.row.anything:
            return True
        in_tests = bool(TEST_FOLDERS & folders)
        if first.startswith("takt_") and rest:
            allowed = (self.name, *self.row.takt, *(self.row.test_takt if in_tests else ()))
            if first in allowed:
                return True
            # A private folder of the package may be named like one; a package may not.
            return quoted and first not in PACKAGES and self._is_own(header, path)
        if header in STANDARD or header.startswith(SYSTEM):
            return True
        if header.startswith(self.row.headers):
            return True
        if in_tests and header.startswith((*TEST_TOOLS, *self.row.tests)):
            return True
        return quoted and self._is_own(header, path)

    def _is_own(self, header: str, path: Path) -> bool:
        """Tell whether a quoted include is a file of this package."""
        beside = (path.parent / header).resolve()
        if beside.is_file() and beside.is_relative_to(self.folder.resolve()):
            return True
        if ".." in Path(header).parts:
            return False
        return any((self.folder / root / header).is_file() for root in ("", "src", "test", "bench"))


def numbered(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers."""
    return enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)


def lonely_headers(repository: Path) -> list[Fault]:
    """Return a fault for each public header that no other package needs."""
    public: dict[str, Path] = {}
    included: dict[Path, set[str]] = {}
    for folder in packages(repository):
        for path in folder.rglob("*"):
            if path.suffix not in SOURCE_SUFFIXES or not path.is_file():
                continue
            lines = (INCLUDE.match(line) for _, line in numbered(path))
            included[path] = {match[2] for match in lines if match}
            below = path.relative_to(folder).parts
            if below[0] == "include":
                public["/".join(below[1:])] = path
    needed = {*FOR_USERS, *TO_MOVE}
    for path, headers in included.items():
        home = path.relative_to(repository).parts[0]
        needed |= {
            h for h in headers if h in public and not public[h].is_relative_to(repository / home)
        }
    waiting = list(needed)
    while waiting:
        more = included.get(public.get(waiting.pop(), Path()), set()) - needed
        needed |= more
        waiting += more
    return [
        Fault(path, 1, "no other package needs this header: move it to src")
        for header, path in sorted(public.items())
        if header not in needed
    ]


# The folder of `./takt`'s results.
RESULTS = "takt_results"


def packages(repository: Path) -> list[Path]:
    """Return the folders of all packages in a repository."""
    folders = sorted(repository.glob("takt_*"))
    return [folder for folder in folders if folder.is_dir() and folder.name != RESULTS]


def check(repository: Path) -> list[Fault]:
    """Return the faults of all packages in a repository."""
    faults: list[Fault] = []
    for folder in packages(repository):
        row = PACKAGES.get(folder.name)
        if row is None:
            faults.append(Fault(folder, 0, f"{folder.name} has no row in the table"))
        else:
            faults += Package(folder, row).faults()
    return faults


def main(arguments: list[str]) -> int:
    """Check a repository, this one by default."""
    here = Path(__file__).resolve().parents[2]
    repository = Path(arguments[0]) if arguments else here
    faults = check(repository) + lonely_headers(repository)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"includes: {len(faults)} not in the table", file=sys.stderr)
        return 1
    print("includes: all in the table")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
