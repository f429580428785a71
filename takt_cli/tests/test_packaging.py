"""What an installation, and the script `takt` of a clone, have to know of each verb."""

import re
from pathlib import Path

import pytest
import takt_cli

PACKAGE = Path(takt_cli.__file__).parent
SCRIPT = Path(__file__).parents[2] / "takt"


def test_each_folder_with_modules_is_a_package_that_is_installed():
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [str(one) for one in sorted(folders) if not (one / "__init__.py").exists()] == []


@pytest.mark.skipif(not SCRIPT.exists(), reason="the script belongs to a clone")
def test_the_script_of_a_clone_knows_the_programs_of_each_verb():
    listed = (PACKAGE / "help/takt.txt").read_text(encoding="utf-8")
    verbs = set(re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE))
    assert {"plan", "exec", "doctor"} <= verbs
    words = re.findall(r"^  ([a-z| ]+)\) packages=", SCRIPT.read_text("utf-8"), re.MULTILINE)
    assert verbs <= {verb for line in words for verb in line.split(" | ")}
