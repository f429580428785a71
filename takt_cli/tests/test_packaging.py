"""What an installation, and `./takt` of a clone, have to know of each verb."""

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
