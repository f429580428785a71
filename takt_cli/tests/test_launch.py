"""The launch action, and the launch files of docs/launch.md.

Programs that need no ROS stand in for nodes; takt's own program makes the environment that they
see. Only the last test needs rclcpp.
"""

import json
import os
import re
import stat
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from support.exec_prefix import TAKT_EXEC, install_exec, report_of
from support.private import private
from takt_cli.base.programs import find_program_or_none

pytest.importorskip("launch", reason="the package launch is not installed")
pytestmark = pytest.mark.skipif(TAKT_EXEC is None, reason="takt_rclcpp is not built")
ADOPTED = Path(
    os.environ.get("TAKT_BUILD", "/nowhere"), "build/takt_rclcpp/test/programs/adopted_program"
)
CONTROL_LOOP = find_program_or_none("control_loop", "takt_host")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "launch.md"
# As `ros2 launch` does it.
RUN = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource
service = LaunchService(argv=sys.argv[2:])
arguments = [word.split(":=") for word in sys.argv[2:]]
file = IncludeLaunchDescription(AnyLaunchDescriptionSource(sys.argv[1]), launch_arguments=arguments)
service.include_launch_description(LaunchDescription([file]))
sys.exit(service.run())
"""
# A program that says how it was started, and reports as an adopted one does.
NODE = """#!{python}
import json, os, pathlib, sys
name = pathlib.Path(sys.argv[0]).name
seen = dict(os.environ)
pathlib.Path("{seen}", name + ".json").write_text(json.dumps(seen))
if "TAKT_REPORT_DIR" in seen:
    path = pathlib.Path(seen["TAKT_REPORT_DIR"], f"{{os.getpid()}}.1.json")
    path.write_text({report!r}.replace("/executor", "/" + name))
"""
NAMES = ("SCHEDULE", "EXECUTOR", "STRICT", "CHILDREN", "QUIET", "REPORT_DIR")
SET = {"LD_PRELOAD", *(f"TAKT_{name}" for name in NAMES)}
SCHEDULE = "version: 1\nexecutors: {main: {threads: {a: {}}, default: all}}\n"


def make_executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


class Robot:
    """A package my_robot beside a takt with rclcpp, and the launches of its programs."""

    def __init__(self, folder):
        self.folder = folder
        self.prefix = folder / "install"
        self.schedule = folder / "schedule.yaml"
        self.schedule.write_text(SCHEDULE, encoding="utf-8")
        (folder / "seen").mkdir()
        for name in ("camera", "planner"):
            report = report_of("/executor")
            text = NODE.format(python=sys.executable, seen=folder / "seen", report=report)
            make_executable(self.prefix / "lib" / "my_robot" / name, text)
        marker = self.prefix / "share/ament_index/resource_index/packages/my_robot"
        marker.parent.mkdir(parents=True)
        marker.touch()
        install_exec(self.prefix)
        self.preload = self.prefix / "lib" / "libtakt_preload.so"
        command = f'#!/bin/sh\nexec {sys.executable} -m takt_cli "$@"\n'
        make_executable(self.prefix / "bin" / "takt", command)

    def start(self, file, *arguments):
        """Launch a file to its end."""
        path = os.pathsep.join((str(self.prefix / "bin"), os.environ.get("PATH", "")))
        prefixes = os.pathsep.join((str(self.prefix), os.environ.get("AMENT_PREFIX_PATH", "")))
        environment = {name: value for name, value in os.environ.items() if name not in SET}
        environment |= {
            "PATH": path, "AMENT_PREFIX_PATH": prefixes, "ROS_LOG_DIR": str(self.folder / "log"),
        }  # fmt: skip
        return subprocess.run(
            [sys.executable, "-c", RUN, str(file), *arguments],
            cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def launch(self, actions):
        """Launch Python source with these actions."""
        file = self.folder / "test.launch.py"
        file.write_text(
            "from launch import LaunchDescription\n"
            "from launch.actions import *\n"
            "from launch.conditions import IfCondition\n"
            "from launch.event_handlers import OnProcessIO\n"
            "from launch.substitutions import *\n"
            "from takt_cli.launch import Takt\n"
            "def run(name, **options):\n"
            f"    return ExecuteProcess(cmd=[f'{self.prefix}/lib/my_robot/' + name], **options)\n"
            f"def generate_launch_description():\n    return LaunchDescription([{actions}])\n",
            encoding="utf-8",
        )
        return self.start(file)

    def seen(self, name):
        """Give takt's variables that a program saw; None where it did not start."""
        file = self.folder / "seen" / f"{name}.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    def under_takt(self, name):
        """Whether a program started under takt."""
        seen = self.seen(name)
        assert ("LD_PRELOAD" in seen) == ("TAKT_REPORT_DIR" in seen)
        return seen.get("LD_PRELOAD") == str(self.preload)


