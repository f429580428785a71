"""The wheels' Fast DDS is mended where it is the one that needs it, and else stays as it is."""

import importlib.util
import platform
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).resolve().parents[2] / "setup/repair.py"
# What ENDLESS_WAIT finds, with some addresses.
WAIT = bytes.fromhex("4869ed00ca9a3b 4801c5 48833d 01020304 00 4c8da3 05060708 74 09")


@pytest.fixture
def repair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the script for an environment below `tmp_path`."""
    if platform.machine() != "x86_64":
        pytest.skip("the repair is of x86-64's instructions")
    spec = importlib.util.spec_from_file_location("repair", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "LIB", tmp_path)
    return module


def test_the_endless_wait_is_mended_once(repair: ModuleType, tmp_path: Path) -> None:
    library = tmp_path / "libfastdds.so.3.2"
    library.write_bytes(b"before" + WAIT + b"behind")
    library.with_name("libfastdds.so").symlink_to(library)
    assert repair.repair_endless_wait() == 1
    mended = library.read_bytes()
    assert len(mended) == len(b"before" + WAIT + b"behind")
    assert repair.ONE_BIT_LESS in mended
    assert not repair.ENDLESS_WAIT.search(mended)
    assert repair.repair_endless_wait() == 0
    assert library.read_bytes() == mended


@pytest.mark.parametrize("content", [b"another Fast DDS", b"", WAIT + WAIT])
def test_another_fast_dds_is_named_and_stays(
    repair: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    library = tmp_path / "libfastdds.so.9"
    library.write_bytes(content)
    assert repair.repair_endless_wait() == 0
    assert library.read_bytes() == content
    said = capsys.readouterr().out
    assert said.startswith(f"takt: {library} is another Fast DDS and stays as it is")
