"""The files that a page is made of: style, scripts, templates."""

from importlib.resources import files


def asset(name: str, package: str | None = None) -> str:
    """Read a file from the folder `assets` of `package`; by default from that of all pages."""
    folder = files(package or "takt_cli.pages").joinpath("assets")
    return folder.joinpath(name).read_text(encoding="utf-8")
