"""The check of the house names new circles among rooms and components, and entries that are old."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "house.py"
spec = importlib.util.spec_from_file_location("house", SCRIPT)
house = importlib.util.module_from_spec(spec)
sys.modules["house"] = house
sys.path.insert(0, str(SCRIPT.parent))  # where the checks beside it are
spec.loader.exec_module(house)


def write(root: Path, path: str, *includes: str) -> None:
    """Write one C++ file of a repository."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f'#include "{name}"\n' for name in includes))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Give a package of two rooms, one of which uses the other."""
    write(tmp_path, "takt_a/include/takt_a/front.hpp")
    write(tmp_path, "takt_a/src/high/h.cpp", "high/h.hpp", "low/l.hpp", "takt_a/front.hpp")
    write(tmp_path, "takt_a/src/high/h.hpp")
    write(tmp_path, "takt_a/src/low/l.hpp", "takt_a/front.hpp", "vector")
    (tmp_path / "tools/checks").mkdir(parents=True)
    return tmp_path


def test_arrows_one_way_are_fine(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert house.main([str(repository), "--print"]) == 0
    out = capsys.readouterr().out
    assert "-> include 1, low 1" in out
    assert "circle of" not in out


def test_an_arrow_back_is_a_new_circle_until_the_list_has_it(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository, "takt_a/src/low/l.cpp", "low/l.hpp", "high/h.hpp")
    assert house.main([str(repository)]) == 1
    err = capsys.readouterr().err
    assert "takt_a: low -> high closes a circle of rooms" in err
    # A file and its header are one component: h.cpp uses l.hpp, and l.cpp uses h.hpp.
    assert "takt_a: low/l -> high/h closes a circle of components" in err
    assert house.main([str(repository), "--write"]) == 0
    known = json.loads((repository / "tools/checks/house.json").read_text())
    assert known["takt_a"]["rooms"] == ["high -> low", "low -> high"]
    assert house.main([str(repository)]) == 0


def test_an_entry_for_nothing_is_named(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "tools/checks/house.json").write_text(
        '{"takt_a": {"rooms": ["low -> high"], "components": []}}'
    )
    assert house.main([str(repository)]) == 1
    assert "low -> high is in no circle of rooms any longer" in capsys.readouterr().err


def test_tests_and_other_packages_do_not_count(repository: Path) -> None:
    write(repository, "takt_a/test/low/t.cpp", "high/h.hpp")
    write(repository, "takt_b/src/b.cpp", "takt_a/front.hpp")
    assert house.main([str(repository)]) == 0
    packages = {one.name: one for one in house.houses(repository)}
    assert packages["takt_b"].others == {"takt_a": 1}
    assert "takt_a/test/low/t.cpp" not in packages["takt_a"].lines


def test_imports_of_python_count_wherever_they_stand(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def module(path: str, text: str) -> None:
        file = repository / "takt_p" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    module("takt_p/__init__.py", "")
    module("takt_p/x/__init__.py", "")
    module("takt_p/x/one.py", "from ..y.two import f\n")
    module("takt_p/y/__init__.py", "")
    module("takt_p/y/two.py", "def f():\n    from takt_p.x import one\n    return one\n")
    assert house.main([str(repository)]) == 1
    err = capsys.readouterr().err
    assert "takt_p: x -> y closes a circle of rooms" in err
    assert "takt_p: takt_p.y.two -> takt_p.x.one closes a circle of components" in err


def test_the_house_has_no_new_circle(capsys: pytest.CaptureFixture[str]) -> None:
    assert house.main([]) == 0, capsys.readouterr().err
