#!/usr/bin/env python3
"""Write the lock files from the `.in` files: every version pinned, every usable wheel hashed.

Run it by hand when a version shall change (it needs `uv` on the PATH):  tools/setup/lock.py
One lock file serves all versions of Python in tools/setup/pythons on x86-64 Linux, so it holds the
hashes of all wheels that such a host may choose, and of the source archive where there is no wheel.

- one for each distribution in takt_rclcpp/distributions that has a `.in` file: ROS 2 and the
  Python tools, for hosts without ROS 2
- system.txt: the Python tools alone, on top of a ROS 2 that is sourced. What that ROS 2 was
  compiled against or generates code with stays the system's own there (FROM_THE_SYSTEM).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib  # type: ignore[no-redef]

LOCK_DIR = Path(__file__).resolve().parent / "lock"
DISTRIBUTIONS = LOCK_DIR.parents[2] / "takt_rclcpp/distributions"
FROM_THE_SYSTEM = {"system": {"catkin-pkg", "empy", "numpy"}}
PYTHONS = re.findall(r"^[0-9.]+$", (LOCK_DIR.parent / "pythons").read_text(), re.MULTILINE)
HEADER = "# Written by tools/setup/lock.py from {sources}; do not edit.\n"


def resolve(sources: list[str]) -> list[dict]:
    """Return the resolved packages, one version of each for all supported Pythons."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "pylock.toml"
        command = ["uv", "pip", "compile", "--quiet", "--universal", "--fork-strategy", "fewest"]
        command += ["--python-version", PYTHONS[0], "--format", "pylock.toml"]
        subprocess.run([*command, "--output-file", out, *sources], cwd=LOCK_DIR, check=True)
        return tomllib.loads(out.read_text())["packages"]


def usable(wheel_name: str) -> bool:
    """Tell whether a supported host could install this wheel."""
    python, abi, platform = wheel_name.removesuffix(".whl").split("-")[-3:]
    cpythons = {"cp" + version.replace(".", "") for version in PYTHONS}
    tags = set(python.split("."))
    runs = bool(tags & cpythons) or "py3" in tags or (abi == "abi3" and python.startswith("cp3"))
    linux = platform == "any" or ("manylinux" in platform and "x86_64" in platform)
    return runs and linux and not abi.endswith("t")


def hashes(package: dict) -> list[str]:
    """Return the hashes of the files that a host may choose."""
    wheels = [w for w in package.get("wheels", []) if usable(w["url"].rsplit("/", 1)[-1])]
    files = wheels or [package["sdist"]]
    return sorted({f["hashes"]["sha256"] for f in files})


def locks() -> dict[str, list[str]]:
    """Return the lock files, each with the files that it is made of."""
    names = re.findall("^[a-z]+", DISTRIBUTIONS.read_text(), re.MULTILINE)
    ours = [name for name in names if (LOCK_DIR / f"{name}.in").exists()]
    return {**{name: [f"{name}.in", "python.in"] for name in ours}, "system": ["python.in"]}


def lock_text(name: str, sources: list[str]) -> str:
    """Return the text of one lock file."""
    lines = [HEADER.format(sources=" and ".join(sources))]
    for package in sorted(resolve(sources), key=lambda p: p["name"]):
        marker = package.get("marker", "")
        if "win32" in marker or package["name"] in FROM_THE_SYSTEM.get(name, set()):
            continue
        pin = f"{package['name']}=={package['version']}" + (f" ; {marker}" if marker else "")
        lines.append(" \\\n    ".join([pin] + [f"--hash=sha256:{h}" for h in hashes(package)]))
    return "\n".join(lines).replace("\n\n", "\n") + "\n"


def main() -> int:
    """Write all lock files."""
    for name, sources in locks().items():
        text = lock_text(name, sources)
        if re.search(r"https?://", text):
            raise SystemExit("a lock file must not name a host")
        (LOCK_DIR / f"{name}.txt").write_text(text)
        print(f"{name}.txt: {text.count('==')} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