@pytest.fixture
def robot(tmp_path):
    return Robot(tmp_path)


def words(done):
    return done.stdout + done.stderr


def test_a_process_sees_the_options_of_the_action(robot):
    done = robot.launch(
        "Takt(schedule='schedule.yaml', executor='main', strict=True, children=True, quiet=True),"
        "run('camera')"
    )
    assert done.returncode == 0, words(done)
    seen = robot.seen("camera")
    assert seen["TAKT_SCHEDULE"] == str(robot.schedule)
    assert seen["TAKT_EXECUTOR"] == "main"
    assert (seen["TAKT_STRICT"], seen["TAKT_CHILDREN"], seen["TAKT_QUIET"]) == ("1", "1", "1")
    assert robot.under_takt("camera")
    assert "under takt" not in words(done)


def test_without_options_takt_only_watches_and_tells_at_the_end(robot):
    done = robot.launch("run('planner'), Takt(), run('camera')")
    assert done.returncode == 0, words(done)
    assert not robot.under_takt("planner")
    assert robot.under_takt("camera")
    assert SET & set(robot.seen("camera")) == {"LD_PRELOAD", "TAKT_REPORT_DIR"}
    told = words(done)
    assert told.count("what ran under takt:\n/camera (single_threaded") == 1, told
    assert "/planner (" not in told
    assert not Path(robot.seen("camera")["TAKT_REPORT_DIR"]).exists()


def test_the_scope_is_that_of_the_group_and_a_second_action_replaces_the_first(robot):
    done = robot.launch(
        "GroupAction([Takt(schedule='schedule.yaml', executor='main', report='first.json'),"
        " GroupAction([Takt(report='second.json'), run('camera')])]), run('planner')"
    )
    assert done.returncode == 0, words(done)
    assert robot.under_takt("camera")
    assert "TAKT_SCHEDULE" not in robot.seen("camera")
    assert "TAKT_EXECUTOR" not in robot.seen("camera")
    assert not SET & set(robot.seen("planner"))
    reports = [
        [one["executor"] for one in json.loads(file.read_text(encoding="utf-8"))["executors"]]
        for file in (robot.folder / "first.json", robot.folder / "second.json")
    ]
    assert reports == [[], ["/camera"]]


def test_substitutions_and_conditions(robot):
    done = robot.launch(
        "SetLaunchConfiguration('file', 'schedule.yaml'), SetLaunchConfiguration('yes', 'true'),"
        "Takt(schedule=LaunchConfiguration('file'), executor=['ma', TextSubstitution(text='in')],"
        "     strict=LaunchConfiguration('yes'), report=[LaunchConfiguration('yes'), '.json']),"
        "Takt(executor='other', condition=IfCondition('false')),"
        "run('camera')"
    )
    assert done.returncode == 0, words(done)
    seen = robot.seen("camera")
    assert seen["TAKT_SCHEDULE"] == str(robot.schedule)
    assert (seen["TAKT_EXECUTOR"], seen["TAKT_STRICT"]) == ("main", "1")
    assert (robot.folder / "true.json").exists()


def test_a_process_that_shutdown_has_to_end_is_in_the_report(robot):
    program = robot.prefix / "lib" / "my_robot" / "camera"
    text = program.read_text(encoding="utf-8")
    # It reports when it is told to end, as an adopted program does.
    waits = (
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {2})\nprint('ready', flush=True)\n"
    )
    program.write_text(
        text.replace("import json", waits + "signal.sigwait({2})\nimport json", 1), encoding="utf-8"
    )
    done = robot.launch(
        "Takt(), run('camera', on_exit=[LogInfo(msg='camera ended')]),"
        "RegisterEventHandler(OnProcessIO(on_stdout=lambda event: Shutdown(reason='test')))"
    )
    assert done.returncode == 0, words(done)
    assert words(done).count("what ran under takt:\n/camera (single_threaded") == 1, words(done)


