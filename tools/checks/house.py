#!/usr/bin/env python3
"""Print the rooms of the house, the arrows between them, circles and the largest files.

A package is a house of its own: the folders of its sources are rooms, and a room that includes a
file of another room has an arrow to it. A file and its header (`a/x.cpp` and `x.hpp`) are one
component. Rooms and components of C++ and of Python count.

A circle among rooms or among components means that neither can be understood, tested or moved
without the other. House rules:

- An arrow within a circle that is not in `house.json` is a fault: a new upward arrow, or a new
  circle.
- An entry of `house.json` that stands for nothing any longer is a fault: delete it, so that the
  list only shrinks.

`check_includes.py` judges the arrows between packages; they are printed here, too.

    house.py [--print] [--write] [REPOSITORY]

Without an option the exit code is 1 if there are faults. `--print` prints all; `--write` writes
`house.json` anew.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from check_includes import SOURCE_SUFFIXES as CPP
from check_includes import TEST_FOLDERS as TESTS
from check_structure import SKIPPED

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
LARGEST = 10

Arrow = tuple[str, str]


@dataclass
class House:
    """A package: its files, components and rooms, by name."""

    name: str
    lines: dict[str, int] = field(default_factory=dict)  # of each file
    components: Counter[Arrow] = field(default_factory=Counter)
    rooms: Counter[Arrow] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)  # packages
    room_lines: Counter[str] = field(default_factory=Counter)

    def add(self, source: str, target: str, rooms: Arrow) -> None:
        """Note that a component uses another one."""
        if source != target:
            self.components[source, target] += 1
        if rooms[0] != rooms[1]:
            self.rooms[rooms] += 1


def files_of(folder: Path) -> Iterator[Path]:
    """Yield the sources of a package without its tests."""
    for path in sorted(folder.rglob("*")):
        inside = set(path.relative_to(folder).parts[:-1])
        if path.is_file() and not inside & (TESTS | SKIPPED):
            yield path


class CppFiles:
    """The C++ files of a package: what they are called in includes, their components and rooms."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = [path for path in files_of(folder) if path.suffix in CPP]
        self.by_name: dict[str, Path] = {}
        for path in self.files:
            for root in ("include", "src", ""):
                base = folder / root
                if path.is_relative_to(base):
                    self.by_name.setdefault(str(path.relative_to(base)), path)
        headers: defaultdict[str, list[Path]] = defaultdict(list)
        for path in self.files:
            if path.suffix in {".h", ".hh", ".hpp"}:
                headers[path.stem].append(path)
        self._component: dict[Path, str] = {}
        for path in self.files:
            own = path
            if path.suffix in {".c", ".cc", ".cpp"}:
                beside = [h for h in headers[path.stem] if h.parent == path.parent]
                public = [h for h in headers[path.stem] if "include" in h.parts]
                own = (beside or public or [path])[0]
            self._component[path] = self.inside(own)

    def inside(self, path: Path) -> str:
        """Name a file without its suffix and without `src` or `include/<package>`."""
        parts = list(path.relative_to(self.folder).with_suffix("").parts)
        if parts[0] == "include":
            parts = parts[2:] or parts[1:]
        elif parts[0] == "src":
            parts = parts[1:]
        return "/".join(parts)

    def component(self, path: Path) -> str:
        """Name what a file and its header are together."""
        return self._component[path]

    def room(self, path: Path) -> str:
        """Name the folder of a file: public headers in no folder are the front room."""
        parts = path.relative_to(self.folder).parts[:-1]
        if parts and parts[0] == "include":
            return "/".join(parts[2:]) or "include"
        return "/".join(parts[1:] if parts and parts[0] == "src" else parts) or "src"

    def find(self, path: Path, include: str) -> Path | None:
        """Find the file of the package that an include names."""
        beside = path.parent / include
        if beside in self._component:
            return beside
        return self.by_name.get(include)


def read_cpp(folder: Path, packages: frozenset[str]) -> House:
    """Read a package of C++."""
    files = CppFiles(folder)
    house = House(folder.name)
    for path in files.files:
        text = path.read_text(encoding="utf-8", errors="replace")
        count_lines(house, folder, path, text, files.room(path))
        for include in INCLUDE.findall(text):
            found = files.find(path, include)
            first = include.split("/", 1)[0]
            if found is not None:
                rooms = (files.room(path), files.room(found))
                house.add(files.component(path), files.component(found), rooms)
            elif first in packages and first != folder.name:
                house.others[first] += 1
    return house


def count_lines(house: House, folder: Path, path: Path, text: str, room: str) -> None:
    """Note the length of a file."""
    lines = text.count("\n")
    house.lines[str(path.relative_to(folder.parent))] = lines
    house.room_lines[room] += lines


def read_python(folder: Path) -> House:
    """Read a package of Python: imports count wherever they stand, also within functions."""
    house = House(folder.name)
    root = folder / folder.name
    modules: dict[str, Path] = {}
    for path in files_of(root):
        if path.suffix == ".py":
            parts = path.relative_to(folder).with_suffix("").parts
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    for name, path in modules.items():
        text = path.read_text(encoding="utf-8")
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        room = room_of(package, folder.name)
        count_lines(house, folder, path, text, room)
        for target in imported(ast.parse(text), package, modules):
            is_package = modules[target].stem == "__init__"
            target_room = room_of(target if is_package else target.rpartition(".")[0], folder.name)
            house.add(name, target, (room, target_room))
    return house


