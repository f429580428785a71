#!/usr/bin/env python3
"""Check how the sources are laid out, and that no code reads sentences back.

- A folder holds at most 40 source files: a reader finds a file by its name and its folder.
- No code of a package matches on the text of a fault. Sentences are made when they are printed;
  code looks at the fault's values (its kind, its refusal). So sources use no <regex>, and do not
  search in a string of `to_string` or `sentences` or in the `text` of a fault. Tests may compare
  whole sentences.

Anything else is reported with file and line, and the exit code is 1.

    check_structure.py [REPOSITORY]
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

MOST_FILES = 40
CPP = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".ipp"})
SOURCES = CPP | {".py", ".sh"}
# Test data and what tools write do not count; neither do environments and builds.
SKIPPED = frozenset({"build", "takt_results", "__pycache__", ".git", ".hypothesis", ".venv"})

SEARCH = r"(?:find\w*|rfind|starts_with|ends_with|contains|compare|substr)\("
INDEX = r"(?:\[[^]]*\]|\.(?:front|back|at)\([^()]*\))"
ARGUMENTS = r"[^()]*(?:\([^()]*\)[^()]*)*"
MATCHES = (
    re.compile(r"#\s*include\s*<regex>"),
    # sentences(x)[0].find(..., to_string(fault).starts_with(...
    re.compile(rf"\b(?:sentences\([^()]*\){INDEX}|(?<!std::)to_string\({ARGUMENTS}\))\.{SEARCH}"),
    # fault.text.find(..., faults().front().text.find(...
    re.compile(
        rf"\b(?:\w*(?:fault|warning|refusal)\w*|\w*faults(?:\(\))?{INDEX})(?:\.|->)text(?:\.{SEARCH}|\s*[=!]=)"
    ),
)


def source_files(repository: Path, suffixes: frozenset[str]) -> Iterator[Path]:
    """Yield the source files of all packages, the oracles and the tools."""
    for top in sorted(repository.iterdir()):
        if not top.is_dir() or not top.name.startswith(("takt_", "tools", "oracles")):
            continue
        for path in sorted(top.rglob("*")):
            inside = path.relative_to(repository).parts
            if path.suffix in suffixes and not SKIPPED & set(inside) and path.is_file():
                yield path


def full_folders(repository: Path) -> Iterator[str]:
    """Yield a sentence for each folder with too many source files."""
    count = Counter(path.parent for path in source_files(repository, SOURCES))
    for folder, files in sorted(count.items()):
        if files > MOST_FILES:
            yield (
                f"{folder.relative_to(repository)}: {files} source files, more than "
                f"{MOST_FILES}; divide the folder by subject"
            )


def matched_sentences(repository: Path) -> Iterator[str]:
    """Yield a sentence for each line that reads a sentence back."""
    for path in source_files(repository, CPP):
        inside = path.relative_to(repository)
        if "test" in inside.parts:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if any(pattern.search(line) for pattern in MATCHES):
                yield (
                    f"{inside}:{number}: matches on the text of a fault; "
                    "look at its kind and its values instead"
                )


def main(arguments: list[str]) -> int:
    """Check a repository, this one by default."""
    repository = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    faults = [*full_folders(repository), *matched_sentences(repository)]
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    print("structure: folders are small, and no code reads sentences")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