@pytest.mark.skipif(CONTROL_LOOP is None, reason="not built: control_loop")
def test_the_guard_watches_programs_and_its_report_has_their_callbacks(robot):
    done = robot.launch(
        "Takt(guard='all', report='guarded.json'), run('camera'),"
        f"ExecuteProcess(cmd=['{CONTROL_LOOP}', '0.3'])"
    )
    assert done.returncode == 0, words(done)
    seen = robot.seen("camera")
    assert seen["TAKT_GUARD"] == "all"
    assert "libtakt_guard.so:" in seen["LD_PRELOAD"]
    assert not Path(seen["TAKT_GUARD_DIR"]).exists()
    report = json.loads((robot.folder / "guarded.json").read_text(encoding="utf-8"))
    names = [one["id"] for process in report["guard"] for one in process["callbacks"]]
    assert names == ["/controller:timer(control)"]


def test_launch_logs_the_table_of_the_guard(robot):
    done = robot.launch("Takt(guard='rt'), run('camera')")
    assert done.returncode == 0, words(done)
    assert "guard" in words(done).partition("what ran under takt:")[2], words(done)


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("Takt(guard='some')", "takt: --guard=some: write --guard for callbacks on real-time"),
        ("Takt(guard_ignore='none.txt')", "takt: --guard-ignore needs --guard"),
        ("Takt(guard='rt', guard_ignore='none.txt')", "none.txt: cannot be read"),
        ("Takt(schedule='/nowhere.yaml')", "takt: /nowhere.yaml: cannot be read"),
        ("Takt(schedule='wrong.yaml')", "takt: wrong.yaml:3:1: "),
        ("Takt(schedule='schedule.yaml', executor='other')", "its executors are: main"),
        ("Takt(schedule='')", "takt: schedule is empty; give it a value or omit it"),
    ],
)
def test_a_fault_ends_the_launch_with_a_sentence(robot, action, sentence):
    (robot.folder / "wrong.yaml").write_text(f"{SCHEDULE}colour: red\n", encoding="utf-8")
    done = robot.launch(f"{action}, run('camera')")
    assert done.returncode == 1, words(done)
    assert sentence in words(done)
    assert "Traceback" not in words(done)
    assert robot.seen("camera") is None


def test_without_rclcpp_the_launch_ends_with_a_sentence(robot):
    (robot.prefix / "lib" / "libtakt_rclcpp.so").unlink()
    done = robot.launch("Takt(), run('camera')")
    assert done.returncode == 1
    assert "takt: this takt was built without rclcpp" in words(done)
    assert robot.seen("camera") is None


def test_a_report_that_cannot_be_written_is_an_error_of_the_log(robot):
    done = robot.launch("Takt(report='/nowhere/report.json'), run('camera')")
    assert "[ERROR] [takt]: takt: cannot write /nowhere/report.json" in words(done)


def is_registered():
    points = metadata.entry_points(group="launch.frontend.launch_extension")
    return any(point.value == "takt_cli.launch" for point in points)


def examples():
    """Give the launch files that the page shows, by name."""
    if not PAGE.is_file():
        return {}
    text = PAGE.read_text(encoding="utf-8")
    return dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL))


def test_the_page_has_an_example_of_each_kind():
    if not PAGE.is_file():
        pytest.skip("docs/ is not in this checkout")
    kinds = {
        f"{way}.launch.{kind}" for way in ("robot", "prefix") for kind in ("xml", "py", "yaml")
    }
    assert set(examples()) == kinds


@pytest.mark.skipif(not is_registered(), reason="takt_cli is not installed")
@pytest.mark.parametrize("name", sorted(examples()))
def test_an_example_of_the_page_starts_its_nodes(robot, name):
    pytest.importorskip("launch_ros", reason="the package launch_ros is not installed")
    file = robot.folder / name
    file.write_text(examples()[name], encoding="utf-8")
    done = robot.start(file)
    assert done.returncode == 0, words(done)
    assert robot.under_takt("camera")
    assert robot.seen("camera")["TAKT_SCHEDULE"] == str(robot.schedule)
    assert "/camera (single_threaded" in words(done)
    if name.startswith("robot"):
        assert robot.under_takt("planner")
        assert "/planner (single_threaded" in words(done)
        other = robot.folder / "other.yaml"
        other.write_text(SCHEDULE, encoding="utf-8")
        robot.start(file, f"schedule:={other}")
        assert robot.seen("planner")["TAKT_SCHEDULE"] == str(other)
    else:
        assert not robot.under_takt("planner")