def room_of(package: str, top: str) -> str:
    """Name the folder of a module."""
    return package.removeprefix(top).removeprefix(".").replace(".", "/") or "front"


def imported(tree: ast.AST, package: str, modules: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of the same package that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                parts = parts[: len(parts) - node.level + 1]
                base = ".".join([*parts, *([node.module] if node.module else [])])
            for alias in node.names:
                if f"{base}.{alias.name}" in modules:
                    yield f"{base}.{alias.name}"
                elif base in modules:
                    yield base


def circles(arrows: Iterable[Arrow]) -> list[list[str]]:
    """Give the strongly connected parts of more than one (Tarjan 1972), the largest first."""
    after: defaultdict[str, set[str]] = defaultdict(set)
    for source, target in arrows:
        after[source].add(target)
        after.setdefault(target, set())
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for start in sorted(after):
        if start in number:
            continue
        work = [(start, iter(sorted(after[start])))]
        number[start] = low[start] = len(number)
        stack.append(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    work.append((other, iter(sorted(after[other]))))
                    break
                if other in stack:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    del stack[at:]
    return sorted(found, key=lambda circle: (-len(circle), circle))


def within_circles(arrows: Iterable[Arrow]) -> set[str]:
    """Name the arrows that are part of a circle."""
    arrows = list(arrows)
    circle_of = {name: i for i, circle in enumerate(circles(arrows)) for name in circle}
    return {
        f"{source} -> {target}"
        for source, target in arrows
        if source in circle_of and circle_of[source] == circle_of.get(target)
    }


def houses(repository: Path) -> list[House]:
    """Read all packages of a repository."""
    folders = [f for f in sorted(repository.glob("takt_*")) if f.is_dir() and f.name not in SKIPPED]
    packages = frozenset(folder.name for folder in folders)
    found = []
    for folder in folders:
        python = (folder / folder.name).is_dir()
        found.append(read_python(folder) if python else read_cpp(folder, packages))
    return found


def known_arrows(found: Iterable[House]) -> dict[str, dict[str, list[str]]]:
    """Give the arrows within circles, as `house.json` has them."""
    known = {}
    for house in found:
        rooms = sorted(within_circles(house.rooms))
        components = sorted(within_circles(house.components))
        if rooms or components:
            known[house.name] = {"rooms": rooms, "components": components}
    return known


def faults(found: Iterable[House], allowed: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    """Yield a sentence for each new arrow within a circle, and for each old entry."""
    now = known_arrows(found)
    for package in sorted(now.keys() | allowed.keys()):
        for kind in ("rooms", "components"):
            have = set(now.get(package, {}).get(kind, []))
            had = set(allowed.get(package, {}).get(kind, []))
            for arrow in sorted(have - had):
                yield (
                    f"{package}: {arrow} closes a circle of {kind}; move what both need below both"
                )
            for arrow in sorted(had - have):
                yield (
                    f"{package}: {arrow} is in no circle of {kind} any longer; "
                    "delete it from tools/checks/house.json"
                )


def show(found: list[House]) -> None:
    """Print everything."""
    for house in found:
        print(f"{house.name}: {len(house.lines)} files, {sum(house.lines.values()):,} lines")
        for room, lines in sorted(house.room_lines.items()):
            out = [f"{t} {n}" for (s, t), n in sorted(house.rooms.items()) if s == room]
            print(f"  {room:<28} {lines:>6,}" + (f"  -> {', '.join(out)}" if out else ""))
        if house.others:
            print("  packages: " + ", ".join(f"{p} {n}" for p, n in sorted(house.others.items())))
        for circle in circles(house.rooms):
            print("  circle of rooms: " + ", ".join(circle))
        for circle in circles(house.components):
            print("  circle of components: " + ", ".join(circle))
    sizes = Counter({name: n for house in found for name, n in house.lines.items()})
    print("largest files:")
    for name, lines in sizes.most_common(LARGEST):
        print(f"  {lines:>6} {name}")


def main(arguments: list[str]) -> int:
    """Check a repository, this one by default."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--print", dest="prints", action="store_true", help="print all")
    parser.add_argument("--write", action="store_true", help="write house.json anew")
    parser.add_argument("repository", nargs="?", type=Path)
    given = parser.parse_args(arguments)
    repository = given.repository or Path(__file__).resolve().parents[2]
    list_of_known = repository / "tools/checks/house.json"
    found = houses(repository)
    if given.prints:
        show(found)
    if given.write:
        list_of_known.write_text(json.dumps(known_arrows(found), indent=1) + "\n")
    allowed = json.loads(list_of_known.read_text()) if list_of_known.exists() else {}
    wrong = list(faults(found, allowed))
    for fault in wrong:
        print(fault, file=sys.stderr)
    if wrong:
        return 1
    print("house: no new circle")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
