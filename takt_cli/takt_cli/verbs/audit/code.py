"""The writable variables that the code of a callback refers to, by the disassembler objdump.

The walk begins where the callback's code begins and follows direct calls and jumps within one
program or library, also through its table of addresses. Calls through other pointers, of virtual
functions and into other libraries are not followed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from takt_cli.verbs.audit.elf import Elf, Symbol

READS, WRITES, ADDRESS, ATOMIC = "reads", "writes", "takes the address of", "changes atomically"
_MOST_FUNCTIONS = 5000
_INSTRUCTION = re.compile(r"^ +([0-9a-f]+):\t(\S+)(?: +(.*))?$")
_REFERS = re.compile(r"# ([0-9a-f]+)\b")
_TARGET = re.compile(r"^([0-9a-f]+)\b")
_CONSTANT = re.compile(r"\$0x([0-9a-f]+)")
_GOES_ON = ("call", "j")
_ADDRESSES = re.compile(r"# [0-9a-f]|\$0x")
_PREFIXES = ("bnd", "notrack", "rep", "repz")
_ONLY_READ = ("cmp", "test", "ucomis", "comis", "push", "call", "jmp", "nop", "prefetch", "fld")
_BIT_TEST = re.compile(r"^bt[wlq]?$")
# Variables of the language and of libraries, which look after their own threads.
_OF_LIBRARIES = re.compile(
    r"^(std::|__gnu_cxx::|guard variable |vtable |typeinfo |VTT |construction vtable |"
    r"(rclcpp|rclcpp_\w+|rosidl_\w+|class_loader|tracetools|takt_\w+)::|"
    r"(stdout|stderr|stdin|environ|g_rcutils_\w+)(@|$)|(.*::)?__rcutils|__|_IO_|completed\.\d)"
)
# Files of these libraries, all of whose variables are left out.
_LIBRARY = re.compile(
    r"^lib(rclcpp(_action|_lifecycle|_components)?|rcl(_action|_lifecycle|_logging_\w+|_yaml_\w+)?|"
    r"rcutils|rcpputils|rmw(_\w+)?|rosidl_\w+|tracetools|takt_\w+|stdc\+\+|gcc_s|c|m|tsan|asan|ubsan)"
    r"\.so(\.|$)"
)
# A variable: its name, and where it is if another may have the same name.
Key = tuple[str, str]


def is_library(module: str) -> bool:
    """Tell whether a file is the language's or the client library's, not the user's."""
    return _LIBRARY.match(Path(module).name) is not None


@dataclass
class Uses:
    """What some code does with variables, READS and its like; `known`: takt read all of it."""

    variables: dict[Key, set[str]] = field(default_factory=dict)
    known: bool = True
    functions: int = 0
    unfollowed: int = 0  # calls through pointers

    def add(self, variable: Key, how: str) -> None:
        """Note one instruction."""
        self.variables.setdefault(variable, set()).add(how)

    def merge(self, other: Uses) -> None:
        """Join what other code does."""
        for variable, how in other.variables.items():
            self.variables.setdefault(variable, set()).update(how)
        self.known = self.known and other.known
        self.functions += other.functions
        self.unfollowed += other.unfollowed


@dataclass(frozen=True)
class _Instruction:
    name: str
    operands: str


def disassembler() -> str | None:
    """Find objdump."""
    return shutil.which("objdump")


class Code:
    """The code of one program or library."""

    def __init__(self, path: Path) -> None:
        """Disassemble it; OSError and ValueError where it cannot be read."""
        self._elf = Elf(path)
        if self._elf.is_stripped:
            raise ValueError(f"{path.name} has no symbols (strip)")
        self._starts: dict[int, list[_Instruction]] = {}
        self._names: dict[str, str] = {}
        for start, body in _functions(path):
            self._starts[start] = body

    def uses(self, entries: Iterable[int]) -> Uses:
        """Walk from the entries, at most through _MOST_FUNCTIONS functions."""
        found = Uses()
        waiting, seen = list(entries), set()
        found.known = all(entry in self._starts for entry in waiting)
        while waiting and len(seen) < _MOST_FUNCTIONS:
            start = waiting.pop()
            if start in seen or start not in self._starts:
                continue
            seen.add(start)
            for instruction in self._starts[start]:
                waiting += self._look(instruction, found)
        found.functions = len(seen)
        return found

    def variable_at(self, address: int) -> str | None:
        """Give the readable name of the variable at an address."""
        symbol = self._elf.variable(address)
        return None if symbol is None else self._readable(symbol)

    def _look(self, instruction: _Instruction, found: Uses) -> list[int]:
        """Note the variable of an instruction; give the address that it calls or jumps to."""
        name, operands = instruction.name, instruction.operands
        if name in _PREFIXES:
            name, _, operands = operands.partition(" ")
            operands = operands.lstrip()
        if name.startswith(_GOES_ON):
            if operands.startswith("*"):
                refers = _REFERS.search(operands)
                slot = int(refers.group(1), 16) if refers else -1
                if slot in self._elf.function_slots:
                    return [self._elf.function_slots[slot]]
                found.unfollowed += 1
            target = _TARGET.match(operands)
            return [int(target.group(1), 16)] if target else []
        symbol, how = self._referred(name, operands)
        if symbol is not None:
            readable = self._readable(symbol)
            if not _OF_LIBRARIES.match(readable):
                place = f"{self._elf.path}:{symbol.address:x}" if symbol.local else ""
                found.add((readable, place), how)
        return []

    def _referred(self, name: str, operands: str) -> tuple[Symbol | None, str]:
        refers = _REFERS.search(operands)
        if refers is None:
            constant = _CONSTANT.search(operands) if self._elf.is_fixed else None
            if constant is None:
                return None, ""
            return self._elf.variable(int(constant.group(1), 16)), ADDRESS
        address = int(refers.group(1), 16)
        if address in self._elf.slots:
            return self._elf.slots[address], ADDRESS
        return self._elf.variable(address), _kind(name, operands[: refers.start()].strip())

    def _readable(self, symbol: Symbol) -> str:
        if symbol.name not in self._names:
            self._names[symbol.name] = _demangled(symbol.name)
        return self._names[symbol.name]


def _kind(name: str, operands: str) -> str:
    """Say what an instruction does with its operand in memory, in the order of AT&T."""
    if name == "lock" or operands.startswith("lock") or name.startswith("xchg"):
        return ATOMIC
    if name.startswith("lea"):
        return ADDRESS
    is_target = operands.endswith("(%rip)")
    only_reads = name.startswith(_ONLY_READ) or _BIT_TEST.match(name)
    return WRITES if is_target and not only_reads else READS


def _functions(path: Path) -> Iterator[tuple[int, list[_Instruction]]]:
    """Give each function's begin and instructions."""
    command = [disassembler() or "objdump", "-d", "--no-show-raw-insn", str(path)]
    header = re.compile(r"^([0-9a-f]{8,}) <.*>:$")
    start, body = None, []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if begin := header.match(line):
                if start is not None:
                    yield start, body
                start, body = int(begin.group(1), 16), []
            elif one := _INSTRUCTION.match(line.rstrip()):
                name, operands = one.group(2), one.group(3) or ""
                # Programs have millions of others.
                if name.startswith(_GOES_ON) or name in _PREFIXES or _ADDRESSES.search(operands):
                    body.append(_Instruction(name, operands))
    if start is not None:
        yield start, body


def _demangled(name: str) -> str:
    tool = shutil.which("c++filt")
    if tool is None or not name.startswith("_Z"):
        return name
    done = subprocess.run([tool, name], capture_output=True, text=True, check=False)
    return done.stdout.strip() or name
