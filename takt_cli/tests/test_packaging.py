"""What an installation, and `./takt` of a clone, have to know of each verb."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import takt_cli

PACKAGE = Path(takt_cli.__file__).parent
REPOSITORY = Path(__file__).parents[2]


def test_each_folder_with_modules_is_a_package_that_is_installed():
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [str(one) for one in sorted(folders) if not (one / "__init__.py").exists()] == []


@pytest.mark.skipif(not (REPOSITORY / "takt").exists(), reason="the packages belong to a clone")
def test_each_verb_says_which_packages_have_its_programs():
    packages = {path.parent.name for path in REPOSITORY.glob("takt_*/package.xml")}
    for command in sorted((PACKAGE / "verbs").glob("*/command.py")):
        said = import_module(f"takt_cli.verbs.{command.parent.name}").PACKAGES
        assert said in ("none", "all") or set(said.split()) <= packages, command.parent.name


@pytest.mark.parametrize("package", ["rich", "typer", "yaml"])
def test_a_python_without_a_package_that_takt_needs_is_one_sentence(package):
    """A sourced workspace runs `takt` with the system's Python, which may lack some."""
    script = f"""
import runpy, sys
sys.modules[{package!r}] = None
sys.argv = ["takt", "apply", "nosuch.yaml"]
runpy.run_module("takt_cli", run_name="__main__", alter_sys=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"takt: the Python package {package} is missing for {sys.executable}; ")
    assert "./takt in takt's repository" in line
