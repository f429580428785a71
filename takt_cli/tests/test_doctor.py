"""`takt doctor` on fake trees of files, and once on this machine."""

import dataclasses
import json
import os
import re
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.fake_machine import (
    CORES,
    bad_machine,
    counts,
    fake,
    good_machine,
    lock_line,
    plant,
)
from takt_cli.base.cores import core_list
from takt_cli.verbs.doctor.checks import CHECKS, diagnose
from takt_cli.verbs.doctor.examination import examine
from takt_cli.verbs.doctor.finding import SEVERITIES, headline
from takt_cli.verbs.doctor.interrupts import mask_of, parse_mask
from takt_cli.verbs.doctor.machine import Machine, Space, parse_core_list
from takt_cli.verbs.doctor.plan import plan_fixes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "doctor.md"
GOVERNOR = "sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor"
RUNTIME = "proc/sys/kernel/sched_rt_runtime_us"


def judged(machine, chosen=None, window_s=2.0):
    """Findings by id."""
    return {finding.id: finding for finding in diagnose(examine(machine, window_s, chosen))}


@pytest.fixture
def good(tmp_path):
    plant(tmp_path / "good", good_machine())
    return tmp_path / "good"


@pytest.fixture
def bad(tmp_path):
    plant(tmp_path / "bad", bad_machine())
    return tmp_path / "bad"


@pytest.fixture
def doctor(takt, monkeypatch):
    """Run the command on the machine of a tree."""

    def call(root, *arguments, **environ):
        machine = fake(root, **environ)
        monkeypatch.setattr("takt_cli.verbs.doctor.command.this_machine", lambda: machine)
        return takt("doctor", *arguments)

    return call


