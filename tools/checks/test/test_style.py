"""Formatting fixes all that it can fix, at once."""

import os
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]


def style(tree: Path, mode: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a copied tree in the environment that this one has."""
    return subprocess.run(
        [tree / "tools/checks/style.sh", mode],
        env={**os.environ, "TERM": "dumb"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_one_time_is_enough(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "tools/setup", tmp_path / "tools/setup")
    for name in ("tools/checks/style.sh", "takt_rclcpp/distributions", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    code = tmp_path / "takt_a/test/a.py"
    code.parent.mkdir(parents=True)
    words = ", ".join(f'"word {i}"' for i in range(12))
    code.write_text(f"import sys\nimport os\nprint(os, sys,{words})\n")
    (code.parent / "a.cpp").write_text("int  a ;\n")
    assert style(tmp_path, "check").returncode == 1
    fixed = style(tmp_path, "fix")
    assert (fixed.returncode, fixed.stderr) == (0, ""), fixed.stdout
    assert code.read_text().startswith("import os\nimport sys\n\nprint(\n    os,\n    sys,\n")
    assert (code.parent / "a.cpp").read_text() == "int a;\n"
    assert style(tmp_path, "check").returncode == 0
    # A fault that the formatter cannot fix is named.
    code.write_text('word = "' + "long" * 30 + '"\n')
    assert style(tmp_path, "fix").returncode == 1
