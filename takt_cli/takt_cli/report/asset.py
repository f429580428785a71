"""The files that a page is made of: style, scripts, templates."""

from importlib.resources import files


def asset(name: str) -> str:
    """Read one of them."""
    return files("takt_cli.report").joinpath("assets", name).read_text(encoding="utf-8")
