"""Which package of takt_cli uses which: no two modules need each other."""

import ast
from pathlib import Path

import takt_cli

ROOT = Path(takt_cli.__file__).parent
# A folder uses the folders before it and its own modules. A verb uses them too, but no other verb.
LAYERS = (
    *("base", "documents", "files", "results", "running", "tables", "control", "pages", "verbs"),
    *("verbs/*", ""),  # modules beside the folders come last
)


def imports():
    """Modules of takt_cli with those that they import, wherever in the file."""
    paths = {path.relative_to(ROOT).with_suffix("").as_posix(): path for path in ROOT.rglob("*.py")}
    found = {}
    for name, path in paths.items():
        used = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("takt_cli"):
                module = node.module.replace(".", "/").removeprefix("takt_cli").strip("/")
                each = [f"{module}/{alias.name}".strip("/") for alias in node.names]
                used |= {one if one in paths else module for one in each} & set(paths)
        found[name] = used
    return found


def test_no_two_modules_import_each_other():
    used = imports()
    assert len(used) > 40

    def reached(start):
        seen, todo = set(), list(used[start])
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += used[name]
        return seen

    assert [name for name in used if name in reached(name)] == []


def test_packages_use_only_those_before_them():
    def layer(name):
        folder = name.rpartition("/")[0]
        return LAYERS.index("verbs/*" if folder.startswith("verbs/") else folder)

    for name, used in imports().items():
        for other in used:
            assert layer(other) <= layer(name), f"{name} imports {other}"


def test_no_verb_uses_the_folder_of_another():
    verbs = [path.name for path in (ROOT / "verbs").iterdir() if (path / "command.py").is_file()]
    assert len(verbs) > 20
    for name, used in imports().items():
        if name.startswith("verbs/") and name.count("/") > 1:
            own = name.rpartition("/")[0]
            for other in used:
                assert other.count("/") < 2 or other.startswith(f"{own}/"), f"{name}: {other}"