@pytest.mark.skipif(not is_registered(), reason="takt_cli is not installed")
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("xml", "<launch><takt schedule='schedule.yaml' executor='main' strict='true' quiet='false'"
                " children='$(var on)' report='r.json' if='$(var on)'/>{run}</launch>"),
        ("yaml", "launch:\n  - takt: {{schedule: schedule.yaml, executor: main, strict: true, "
                 "children: $(var on), quiet: false, report: r.json, if: $(var on)}}\n  - {run}"),
    ],
)  # fmt: skip
def test_every_attribute_in_xml_and_yaml(robot, kind, text):
    command = robot.prefix / "lib" / "my_robot" / "camera"
    run = {"xml": f'<executable cmd="{command}"/>', "yaml": f"executable: {{cmd: {command}}}"}
    file = robot.folder / f"all.launch.{kind}"
    file.write_text(text.format(run=run[kind]), encoding="utf-8")
    done = robot.start(file, "on:=true")
    assert done.returncode == 0, words(done)
    seen = robot.seen("camera")
    assert (seen["TAKT_EXECUTOR"], seen["TAKT_STRICT"], seen["TAKT_CHILDREN"]) == ("main", "1", "1")
    assert "TAKT_QUIET" not in seen
    assert (robot.folder / "r.json").exists()


@pytest.mark.skipif(not is_registered(), reason="takt_cli is not installed")
@pytest.mark.parametrize(("attributes", "code"), [("", 0), ('colour="red"', 1)])
def test_an_unknown_attribute_is_refused(robot, attributes, code):
    file = robot.folder / "some.launch.xml"
    file.write_text(f"<launch><takt {attributes}/></launch>", encoding="utf-8")
    done = robot.start(file)
    assert done.returncode == code, words(done)
    assert ("colour" in words(done)) == (code == 1)


def test_ros2_takt_is_the_command_with_all_its_arguments():
    pytest.importorskip("ros2cli.command", reason="the package ros2cli is not installed")
    points = metadata.entry_points(group="ros2cli.command")
    if not any(point.value == "takt_cli.ros2_command:TaktCommand" for point in points):
        pytest.skip("takt_cli is not installed")

    def both(*arguments):
        """Run `ros2 takt` and `takt`; give the second's result where they are equal."""
        ros2 = ["-c", "import sys; from ros2cli.cli import main; sys.exit(main())", "takt"]
        done = [
            subprocess.run([sys.executable, *how, *arguments], capture_output=True, check=False)
            for how in (ros2, ["-m", "takt_cli"])
        ]
        results = [(one.returncode, one.stdout, one.stderr) for one in done]
        assert results[0] == results[1]
        return done[1]

    assert b"exec" in both("--help").stdout
    assert both("--version").stdout.startswith(b"takt ")
    assert b"--schedule" in both("exec", "--help").stdout
    assert both("exec", "--executor", "main", "--", "true").returncode == 2
    assert both("exec", "--use-python-default-buffering", "--", "x", "--", "-h").returncode == 2
    assert both().returncode == 2


def real_takt():
    """Whether this build adopts executors, and its program of rclcpp is built."""
    if TAKT_EXEC is None or not ADOPTED.is_file():
        return False
    places = (TAKT_EXEC.parent.parent, TAKT_EXEC.parent)
    return any((place / "libtakt_rclcpp.so").is_file() for place in places)


@pytest.mark.skipif(not real_takt(), reason="takt was built without rclcpp, or without tests")
def test_a_program_of_rclcpp_runs_under_takt(tmp_path):
    file = tmp_path / "real.launch.py"
    file.write_text(
        "from launch import LaunchDescription\n"
        "from launch.actions import ExecuteProcess\n"
        "from takt_cli.launch import Takt\n"
        "def generate_launch_description():\n"
        "    return LaunchDescription([Takt(strict=True, report='report.json'),"
        f"        ExecuteProcess(cmd=[{str(ADOPTED)!r}, 'on_the_stack'])])\n",
        encoding="utf-8",
    )
    environment = private(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(file)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, words(done)
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    ran = {one["id"] for each in report["executors"] for one in each["callbacks"] if one["runs"]}
    assert {"/a:timer(2ms)", "/a:sub(/a/count)"} <= ran, words(done)
