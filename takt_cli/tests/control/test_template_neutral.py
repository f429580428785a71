"""The template of running programs, applied unedited, changes nothing."""

import contextlib
import json

from support.built import WORKLOAD, need
from support.running_graph import running_graph
from takt_cli.__main__ import run


@need(*WORKLOAD)
def test_a_template_changes_nothing(tmp_path, monkeypatch, capsys):
    arguments = ["--schedule", "autoware_takt", "--duration", "2min"]
    with running_graph(tmp_path, "autoware_reference", *arguments):
        monkeypatch.setenv("TAKT_RUNTIME_DIR", str(tmp_path / "run"))
        monkeypatch.chdir(tmp_path)
        with contextlib.suppress(SystemExit):
            assert run(["template", "-o", "t.yaml"]) == 0
        capsys.readouterr()
        code = run(["apply", "t.yaml", "--json"])
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert (code, {name for name, count in counts.items() if count}) == (0, {"unchanged"})
