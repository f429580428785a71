"""Setting up says in one sentence why it cannot be done, and soon."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "setup"
HELP = SETUP.parents[1] / "takt_cli/takt_cli/help"
VERBS = HELP.with_name("verbs")
DISTRIBUTIONS = SETUP.parents[1] / "takt_rclcpp/distributions"


def run(script: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one of the scripts with nothing in its environment but this."""
    return subprocess.run(
        [SETUP / script],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def debian_is_there() -> None:
    """Skip where Debian packages are missing: installing them is not for a test."""
    if run("debian.sh", PATH="/usr/bin:/bin").returncode != 0 or os.geteuid() != 0:
        pytest.skip("Debian packages are missing, or may not be looked at")


def test_no_network_is_one_sentence(tmp_path: Path, debian_is_there: None) -> None:
    nowhere = "http://127.0.0.1:9"
    # A slow machine says so after TAKT_EVERY seconds.
    environment = {"https_proxy": nowhere, "http_proxy": nowhere, "TAKT_EVERY": "600"}
    done = run("setup.sh", HOME=str(tmp_path), ROS="kilted", **environment)
    assert done.returncode == 2
    begun, sentence, where = done.stderr.splitlines()
    assert begun.startswith("takt: setting up ROS 2")
    assert "no network, or the package index is not reachable" in sentence
    words = Path(where.removeprefix("takt: what the installer said is in "))
    assert "127.0.0.1" in words.read_text() or "proxy" in words.read_text().lower()


def test_debian_packages_come_before_anything_that_needs_python(tmp_path: Path) -> None:
    # Nothing is installed, and nothing can be. Without HOME the next step would say so.
    for name in ("dpkg-query", "dpkg", "apt-get", "sudo"):
        fake = tmp_path / name
        fake.write_text("#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
    done = run("setup.sh", PATH=f"{tmp_path}:/usr/bin:/bin")
    assert done.returncode == 2
    first, *_, last = done.stderr.splitlines()
    assert first.startswith("+ ")
    assert last.startswith("takt: could not install build-essential")


@pytest.mark.parametrize(
    ("asked", "sourced", "taken"),
    [
        ("", "", "kilted wheels"),
        ("jazzy", "", "jazzy wheels"),
        ("", "jazzy", "jazzy sourced"),
        ("kilted", "jazzy", "kilted wheels"),
        ("", "humble", "kilted wheels"),
        ("humble", "humble", "takt: ROS=humble is not supported; use ROS="),
    ],
)
def test_the_list_of_distributions_says_which_one_is_taken(
    asked: str, sourced: str, taken: str
) -> None:
    script = f'source {SETUP}/paths.sh 2>&1; echo "$TAKT_ROS $TAKT_ROS_FROM"'
    around = {"AMENT_PREFIX_PATH": "/opt/ros/it", "ROS_DISTRO": sourced} if sourced else {}
    done = subprocess.run(
        ["bash", "-ec", script],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "ROS": asked, **around},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.startswith(taken)


def test_each_distribution_has_the_files_that_its_line_asks_for() -> None:
    lines = [line.split() for line in DISTRIBUTIONS.read_text().splitlines() if line[0] != "#"]
    assert [name for name, _, state in lines if state == "default"] != []
    assert {state for _, _, state in lines} <= {"known", "supported", "default"}
    assert sorted(lines, key=lambda line: int(line[1])) == lines
    names = {name for name, _, _ in lines}
    symbols = DISTRIBUTIONS.parent.glob("test/shim/symbols/*.txt")
    assert {path.stem for path in symbols} == names
    assert {path.stem for path in DISTRIBUTIONS.parent.glob("src/rclcpp_api/*.cpp")} <= names
    with_wheels = {path.stem for path in SETUP.glob("lock/*.in")} - {"python"}
    assert with_wheels <= {name for name, _, state in lines if state != "known"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("set_up", [False, True])
def test_a_tree_of_another_user_is_one_sentence_at_once(built: bool, set_up: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        Path(scratch).chmod(0o755)
        tree, home = Path(scratch, "tree"), Path(scratch, "home")
        copy_launcher(tree)
        home.mkdir()
        os.chown(home, 65534, 65534)
        if built:
            (tree / "build/kilted").mkdir(parents=True)
            (tree / "build/COLCON_IGNORE").touch()
            (tree / "build/kilted/.built").write_text("/root/.cache/takt/kilted  takt_core\n")
        if set_up:  # elsewhere, so that this user has an environment, and it is not the tree's
            where = 'source "$1/paths.sh"; mkdir -p "$TAKT_PREFIX"; touch "$TAKT_PREFIX/.complete"'
            bare = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home)}
            shell = ["bash", "-ec", where, "-", str(tree / "tools/setup")]
            subprocess.run(shell, env=bare, check=True, user=65534, group=65534, extra_groups=[])
        for command in (["./takt", "host"], ["tools/setup/setup.sh"]):
            done = subprocess.run(
                command,
                cwd=tree,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home)},
                capture_output=True,
                text=True,
                timeout=60,
                user=65534,
                group=65534,
                extra_groups=[],
            )
            assert done.returncode == 2
            (sentence,) = done.stderr.splitlines()
            assert f"{tree}{'/build' if built else ''} belongs to root and cannot be" in sentence
            assert "copy the repository" in sentence
            assert set_up or not list(home.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_runs_the_build_of_a_tree_in_its_environment() -> None:
    with tempfile.TemporaryDirectory(prefix="takt-") as scratch:
        Path(scratch).chmod(0o755)
        tree, home = make_built(Path(scratch)), Path(scratch, "nobody")
        home.mkdir()
        os.chown(home, 65534, 65534)
        for command in ("status", "check"):
            done = subprocess.run(
                ["./takt", command],
                cwd=tree,
                env={"PATH": "/usr/bin:/bin", "HOME": str(home), "ROS": "jazzy"},
                capture_output=True,
                text=True,
                timeout=60,
                user=65534,
                group=65534,
                extra_groups=[],
            )
            assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
        assert not list(home.iterdir())


def a_tree(place: Path) -> Path:
    """Copy what `./takt` needs, without any package."""
    tree = place / "tree"
    copy_launcher(tree)
    return tree


def copy_launcher(tree: Path) -> None:
    """Copy `./takt` and the files that it reads."""
    shutil.copytree(SETUP, tree / "tools/setup")
    shutil.copytree(HELP, tree / "takt_cli/takt_cli/help")
    for file in VERBS.glob("*/__init__.py"):
        copy = tree / "takt_cli/takt_cli/verbs" / file.parent.name / file.name
        copy.parent.mkdir(parents=True)
        shutil.copy(file, copy)
    shutil.copy(SETUP.parents[1] / "takt", tree)
    (tree / "takt_rclcpp").mkdir()
    shutil.copy(DISTRIBUTIONS, tree / "takt_rclcpp")


def takt(tree: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `./takt` with nothing in its environment but a home."""
    return subprocess.run(
        ["./takt", *words],
        cwd=tree,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "ROS": "jazzy"},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["run", "-h"], ["--version"]])
def test_help_sets_nothing_up_and_builds_nothing(tmp_path: Path, words: list[str]) -> None:
    tree, home = a_tree(tmp_path), tmp_path / "home"
    home.mkdir()
    done = takt(tree, home, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith((HELP / "takt.txt").read_text())
    assert ("Nothing is set up" in done.stdout) == (words not in (["--help"], ["-h"]))
    assert done.stderr == ""
    assert not list(home.iterdir())
    assert not (tree / "build").exists()


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["hlep"], "--help"),
        (["stauts", "--json"], "status"),
        (["snap"], None),
        (["frobnicate" * 9], None),
        (["--verbose", "run"], None),
        (["trace", "recrod", "--duration", "5s"], "record"),
        (["import", "agnocats", "a.yaml"], "agnocast"),
    ],
)
def test_a_slip_is_answered_before_anything_is_built(
    tmp_path: Path, words: list[str], meant: str | None
) -> None:
    tree, home = a_tree(tmp_path), tmp_path / "home"
    home.mkdir()
    done = takt(tree, home, *words)
    assert (done.returncode, done.stdout) == (2, "")
    sentence = done.stderr.splitlines()[0]
    wrong = words[1] if words[0] in ("trace", "import") else words[0]
    assert f"'{wrong}'" in sentence
    assert ("did you mean" in sentence) == (meant is not None)
    assert meant is None or sentence.endswith(f"did you mean '{meant}'?")
    assert not list(home.iterdir())
    assert not (tree / "build").exists()


def test_a_python_of_another_version_is_not_taken(tmp_path: Path) -> None:
    def found(version: str) -> int:
        script = 'source "$1/paths.sh"; takt_python "$2" >/dev/null'
        return subprocess.run(
            ["bash", "-uc", script, "-", SETUP, version],
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        ).returncode

    command = ["/usr/bin/python3", "-c", 'import sys; print("%d.%d" % sys.version_info[:2])']
    here = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert (found(here), found("2.6")) == (0, 1)


def value(name: str, folder: Path) -> str:
    """Read a value of a verb by the function of `./takt`."""
    launcher = (SETUP.parents[1] / "takt").read_text()
    function = re.search(r"^takt_value\(\).*?^}$", launcher, re.MULTILINE | re.DOTALL)
    assert function
    script = f'takt_verbs=$1\n{function[0]}\ntakt_value "$2" "$3"'
    return subprocess.run(
        ["bash", "-euc", script, "-", folder.parent, name, folder.name],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_the_launcher_knows_the_commands_of_commands() -> None:
    folders = [path.parent for path in sorted(VERBS.glob("*/command.py"))]
    for folder in folders:
        app = (folder / "command.py").read_text()
        commands: list[str] = []
        if re.search("^app = ", app, re.MULTILINE):
            text = "".join(path.read_text() for path in folder.glob("*.py"))
            found = re.findall(r'^@?(?:app\.|_)command\(\s*"([a-z0-9-]+)"', text, re.MULTILINE)
            commands = sorted(found)
        assert sorted(value("COMMANDS", folder).split()) == commands, folder.name
    assert folders == [path.parent for path in sorted(VERBS.glob("*/__init__.py"))]


@pytest.mark.parametrize(("command", "today"), [("exec", "exec"), ("observe", "model")])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_of_exec_and_observe_needs_no_build(
    tmp_path: Path, command: str, today: str, flag: str
) -> None:
    tree, home = a_tree(tmp_path), tmp_path / "home"
    home.mkdir()
    done = takt(tree, home, command, flag)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: takt {today} ")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert not list(home.iterdir())


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Make a tree that counts as built."""
    return make_built(tmp_path)


def make_built(place: Path) -> Path:
    """Make a tree that counts as built, with stand-ins for the tool and for colcon."""
    tree, home = a_tree(place), place / "home"
    home.mkdir()
    where = 'source "$1/paths.sh"; echo "$TAKT_PREFIX"'
    prefix = subprocess.run(
        ["bash", "-ec", where, "-", str(tree / "tools/setup")],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "ROS": "jazzy"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    for name, words in (("python3", "echo ran"), ("colcon", "exit 0")):
        program = Path(prefix, "bin", name)
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{words}\n")
        program.chmod(0o755)
    Path(prefix, ".complete").touch()
    for package, needs in (("core", ""), ("workload", "core"), ("bench", "core"), ("cli", "core")):
        manifest = tree / f"takt_{package}/package.xml"
        (manifest.parent / "src").mkdir(parents=True)
        manifest.write_text(f"<depend>takt_{needs}</depend>\n" if needs else "")
        (manifest.parent / "src/a.cpp").touch()
    stamp = tree / "build/jazzy/.built"
    stamp.parent.mkdir(parents=True)
    stamp.write_text(f"{prefix}  takt_core\n")
    stamp.with_name(".prefix").write_text(f"{prefix} RelWithDebInfo \n")
    for file in tree.rglob("*"):
        age(file, 60 if file != stamp else 30)
    return tree


def age(file: Path, seconds: float) -> None:
    """Let a file be this old."""
    moment = time.time() - seconds
    os.utime(file, (moment, moment))


def stale(tree: Path) -> str:
    """Run the launcher of a built tree, and return the file of its warning."""
    done = takt(tree, tree.parent / "home", "host")
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert len(done.stderr.splitlines()) <= 1
    assert done.stderr == "" or "`make build`" in done.stderr
    return done.stderr.removeprefix("takt: ").partition(" is newer than the build")[0]


def test_a_build_that_is_older_than_its_sources_is_named(built: Path) -> None:
    written_by_tests = "takt_bench/.hypothesis/constants/a"
    sources = ("takt_core/test/a_test.cpp", "takt_cli/takt_cli/a.py")
    for name in (*sources, "takt_results/a.json", written_by_tests):
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).touch()
    assert stale(built) == ""
    age(built / "takt_core/src/a.cpp", 0)
    assert stale(built) == "takt_core/src/a.cpp"


def test_a_build_of_some_packages_is_none_of_those_that_need_them(built: Path) -> None:
    def build(packages: str) -> None:
        home = str(built.parent / "home")
        done = run(built / "tools/setup/build.sh", HOME=home, ROS="jazzy", PACKAGES=packages)
        assert done.returncode == 0, done.stderr

    age(built / "takt_workload/src/a.cpp", 10)
    assert stale(built) == "takt_workload/src/a.cpp"
    build("takt_workload")
    assert stale(built) == ""
    age(built / "takt_core/src/a.cpp", 0)
    build("takt_workload")
    assert stale(built) == "takt_core/src/a.cpp"  # which the benchmarks need, too
    build("takt_bench")
    assert stale(built) == ""
    age(built / "takt_core/src/a.cpp", 0)
    build("takt_core")
    assert stale(built) == "takt_core/src/a.cpp"


def test_an_installed_takt_has_the_python_of_its_build(tmp_path: Path) -> None:
    prefix, build = tmp_path / "takt/kilted-wheels-py3.11-a", tmp_path / "build/kilted"
    for name in ("bin/takt", "setup.bash"):
        (build / "install" / name).parent.mkdir(parents=True, exist_ok=True)
        (build / "install" / name).touch()
    shutil.copy(SETUP.parents[1] / "takt_cli/scripts/takt", build / "install/bin/takt")
    (prefix / "bin").mkdir(parents=True)
    python = prefix / "bin/python3"
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    (build / ".prefix").write_text(f"{prefix} RelWithDebInfo \n")
    done = subprocess.run(
        [build / "install/bin/takt", "status"],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "-m takt_cli status\n"), done.stderr


def test_something_long_says_that_it_goes_on_and_stops_by_itself() -> None:
    script = (
        f"source {SETUP}/say.sh; export TAKT_EVERY=0.2; "
        'exec {going}> >(takt_meanwhile "still busy"); sleep 1; '
        "exec {going}>&-; sleep 0.5; echo end >&2"
    )
    done = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, timeout=60)
    *ticks, last = done.stderr.splitlines()
    assert len(ticks) >= 2
    assert all(tick.startswith("takt: still busy: ") for tick in ticks)
    assert last == "end"


def test_no_home_is_one_sentence(debian_is_there: None) -> None:
    done = run("setup.sh")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "takt: neither HOME nor XDG_CACHE_HOME is set; takt needs one of them for its environment"
    ]


