#!/usr/bin/env python3
"""Make the ROS 2 wheels of this Python's environment usable from C++. May be repeated.

Run it with the environment's own interpreter:  <prefix>/bin/python3 repair.py

The wheels are made for Python alone. For C++ four things are wrong with them:
- CMake files name directories of the machine that built the wheels, and libraries nobody needs;
- rcl's libraries need the Python halves of message packages, whose Python symbols nobody defines in
  a C++ program;
- libraries find each other only inside an unpacked wheel (Python gets round that with a start-up
  hook that runs the interpreter a second time; with the paths set right it is not needed);
- in Kilted's, a process that leaves while Fast DDS tells it of another one may never end.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

PREFIX = Path(sys.prefix)
LIB = PREFIX / "lib"
SITE = Path(sysconfig.get_path("purelib"))
PATCHELF = PREFIX / "bin" / "patchelf"
PY_HALF = "__rosidl_generator_py"
RCL = ("librcl.so", "librcl_action.so", "librcl_lifecycle.so")

# DomainParticipant::set_listener waits for running callbacks until a deadline on the steady clock,
# by default the last moment there is. The wheels' compiler converts that to the system clock, which
# overflows: each wait fails at once with the mutex held, for ever, and the callback, which needs it
# to end, never does (Fast DDS issue 6513). Where the code asks whether the process has threads, as
# one with Fast DDS has, it now takes bit 62 off the deadline instead: that is in 146 years.
ENDLESS_WAIT = re.compile(
    rb"(\x48\x69\xed\x00\xca\x9a\x3b"  # imul $1000000000, %rbp, %rbp (a timeout's seconds)
    rb"\x48\x01\xc5)"  # add %rax, %rbp (now); %rbp is the deadline
    rb"\x48\x83\x3d.{4}\x00"  # cmpq $0, __pthread_key_create
    rb"(\x4c\x8d\xa3.{4})"  # lea mutex, %r12
    rb"\x74.",  # je past the lock
    re.DOTALL,
)
ONE_BIT_LESS = b"\x48\x0f\xba\xf5\x3e\x0f\x1f\x00"  # btr $62, %rbp; nop
NOTHING = b"\x66\x90"


def cmake_replacements() -> list[tuple[re.Pattern[str], str]]:
    """Return what to replace in the CMake files, by what."""
    python = r"/opt/python/cp\d+-cp\d+/"
    numpy = python + r"lib/python[\d.]+/site-packages/numpy/_?core/include"
    return [
        (re.compile(python + r"include/python[\d.]+"), sysconfig.get_path("include")),
        (re.compile(numpy), str(SITE / "numpy" / "_core" / "include")),
        (re.compile(r"/usr/lib64/libtinyxml2\.so;"), ""),
        # Fast DDS brings its own OpenSSL; asking for the system's needs its development package.
        (re.compile(r"^find_package\(OpenSSL REQUIRED\)$", re.MULTILINE), "# (no OpenSSL)"),
        (re.compile(r"[^;\"]*OpenSSL::SSL[^;]*;[^;]*Shlwapi>;"), ""),
        (re.compile(r"lttng-ust;dl(;-rdynamic;-ldl)?"), "dl"),
    ]


def repair_cmake() -> int:
    """Rewrite the CMake files; return how many changed."""
    replacements = cmake_replacements()
    py_half = re.compile(r";\w+::\w+" + PY_HALF + r"\b")
    changed = 0
    for path in (PREFIX / "share").rglob("*.cmake"):
        old = new = path.read_text(encoding="utf-8")
        for pattern, value in replacements:
            new = pattern.sub(lambda _, value=value: value, new)
        if re.fullmatch(r"rcl\w*Export\.cmake", path.name):
            new = py_half.sub("", new)
        if new != old:
            write_whole(path, new.encode())
            changed += 1
    return changed


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file so that an interruption leaves the old one or the new one."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    part.chmod(path.stat().st_mode)
    part.replace(path)


def patchelf(*arguments: str | Path) -> str:
    """Run the environment's own patchelf."""
    done = subprocess.run([PATCHELF, *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def repair_needed() -> int:
    """Take the Python halves off rcl's libraries; return how many entries went."""
    removed = 0
    for library in (LIB / name for name in RCL):
        entries = [n for n in patchelf("--print-needed", library).split() if PY_HALF in n]
        for entry in entries:
            patchelf("--remove-needed", entry, library)
        removed += len(entries)
    return removed


def repair_endless_wait() -> int:
    """Let Fast DDS wait for its own callbacks; return in how many files that was mended."""
    libraries = LIB.glob("libfastdds.so*") if platform.machine() == "x86_64" else []
    mended = 0
    for path in libraries:
        content = path.read_bytes()
        better, places = ENDLESS_WAIT.subn(
            lambda found: found[1] + ONE_BIT_LESS + found[2] + NOTHING, content
        )
        if places + content.count(ONE_BIT_LESS) != 1:
            # Perhaps it has no such wait. takt_rcl's leaving_test fails if it has one.
            # Set-up shows the lines that begin so.
            print(f"takt: {path} is another Fast DDS and stays as it is; see ENDLESS_WAIT")
        elif places == 1 and not path.is_symlink():
            write_whole(path, better)
            mended += 1
    return mended


def is_linked_elf(path: Path) -> bool:
    """Tell whether a file is a linked program or shared library."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(18)
    executable, shared = 2, 3
    return head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], "little") in (executable, shared)


def ros_files() -> set[Path]:
    """Return what the ROS wheels installed, wherever they put it."""
    files: set[Path] = set()
    for wheel in importlib.metadata.distributions(path=[str(SITE)]):
        if wheel.metadata["Name"].replace("_", "-").startswith("ros-"):
            files |= {Path(os.path.normpath(wheel.locate_file(f))) for f in wheel.files or []}
    return files


def set_rpaths() -> int:
    """Let libraries and programs find each other with no help from the environment."""
    bundled = sorted(SITE.glob("ros_*.libs"))
    groups: dict[str, list[Path]] = {}
    for path in sorted(filter(is_linked_elf, ros_files())):
        wanted = [path.parent] if path.parent in bundled else [LIB, *bundled]
        relative = (os.path.relpath(directory, path.parent) for directory in wanted)
        rpath = ":".join("$ORIGIN" if r == "." else f"$ORIGIN/{r}" for r in relative)
        groups.setdefault(rpath, []).append(path)
    # DT_RPATH, not DT_RUNPATH: message libraries are opened by name from librcutils, and only with
    # DT_RPATH does the loader go on to look where the program itself looks.
    for rpath, paths in groups.items():
        patchelf("--force-rpath", "--set-rpath", rpath, *paths)
    return sum(map(len, groups.values()))


def drop_start_hook() -> None:
    """Stop Python from running itself twice: the paths are right now."""
    (SITE / "ros_wheels_bootstrapper.pth").unlink(missing_ok=True)


def check() -> None:
    """Load the client library in an empty environment, which takes all of the above."""
    environment = {"HOME": os.environ.get("HOME", "/")}
    subprocess.run([sys.executable, "-c", "import rclpy"], check=True, env=environment)
    foreign = re.compile("/opt/python|/usr/lib64|lttng-ust;")
    left = [p for p in (PREFIX / "share").rglob("*.cmake") if foreign.search(p.read_text("utf-8"))]
    if left:
        raise SystemExit(f"repair.py: still names another machine: {left}")


def main() -> int:
    """Repair the environment that this interpreter belongs to."""
    if sys.prefix == sys.base_prefix:
        raise SystemExit("repair.py: run this with the interpreter of a virtual environment")
    cmake, needed, rpaths = repair_cmake(), repair_needed(), set_rpaths()
    waits = repair_endless_wait()
    drop_start_hook()
    check()
    print(
        f"repaired: {cmake} CMake files, {needed} needed entries, {rpaths} library paths, "
        f"{waits} endless waits"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
