"""The table of times from nothing has each step, of a clean clone with an empty home folder."""

import os
import shutil
import subprocess
from pathlib import Path

CHECKS = Path(__file__).resolve().parents[1]
TEST = """#!/bin/sh
echo "==== takt_core"
echo "takt_core               74 tests     0 failed     32 s"
echo "Python                 900 tests     0 failed    223 s"
echo "all                    974 tests     0 failed    255 s"
"""
CI = """#!/bin/sh
echo 'step 1                         99 s'
echo '==== steps'
echo 'address and undefined        1234 s'
echo 'all steps passed             2345 s'
"""


def repository(folder: Path, **files: str) -> Path:
    """Make one whose steps are the given scripts; by default they do nothing."""
    scripts = {
        "takt": "#!/bin/sh\n",
        "tools/setup/build.sh": "#!/bin/sh\n",
        "tools/setup/test.sh": TEST,
        ".ci/run": CI,
        "Makefile": "setup:\n\t@true\n",
        **files,
    }
    for name, text in scripts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    (folder / "tools/checks").mkdir()
    shutil.copy(CHECKS / "time_from_nothing.sh", folder / "tools/checks")
    shutil.copy(CHECKS.parent / "setup/say.sh", folder / "tools/setup")
    git = ["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *command], check=True)
    return folder


def times(repository: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [repository / "tools/checks/time_from_nothing.sh", *options],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def rows(run: subprocess.CompletedProcess[str]) -> dict[str, list[str]]:
    """Give the figures of each row."""
    found = {}
    for line in run.stdout.splitlines()[1:]:
        name, figures = line[:34].strip(), line[34:].split()
        found[name] = figures
    return found


def test_each_step_has_a_row(tmp_path: Path) -> None:
    run = times(repository(tmp_path / "r"))
    assert run.returncode == 0, run.stderr
    table = rows(run)
    assert list(table) == [
        "step",
        "set-up",
        "build of the demo",
        "demo",
        "= make demo",
        "build of the rest, with tests",
        "tests",
        "takt_core",
        "Python",
        "all",
        "= make demo, then make test",
        ".ci/run",
        "address and undefined",
        "all steps passed",
    ]
    assert table["Python"] == ["223"]
    assert table["address and undefined"] == ["1234"]
    assert all(figure.isdigit() for figure in table["demo"])


def test_the_processor_time_of_a_step_is_its_own(tmp_path: Path) -> None:
    # Ends after one second of processor time, however long that takes.
    busy = "#!/bin/bash\n(ulimit -t 1; while :; do :; done)\nexit 0\n"
    table = rows(times(repository(tmp_path / "r", takt=busy), "--without-ci"))
    assert 1 <= int(table["demo"][1]) <= 2
    assert table["set-up"][1] == "0"


def test_steps_see_path_and_home_only_in_a_clean_clone(tmp_path: Path) -> None:
    say = "#!/bin/sh\nenv | sort; ls -A $HOME; ls\n"
    source = repository(tmp_path / "r", takt=say)
    (source / "left_behind").touch()
    run = times(source, "--without-ci", "--keep", str(tmp_path / "f"), CCACHE_DIR="/elsewhere")
    assert run.returncode == 0, run.stderr
    said = (tmp_path / "f/log/demo").read_text().splitlines()
    home = tmp_path / "f/clone.home"
    assert f"HOME={home}" in said
    assert not any(line.startswith("CCACHE") for line in said)
    assert "left_behind" not in said
    assert "Makefile" in said


def test_a_failed_step_ends_it_and_says_so(tmp_path: Path) -> None:
    broken = "#!/bin/sh\necho it broke\nexit 3\n"
    run = times(repository(tmp_path / "r", **{"tools/setup/build.sh": broken}), str(tmp_path / "f"))
    assert run.returncode == 1
    assert "failed: build of the demo" in run.stdout
    assert "demo" not in rows(run)
    assert "it broke" in run.stderr
    assert (tmp_path / "f/log").is_dir()


def test_a_folder_with_files_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    (tmp_path / "f/mine").touch()
    run = times(repository(tmp_path / "r"), str(tmp_path / "f"))
    assert run.returncode == 2
    assert "is not empty" in run.stderr