def contents(root):
    """Give what all files of a machine say."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and "state" not in path.relative_to(root).parts[:1]
    }


def test_a_machine_that_is_fit_has_no_finding(good):
    found = judged(fake(good))
    assert {name: finding.severity for name, finding in found.items()} == dict.fromkeys(found, "ok")
    assert headline(list(found.values())) == f"None of {len(CHECKS)} findings costs latency here."


def test_a_machine_that_nobody_prepared_has_all_findings(bad):
    found = judged(fake(bad))
    expected = {
        "bad": {"rights.priority", "cgroup.realtime"},
        "warn": {
            *("kernel.realtime", "kernel.preemption", "kernel.rt_throttling", "kernel.isolation"),
            *("kernel.clock", "cpu.virtual", "cpu.governor", "cpu.frequency", "cpu.boost"),
            *("cpu.smt", "cpu.idle", "irq.affinity", "rights.memlock", "memory.huge_pages"),
            *("memory.swap", "memory.numa_balancing", "services.interrupts", "services.power"),
        },
        "note": {
            *("kernel.audit", "kernel.watchdog", "kernel.skew_tick", "rights.deadline"),
            *("services.jobs", "dds.buffers"),
        },
        "unknown": set(),
    }
    for severity, names in expected.items():
        assert {name for name, f in found.items() if f.severity == severity} == names
    assert all(f.verdict.remedy for f in found.values() if f.severity in ("bad", "warn", "note"))
    said = headline(list(found.values()))
    assert said.startswith(f"2 of {len(CHECKS)} findings prevent real-time schedules here: ")
    assert "rights.priority" in said.partition("; 18 cost latency: kernel.realtime, ")[0]


def test_an_empty_machine_is_unknown_and_says_which_file_is_missing(tmp_path):
    found = judged(fake(tmp_path))
    unknown = {name: f.verdict.now for name, f in found.items() if f.severity == "unknown"}
    # Only what the environment says is known.
    assert found.keys() - unknown.keys() == {"dds.profile", "dds.publication"}
    assert "/proc/sys/kernel/osrelease does not exist" in unknown["kernel.realtime"]


def test_files_that_may_not_be_read_are_unknown_with_the_reason(good, monkeypatch):
    stat = Path.stat

    def refused(self, *args, **options):
        if not self.is_relative_to(good):
            return stat(self, *args, **options)
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "stat", refused)
    found = judged(fake(good))
    assert found["kernel.clock"].severity == "unknown"
    assert found["kernel.clock"].verdict.now.endswith(
        "cannot be read by this user; root can read it"
    )


def test_every_finding_says_how_an_unreadable_fact_becomes_readable_or_needs_no_advice(tmp_path):
    for name, finding in judged(fake(tmp_path)).items():
        assert finding.verdict.now, name
        assert finding.check.better and finding.check.why.endswith("."), name


GARBAGE = st.one_of(
    st.binary(max_size=200),
    st.sampled_from(
        [b"", b"\0", b"9" * 5000, b"-1", b"0-99999999999", b"2-1", b"\xff\xfe", b",,,", b"[]", b"0"]
    ),
    st.text("0123456789-,: abcCPU[]()#\n/\x1b²", max_size=60).map(lambda text: text.encode()),
)
OTHER_FILES = (
    *("proc/config.gz", "proc/5/maps", "proc/5/comm", "sys/fs/cgroup/cpuset.cpus.isolated"),
    *("home/fast.xml", "dev/shm/fastdds_port7411", "dev/shm/fastdds_port7411_el"),
    *("sys/devices/system/cpu/cpufreq/boost", "proc/irq/99999/smp_affinity_list"),
)
PROFILE = {"FASTDDS_DEFAULT_PROFILES_FILE": "/home/fast.xml"}
# In the place of a word of a good file.
WORDS = (
    "unlimited",
    "-1",
    "0",
    "65536",
    "4294967296",
    "99999999999999999999",
    "x",
    "",
    "0-3",
    "ff",
)
MANY = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    database=None,
)


@pytest.mark.parametrize("maker", [good_machine, bad_machine])
def test_no_content_of_any_file_ends_the_diagnosis(tmp_path, maker):
    files = dict.fromkeys(OTHER_FILES, "") | maker()
    plant(tmp_path, files)

    @MANY
    @given(st.dictionaries(st.sampled_from(sorted(files)), GARBAGE, min_size=1, max_size=5))
    def holds(damage):
        # Once before the window, and once within it.
        withstands(fake(tmp_path, lambda: plant(tmp_path, damage), **PROFILE))
        withstands(fake(tmp_path, **PROFILE))
        plant(tmp_path, {name: files[name] for name in damage})

    holds()


def test_no_word_of_any_file_ends_the_diagnosis(tmp_path):
    files = bad_machine()
    plant(tmp_path, files)
    for name in sorted(files):
        if re.search("cpu[1-9]|msr", name):
            continue  # like those of core 0
        parts = re.split(r"(\s+)", files[name])
        for index in range(0, len(parts), 2):
            for word in WORDS:
                damaged = "".join([*parts[:index], word, *parts[index + 1 :]])
                plant(tmp_path, {name: damaged})
                withstands(fake(tmp_path))
        plant(tmp_path, {name: files[name]})


def withstands(machine):
    """Ask all checks and plan all fixes; each has an answer."""
    found = judged(machine)
    plan_fixes(machine, None)
    assert len(found) == len(CHECKS)
    assert all(f.severity in SEVERITIES and f.verdict.now for f in found.values())
    json.dumps([f.as_json() for f in found.values()])


@pytest.mark.parametrize("content", [b"", b"\0\xff", b"9" * 5000, b"a\x1b[31mb"])
def test_garbage_in_every_file_at_once_is_unknown_and_moves_no_cursor(tmp_path, content):
    plant(tmp_path, dict.fromkeys([*bad_machine(), *OTHER_FILES], content))
    found = judged(fake(tmp_path))
    for name in ("kernel.rt_throttling", "cpu.governor", "irq.devices", "rights.priority"):
        assert found[name].severity == "unknown"
    assert "\x1b" not in json.dumps([f.as_json() for f in found.values()], ensure_ascii=False)


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(good):
    name = good / "proc/swaps"
    name.unlink()
    os.mkfifo(name)
    done = threading.Thread(target=lambda: judged(fake(good)), daemon=True)
    done.start()
    done.join(30)
    assert not done.is_alive()


def test_interrupts_are_counted_within_the_window_only(good):
    def meanwhile():
        rows = {"9": [50, 60, 0, 4], "LOC": [1900, 1900, 4, 203], "77": [0, 0, 6, 0]}
        plant(good, {"proc/interrupts": counts(rows)})

    found = judged(fake(good, meanwhile))
    devices, internal = found["irq.devices"], found["irq.internal"]
    assert devices.severity == "warn"
    assert devices.verdict.now == "core 2 has 3 a second (77 dev77 3)"
    assert devices.verdict.data["loud"] == [2, 3]
    assert devices.verdict.data["per_second"] == {"0": 22.5, "1": 27.0, "2": 3.0, "3": 2.0}
    assert internal.severity == "warn"
    assert internal.verdict.now == "core 3 has 100 a second (LOC 100)"
    assert found["irq.softirqs"].verdict.now == "cores 2-3 are quiet: at most 0 a second"


def test_interrupts_that_each_core_has_for_itself_are_of_no_device(good):
    text = counts({"9": [5, 6, 0, 0], "11": [9, 9, 9, 9]}).replace("dev11", "27 Level arch_timer")
    plant(good, {"proc/interrupts": text, "proc/irq/11/smp_affinity_list": "0-3\n"})
    later = text.replace("9 9 9 9", "9 9 49 9")
    found = judged(fake(good, lambda: plant(good, {"proc/interrupts": later})))
    assert found["irq.devices"].severity == "ok"
    assert found["irq.internal"].verdict.now == "core 2 has 20 a second (arch_timer 11 20)"
    assert found["irq.affinity"].severity == "ok"
    assert plan_fixes(fake(good), None)[0] == []


def test_boards_without_flags_and_firmware_have_a_device_tree(good):
    plant(good, {"proc/cpuinfo": "Model: Pi\n"})
    for name in ("product_name", "sys_vendor"):
        (good / "sys/class/dmi/id" / name).unlink()
    assert judged(fake(good))["cpu.virtual"].severity == "unknown"
    plant(good, {"proc/device-tree/compatible": b"raspberrypi,4\0brcm\0"})
    assert judged(fake(good))["cpu.virtual"].severity == "ok"
    plant(good, {"proc/device-tree/compatible": b"linux,dummy-virt\0"})
    assert judged(fake(good))["cpu.virtual"].severity == "warn"


def test_counters_that_wrap_are_no_avalanche(good):
    plant(good, {"proc/interrupts": counts({"9": [0, 0, 0, 0], "LOC": [0, 0, 2**32 - 1, 0]})})
    later = counts({"9": [0, 0, 0, 0], "LOC": [0, 0, 3, 0]})
    found = judged(fake(good, lambda: plant(good, {"proc/interrupts": later})))
    assert found["irq.internal"].verdict.now == "cores 2-3 are quiet: at most 2 a second"


def test_chosen_cores_are_judged_instead_of_the_isolated_ones(good):
    def meanwhile():
        plant(good, {"proc/interrupts": counts({"9": [7, 6, 0, 0], "LOC": [900, 900, 3, 3]})})

    found = judged(fake(good, meanwhile), chosen=(0,))
    assert found["irq.devices"].verdict.now == "core 0 has 1 a second (9 dev9 1)"
    assert found["irq.affinity"].severity == "warn"


def test_without_cores_that_are_set_apart_the_rates_are_only_told(good):
    plant(good, {"sys/devices/system/cpu/isolated": "\n"})
    found = judged(fake(good))
    for name in ("irq.devices", "irq.internal", "irq.softirqs", "irq.affinity", "kernel.isolation"):
        assert found[name].severity == "note"


def test_system_management_interrupts_are_counted(good):
    msr = b"\0" * 0x34 + (7).to_bytes(8, "little") + b"\0" * 8
    found = judged(fake(good, lambda: plant(good, {"dev/cpu/1/msr": msr})))
    assert found["cpu.smi"].severity == "warn"
    assert found["cpu.smi"].verdict.now == "7 in 2 s"
    (good / "dev/cpu/1/msr").unlink()
    assert judged(fake(good))["cpu.smi"].severity == "unknown"


@pytest.mark.parametrize(
    ("files", "name", "severity", "words"),
    [
        ({"sys/kernel/debug/sched/preempt": "none (full)"}, "kernel.preemption", "ok", "full"),
        ({"sys/kernel/debug/sched/preempt": "full"}, "kernel.preemption", "unknown", "marks no"),
        ({"proc/sys/kernel/version": "#1 SMP PREEMPT x"}, "kernel.preemption", "ok", "full"),
        ({"proc/sys/kernel/version": "#1 SMP x"}, "kernel.preemption", "warn", "none or voluntary"),
        ({"proc/sys/kernel/version": "x"}, "kernel.realtime", "unknown", "not a kernel's version"),
        ({RUNTIME: "0"}, "kernel.rt_throttling", "bad", "no time"),
        ({"etc/default/irqbalance": ""}, "services.interrupts", "ok", "leaves cores 2-3 alone"),
        ({"proc/80/comm": "multipathd\n"}, "services.realtime", "warn", "multipathd runs"),
        ({"etc/rc2.d/S01ondemand": ""}, "services.power", "warn", "ondemand"),
        (
            {"etc/systemd/system/multi-user.target.wants/ondemand.service": ""},
            "services.power",
            "warn",
            "ondemand",
        ),
        ({"sys/class/dmi/id/sys_vendor": "Acme"}, "cpu.virtual", "warn", "flag hypervisor"),
        ({RUNTIME: "1000000"}, "kernel.rt_throttling", "ok", "off"),
        ({"proc/cmdline": "idle=poll"}, "cpu.idle", "ok", "poll"),
        ({"proc/cmdline": "irqaffinity=0-2"}, "kernel.isolation", "warn", "irqaffinity=0-1"),
        ({"proc/cmdline": "rcu_nocbs=x"}, "kernel.isolation", "unknown", "not a list of cores"),
        ({"proc/cpuinfo": "Model: Pi"}, "cpu.virtual", "warn", "QEMU"),
        ({"proc/swaps": ""}, "memory.swap", "unknown", "not a table"),
        ({"proc/self/cgroup": "0::/x"}, "cgroup.realtime", "bad", "no file"),
        ({"proc/self/cgroup": "0::/"}, "cgroup.realtime", "ok", "root group"),
        ({"proc/self/cgroup": "x"}, "cgroup.version", "unknown", "names no group"),
        ({"proc/self/status": "CapEff:\t0000000000804000"}, "rights.priority", "ok", "with CAP"),
        ({"proc/self/status": "CapEff:\t0000000000804000"}, "rights.memlock", "ok", "CAP_IPC_LOCK"),
    ],
)  # fmt: skip
def test_facts_that_differ_between_machines(bad, files, name, severity, words):
    plant(bad, files)
    finding = judged(fake(bad))[name]
    assert (finding.severity, words in finding.verdict.now) == (severity, True), finding.verdict


def test_the_fair_server_counts_since_the_kernel_that_has_it(good):
    runtime = {"sys/kernel/debug/sched/fair_server/cpu0/runtime": "50000000\n"}
    plant(good, {RUNTIME: "950000\n", **runtime})
    found = judged(fake(good))
    assert found["kernel.rt_throttling"].severity == "ok"
    assert found["kernel.fair_server"].severity == "warn"
    plant(good, {"boot/config-6.12.9-rt": "CONFIG_RT_GROUP_SCHED=y\n"})
    assert judged(fake(good))["kernel.rt_throttling"].severity == "warn"


def test_a_trial_that_the_kernel_refused_decides(good):
    machine = dataclasses.replace(fake(good), realtime_allowed=lambda: False)
    assert judged(machine)["rights.priority"].severity == "bad"


SEGMENT = "dev/shm/fastdds_0123456789abcdef"


def test_segments_that_no_process_locks_or_maps_are_stale(good):
    other, port = "dev/shm/fastrtps_00000000000000ff", "dev/shm/fastdds_port7411"
    plant(
        good,
        {SEGMENT: b"x" * 2**20, f"{SEGMENT}_el": "", other: "x", f"{other}_el": "", port: "x"},
    )
    plant(good, {f"{port}_sl": "", "dev/shm/fastdds_port7411x": "", "dev/shm/else": ""})
    found = judged(fake(good))["dds.stale"]
    assert (found.severity, found.verdict.now) == ("note", "3 unused segments, 1.0 MiB")
    locks = lock_line(good / f"{other}_el") + lock_line(good / f"{port}_sl")
    plant(good, {"proc/locks": locks})
    assert judged(fake(good))["dds.stale"].verdict.data["segments"] == 1
    plant(good, {"proc/5/maps": f"7f00-7f01 rw-s 0 00:1b 9   /{SEGMENT}\n"})
    assert judged(fake(good))["dds.stale"].severity == "ok"


BELL = "dev/shm/takt_bell_0_image_0123456789abcdef"
PART = "dev/shm/takt_channel_0_0123456789abcdef_data"


def test_channels_that_no_process_locks_are_stale(good):
    other = "dev/shm/takt_bell_0_scan_00000000000000ff"
    plant(good, {BELL: b"x" * 2**19, PART: b"x" * 2**19, other: "x", "dev/shm/takt_bell_x": ""})
    plant(good, {"proc/locks": lock_line(good / other)})
    found = judged(fake(good))["channel.stale"]
    assert (found.severity, found.verdict.now) == ("note", "1 unused channels, 1.0 MiB")
    assert found.verdict.remedy.startswith("`rm -r /dev/shm/takt_*0123456789abcdef*`")
    assert found.verdict.data["channels"] == ["0123456789abcdef"]
    plant(good, {"proc/locks": lock_line(good / other) + lock_line(good / BELL)})
    assert judged(fake(good))["channel.stale"].severity == "ok"


def test_in_a_container_unlocked_segments_may_be_of_processes_that_cannot_be_seen(good):
    plant(good, {SEGMENT: "x"})
    (good / "proc/self/ns/pid").unlink()
    (good / "proc/self/ns/pid").symlink_to("pid:[4026532000]")
    found = judged(fake(good))
    assert found["dds.stale"].severity == "unknown"
    assert found["services.interrupts"].severity == "unknown"
    plant(good, {"proc/9/comm": "irqbalance\n"})
    assert judged(fake(good), chosen=(1,))["services.interrupts"].severity == "warn"


@pytest.mark.parametrize(
    ("policy", "uses_xml", "severity"),
    [
        ("DYNAMIC", "1", "warn"),
        ("PREALLOCATED_WITH_REALLOC", "1", "ok"),
        ("DYNAMIC", "0", "note"),
    ],
)
def test_the_profile_is_read(good, policy, uses_xml, severity):
    text = f"<profiles><historyMemoryPolicy>{policy}</historyMemoryPolicy></profiles>"
    plant(good, {"home/fast.xml": text})
    machine = fake(
        good,
        FASTDDS_DEFAULT_PROFILES_FILE="/home/fast.xml",
        RMW_FASTRTPS_USE_QOS_FROM_XML=uses_xml,
    )
    finding = judged(machine)["dds.profile"]
    assert finding.severity == severity
    assert policy in finding.verdict.now


def test_settings_of_fast_dds_do_not_count_for_other_middlewares(good):
    machine = fake(good, RMW_FASTRTPS_PUBLICATION_MODE="ASYNCHRONOUS")
    assert judged(machine)["dds.publication"].severity == "warn"
    machine = fake(
        good, RMW_FASTRTPS_PUBLICATION_MODE="ASYNCHRONOUS", RMW_IMPLEMENTATION="rmw_zenoh_cpp"
    )
    assert judged(machine)["dds.publication"].severity == "ok"


def test_the_usual_middleware_is_the_one_that_its_file_calls_so(good, monkeypatch, tmp_path):
    machine = fake(good, RMW_FASTRTPS_PUBLICATION_MODE="ASYNCHRONOUS")
    plant(tmp_path, {"takt_schedule/middlewares/rmw_fastrtps.json": '{"threads": []}'})
    monkeypatch.setenv("TAKT_ROOT", str(tmp_path))
    for name in ("AMENT_PREFIX_PATH", "TAKT_INSTALL"):
        monkeypatch.delenv(name, raising=False)
    assert judged(machine)["dds.publication"].severity == "ok"
    plant(
        tmp_path, {"takt_schedule/middlewares/rmw_fastrtps.json": '{"usual": true, "threads": []}'}
    )
    assert judged(machine)["dds.publication"].severity == "warn"


def test_a_small_or_a_full_shared_memory_is_found(good):
    for space in (Space(64 << 20, 64 << 20), Space(1 << 30, 1 << 20)):
        machine = dataclasses.replace(fake(good), space_of=lambda _path, space=space: space)
        assert judged(machine)["dds.shared_memory"].severity == "warn"
    assert "see dds.stale; or" in judged(machine)["dds.shared_memory"].verdict.remedy


def test_exit_codes_and_the_headline(doctor, good, bad):
    said = doctor(bad)
    assert said.code == 1
    assert said.out.startswith("2 of ")
    rows = [line.split()[:2] for line in said.out.split("\n\n")[1].splitlines()[1:]]
    assert {severity for _, severity in rows if severity in SEVERITIES} == {"bad", "warn"}
    assert "Other findings: 6 note, " in said.out
    assert (
        "Do: `echo 'USER - rtprio 98' | sudo tee -a /etc/security/limits.d/60-takt.conf`"
        in said.out
    )
    said = doctor(good)
    assert said.code == 0
    assert said.out.startswith(f"None of {len(CHECKS)} findings costs latency here.\n")
    assert "Do: " not in said.out
    said = doctor(good, "--all")
    assert said.out.count("Better: ") == len(CHECKS)
    assert "kernel.audit           ok" in said.out


def test_json_has_a_stable_form(doctor, bad):
    said = doctor(bad, "--json", "--duration", "100ms")
    document = json.loads(said.out)
    assert list(document) == ["schema", "headline", "counts", "window_s", "cores", "findings"]
    assert document["schema"] == 1
    assert document["counts"]["bad"] == 2
    assert sum(document["counts"].values()) == len(document["findings"])
    for finding in document["findings"]:
        assert list(finding) == [
            *("id", "title", "severity", "now", "better", "why", "remedy", "fixable", "data")
        ]
    fixable = {finding["id"] for finding in document["findings"] if finding["fixable"]}
    assert fixable == {"cpu.governor", "cpu.frequency", "kernel.rt_throttling", "irq.affinity"}


def test_a_file_of_the_kernel_is_written_and_read_back():
    name = "/proc/self/coredump_filter"  # of this process only
    machine = Machine()
    before = machine.read(name)
    machine.write(name, "0x33")
    assert machine.read(name) == "00000033"
    machine.write(name, f"0x{before}")
    assert machine.read(name) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fix", "--undo"], "--fix and --undo contradict each other"),
        (["--dry-run"], "--dry-run belongs to --fix or --undo"),
        (["--fix", "--duration", "1s"], "--duration belongs to the diagnosis"),
        (["--undo", "--all"], "--all belongs to the diagnosis"),
        (["--undo", "--cpus", "1"], "omit --cpus"),
        (["--duration", "soon"], "--duration: 'soon' is not a duration"),
        (["--duration", "1ms"], "--duration 1ms is too short"),
        (["--duration", "2min"], "--duration 2min is too long; take at most 1min"),
        (["--cpus", "7"], "core 7 is not usable here; usable are 0,1,2,3"),
        (["--cpus", "x"], "'x' is not a list of cores like 0,2-3"),
        (["--cpus", "0-3"], "these are all cores; leave one for everything else"),
        (["--frobnicate"], "no such option of takt doctor '--frobnicate'"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_code_2(doctor, bad, arguments, words):
    before = contents(bad)
    said = doctor(bad, *arguments)
    assert said.code == 2
    assert words in said.err
    assert contents(bad) == before


def test_a_diagnosis_and_a_dry_run_write_nothing(doctor, bad):
    before = contents(bad)
    doctor(bad, "--all")
    said = doctor(bad, "--fix", "--dry-run")
    assert said.code == 0
    assert "would write governor of core 0: powersave -> performance" in said.out
    assert contents(bad) == before
    assert not (bad / "state").exists()


def test_fixes_are_told_and_undone(doctor, bad):
    before = contents(bad)
    said = doctor(bad, "--fix")
    assert said.code == 0, said.out
    undo_file = bad / "state/takt/doctor-undo.json"
    assert str(undo_file) in said.err.replace("\n", "")
    lines = said.out.splitlines()
    # A governor and a frequency of each core, the throttling, the mask, and two interrupts.
    assert len(lines) == 2 * CORES + 4
    assert "cores of interrupt 9: 0-3 -> 0-1" in lines
    assert "cores of interrupt 11: 2 -> 0-1" in lines
    assert "mask of cores for new interrupts: f -> 3" in lines
    assert "irqbalance runs and may move interrupts back" in said.err
    found = judged(fake(bad))
    for name in ("cpu.governor", "cpu.frequency", "kernel.rt_throttling", "irq.affinity"):
        assert found[name].severity == "ok", found[name].verdict
    # Again: nothing is left to change, and the old values are still known.
    assert "nothing that --fix would change" in doctor(bad, "--fix").err
    dry = doctor(bad, "--undo", "--dry-run")
    assert "would write governor of core 3: performance -> powersave" in dry.out
    undone = doctor(bad, "--undo")
    assert undone.code == 0
    assert "runtime of real-time threads in a period (µs): -1 -> 950000" in undone.out
    assert contents(bad) == before
    assert not undo_file.exists()
    assert "There is nothing to undo" in doctor(bad, "--undo").err


def test_the_undo_file_is_complete_before_the_first_change(doctor, bad, monkeypatch):
    seen = []

    def watched(self, name, text):
        entries = json.loads((bad / "state/takt/doctor-undo.json").read_text())["actions"]
        seen.append({entry["path"]: entry["before"] for entry in entries}[name])
        self.path(name).write_text(text)

    monkeypatch.setattr(Machine, "write", watched)
    doctor(bad, "--fix")
    assert seen == ["powersave"] * CORES + ["800000"] * CORES + ["950000", "f", "0-3", "2"]


def test_without_an_undo_file_nothing_is_changed(doctor, bad):
    (bad / "state").write_text("in the way")
    before = contents(bad)
    said = doctor(bad, "--fix")
    assert said.code != 0
    assert "doctor-undo.json" in said.err.replace("\n", "")
    assert contents(bad) == before
    said = doctor(bad, "--fix", XDG_STATE_HOME="", HOME="")
    assert said.code == 1
    assert "neither XDG_STATE_HOME nor HOME" in said.err
    assert contents(bad) == before


def refusing(monkeypatch, pattern, error):
    """Let writes of some files fail."""
    write = Machine.write

    def refused(self, name, text):
        if re.search(pattern, name):
            raise OSError(error, os.strerror(error), name)
        write(self, name, text)

    monkeypatch.setattr(Machine, "write", refused)


def test_missing_rights_are_told_for_each_action_and_are_not_to_be_undone(doctor, bad, monkeypatch):
    refusing(monkeypatch, "scaling_governor", 13)
    said = doctor(bad, "--fix")
    assert said.code == 1
    refused = [line for line in said.out.splitlines() if line.startswith("NOT DONE: ")]
    assert len(refused) == CORES
    assert "run the command as root" in refused[0]
    entries = json.loads((bad / "state/takt/doctor-undo.json").read_text())["actions"]
    assert {entry["finding"] for entry in entries} == {
        *("cpu.frequency", "kernel.rt_throttling", "irq.affinity")
    }


def test_root_is_not_told_to_be_root_for_an_interrupt_that_the_kernel_manages(
    doctor, bad, monkeypatch
):
    refusing(monkeypatch, "irq/9/", 1)
    for user, words in ((0, "the kernel does not move this interrupt"), (1000, "as root")):
        monkeypatch.setattr("takt_cli.verbs.doctor.fix.os.geteuid", lambda user=user: user)
        said = doctor(bad, "--fix").out.replace("\n", " ")
        (refused,) = re.findall("NOT DONE: cores of interrupt 9: (.*?)(?:DONE|NOT|Undo|$)", said)
        assert words in refused


def test_an_undo_that_is_refused_can_be_repeated(doctor, bad, monkeypatch):
    before = contents(bad)
    doctor(bad, "--fix")
    with monkeypatch.context() as patch:
        refusing(patch, "irq/9/", 5)
        said = doctor(bad, "--undo")
    assert said.code == 1
    assert "NOT DONE: cores of interrupt 9: 0-1 -> 0-3 (the kernel does not move this" in said.out
    assert "The values that were not restored are still in" in said.err
    said = doctor(bad, "--undo")
    assert (said.code, said.out) == (0, "cores of interrupt 9: 0-1 -> 0-3\n")
    assert contents(bad) == before


def test_an_interrupted_fix_can_be_undone(doctor, bad, monkeypatch):
    before = contents(bad)
    write = Machine.write

    def interrupted(self, name, text):
        if name.endswith("sched_rt_runtime_us"):
            raise KeyboardInterrupt
        write(self, name, text)

    with monkeypatch.context() as patch:
        patch.setattr(Machine, "write", interrupted)
        said = doctor(bad, "--fix")
    assert said.code == 130
    assert "interrupted" in said.err
    assert contents(bad) != before
    said = doctor(bad, "--undo")
    assert said.code == 0
    assert "cores of interrupt 9: 0-1 -> 0-3 (it was so already)" in said.out
    assert contents(bad) == before


def test_a_value_that_the_kernel_does_not_keep_is_not_done(doctor, bad, monkeypatch):
    write = Machine.write
    monkeypatch.setattr(
        Machine,
        "write",
        lambda self, name, text: write(self, name, "1900000" if "min_freq" in name else text),
    )
    said = doctor(bad, "--fix")
    assert said.code == 1
    assert (
        "NOT DONE: least frequency of core 0 (kHz): 800000 -> 2000000 (the kernel kept" in said.out
    )
    monkeypatch.undo()
    # The kernel has changed it, so that there is something to restore.
    assert "least frequency of core 0" in (bad / "state/takt/doctor-undo.json").read_text()


def test_a_later_change_is_told_when_it_is_undone(doctor, bad):
    doctor(bad, "--fix")
    plant(bad, {RUNTIME: "500000\n", GOVERNOR.format(1): "powersave\n"})
    said = doctor(bad, "--undo")
    assert said.code == 0
    assert "-1 -> 950000 (it had been changed to 500000 since the fix)" in said.out
    assert "governor of core 1: performance -> powersave (it was so already)" in said.out


def test_a_second_fix_keeps_the_first_values(doctor, bad):
    before = contents(bad)
    doctor(bad, "--fix")
    plant(bad, {RUNTIME: "500000\n"})
    doctor(bad, "--fix", "--cpus", "1-3")
    assert (bad / "proc/irq/9/smp_affinity_list").read_text() == "0\n"
    assert doctor(bad, "--undo").code == 0
    assert contents(bad) == before


def test_fixes_of_an_earlier_start_are_forgotten(doctor, bad):
    doctor(bad, "--fix")
    plant(bad, {**bad_machine(), "proc/sys/kernel/random/boot_id": "second\n"})
    before = contents(bad)
    said = doctor(bad, "--undo")
    assert said.code == 0
    assert "The machine was started anew since the fixes" in said.err
    assert contents(bad) == before
    assert not (bad / "state/takt/doctor-undo.json").exists()


def undo_text(version=1, **changed):
    """Spell an undo file with one action."""
    action = {"finding": "x", "what": "x", "path": f"/{RUNTIME}", "before": "5", "after": "-1"}
    data = {"version": version, "boot_id": "first", "actions": [{**action, **changed}]}
    return json.dumps(data)


def test_an_undo_file_that_takt_wrote_is_taken(doctor, bad):
    plant(bad, {"state/takt/doctor-undo.json": undo_text()})
    assert doctor(bad, "--undo").code == 0
    assert (bad / RUNTIME).read_text() == "5\n"


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", "[" * 100_000, '{"version": 1, "boot_id": "first", "actions": [3]}'),
        undo_text(version=2),
        undo_text(path="/etc/passwd"),
        undo_text(path="/proc/irq/../../etc/passwd"),
        undo_text(path=f"/{RUNTIME}\n"),
        undo_text(before="5\n6"),
        undo_text(before=5),
        undo_text(more="1"),
    ],
)
def test_a_foreign_undo_file_is_refused_and_kept(doctor, bad, text):
    plant(bad, {"state/takt/doctor-undo.json": text})
    before = contents(bad)
    for arguments in (["--undo"], ["--fix"]):
        said = doctor(bad, *arguments)
        assert said.code == 1
        assert "cannot be used: it is not a file that takt wrote" in said.err.replace("\n", " ")
        assert contents(bad) == before
        assert (bad / "state/takt/doctor-undo.json").read_text() == text


def test_a_finding_without_a_fix_says_why(doctor, bad):
    plant(bad, {"sys/devices/system/cpu/isolated": "\n"})
    (bad / GOVERNOR.format(3)).unlink()
    said = doctor(bad, "--fix", "--json")
    assert said.code == 0
    document = json.loads(said.out)
    skipped = {one["finding"]: one["why"] for one in document["skipped"]}
    assert "no core is isolated; name the cores" in skipped["irq.affinity"]
    assert "cpu3/cpufreq/scaling_governor does not exist" in skipped["cpu.governor"]
    # All cores of a finding or none.
    assert not [one for one in document["actions"] if one["finding"] == "cpu.governor"]
    assert (bad / GOVERNOR.format(0)).read_text() == "powersave\n"


@given(st.sets(st.integers(0, 300)))
@settings(deadline=None, derandomize=True, database=None)
def test_lists_and_masks_of_cores_are_read_as_they_are_written(cores):
    ordered = tuple(sorted(cores))
    assert parse_core_list(core_list(ordered), "x") == ordered
    assert parse_mask(mask_of(ordered)) == ordered


def test_this_machine_is_judged_and_not_touched(takt, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    said = takt("doctor", "--json", "--duration", "100ms")
    assert said.code in (0, 1), said.err
    document = json.loads(said.out)
    assert [finding["id"] for finding in document["findings"]] == [check.id for check in CHECKS]
    assert all(finding["now"] for finding in document["findings"])
    assert said.code == (1 if document["counts"]["bad"] else 0)
    dry = takt("doctor", "--fix", "--dry-run")
    assert dry.code in (0, 1)
    assert not list(tmp_path.iterdir())


def test_ids_are_unique_and_the_page_explains_each():
    names = [check.id for check in CHECKS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+\.[a-z_]+", name) for name in names)
    if PAGE.is_file():
        text = PAGE.read_text(encoding="utf-8")
        assert [name for name in names if f"`{name}`" not in text] == []