def test_a_command_builds_the_programs_that_it_runs_once(built: Path) -> None:
    home = built.parent / "home"
    (built / "build/jazzy/.built").unlink()
    asked = built.parent / "asked"
    colcon = next(home.glob(".cache/takt/*/bin/colcon"))
    colcon.write_text(f'#!/bin/sh\necho "$*" >>{asked}\n')
    for command, packages in (
        ("doctor", None),  # which runs no program
        ("demo", "takt_workload"),
        ("run", None),
        ("plan", "takt_plan"),
        ("simulate", None),  # whose two packages are there
        ("model -- program", "takt_rclcpp"),
        ("bench", ""),
        ("experiment", None),
    ):
        asked.unlink(missing_ok=True)
        assert takt(built, home, *command.split()).returncode == 0
        if packages is None:
            assert not asked.exists()
            continue
        words = asked.read_text()
        assert "-DBUILD_TESTING=OFF" in words
        assert ("--packages-up-to" in words) == bool(packages)
        assert packages in words
    build = built / "tools/setup/build.sh"
    asked.unlink(missing_ok=True)
    assert run(build, HOME=str(home), ROS="jazzy").returncode == 0
    assert "-DBUILD_TESTING=ON" in asked.read_text()  # the tests are still to be built
    asked.unlink()
    assert run(build, HOME=str(home), ROS="jazzy").returncode == 0
    assert not asked.exists()


