"""The structure check names folders that are too full and lines that read sentences back."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "check_structure.py"
spec = importlib.util.spec_from_file_location("check_structure", SCRIPT)
check_structure = importlib.util.module_from_spec(spec)
sys.modules["check_structure"] = check_structure
spec.loader.exec_module(check_structure)


def write(root: Path, path: str, text: str) -> None:
    """Write one file of a repository."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(
    "folder", ["takt_core/src/thread", "takt_plan/test", "oracles/a", "tools/b"]
)
def test_a_folder_with_more_than_forty_sources_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], folder: str
) -> None:
    for i in range(40):
        write(tmp_path, f"{folder}/f{i}.{'cpp' if i % 2 else 'py'}", "")
    write(tmp_path, f"{folder}/data.json", "")
    write(tmp_path, f"{folder}/below/f.cpp", "")
    write(tmp_path, f"{folder}/__pycache__/f.py", "")
    assert check_structure.main([str(tmp_path)]) == 0
    write(tmp_path, f"{folder}/one_more.hpp", "")
    assert check_structure.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(f"{folder}: 41 source files")


@pytest.mark.parametrize(
    "line",
    [
        "#include <regex>",
        'if (fault.text.starts_with("no ")) {',
        'if (status.faults().front().text.find("x") != 0) {',
        'if (faults[0].text == "no executor") {',
        "const auto at = to_string(status.faults().front()).find(':');",
        "const auto at = to_string(first_fault).find(':');",
        'if (sentences(faults)[i].starts_with("a")) {',
        "return warning->text.substr(3);",
        'if (refusal.text.contains("permitted")) {',
    ],
)
def test_code_that_reads_a_sentence_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    write(tmp_path, "takt_plan/test/a_test.cpp", f"{line}\n")  # tests may
    assert check_structure.main([str(tmp_path)]) == 0
    write(tmp_path, "takt_plan/src/model/a.cpp", f"\n  {line}\n")
    assert check_structure.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("takt_plan/src/model/a.cpp:2: matches on the text")


@pytest.mark.parametrize(
    "line",
    [
        "if (fault.kind == FaultKind::refusal) {",
        "if (word.text.find('*') != std::string::npos) {",
        "const std::string digits = std::to_string(n).substr(1);",
        "std::cerr << to_string(fault);",
        "// the text of a fault is not searched",
    ],
)
def test_code_that_looks_at_values_passes(tmp_path: Path, line: str) -> None:
    write(tmp_path, "takt_plan/src/a.cpp", f"{line}\n")
    assert check_structure.main([str(tmp_path)]) == 0