def test_a_build_stays_until_that_of_another_environment_is_complete(built: Path) -> None:
    home, build = built.parent / "home", built / "build/jazzy"
    program = build / "install/lib/takt_core/program"
    program.parent.mkdir(parents=True)
    program.write_text("old\n")
    (build / ".prefix").write_text("of another lock file\n")
    broken, asked = built.parent / "broken", built.parent / "asked"
    broken.touch()
    colcon = next(home.glob(".cache/takt/*/bin/colcon"))
    colcon.write_text(f"""#!/bin/bash
cat {program} >>{asked}
[[ ! -e {broken} ]] || exit 1
while [[ $1 != --install-base ]]; do shift; done
echo "$2" >>{asked}
mkdir -p "$2/lib/takt_core" && echo new >"$2/lib/takt_core/program"
""")

    def make() -> int:
        age(built / "takt_core/src/a.cpp", 0)
        return run(built / "tools/setup/build.sh", HOME=str(home), ROS="jazzy").returncode

    assert make() == 1
    assert asked.read_text() == program.read_text() == "old\n"
    assert (build / ".prefix").read_text() == "of another lock file\n"
    broken.unlink()
    assert make() == 0
    assert program.read_text() == "new\n"
    assert make() == 0  # goes on where the new build is
    before, during, first, *again = asked.read_text().splitlines()
    assert (before, during, again) == ("old", "old", ["new", first])
    # The older build is gone, and so is that of an environment that is no longer used.
    kept = build / "kept"
    assert (build / "install").is_symlink()
    kept.mkdir()
    (kept / ".environment").touch()
    (build / ".prefix").write_text("of a third lock file\n")
    assert make() == 0
    folders = {one.name for one in build.iterdir() if one.is_dir() and not one.is_symlink()}
    assert folders == {Path(first).parent.name}


def test_a_folder_that_rosidl_cannot_build_in_is_one_sentence_at_once(tmp_path: Path) -> None:
    tree = a_tree(tmp_path)
    moved = tree.rename(tmp_path / "größe")
    for command in (["./takt", "demo"], ["tools/setup/setup.sh"]):
        done = subprocess.run(
            command,
            cwd=moved,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 2
        (sentence,) = done.stderr.splitlines()
        assert str(moved) in sentence
        assert "ASCII" in sentence
        assert "move the repository" in sentence
