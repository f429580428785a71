"""Builds the page of a live demo: all in one file, drawn by its own script, without a network."""

from __future__ import annotations

from html import escape
from string import Template

from takt_cli.pages.asset import asset

_OWN = "takt_cli.verbs.demo"


def live_page(title: str, about: str, name: str) -> str:
    """Put the page together of `name`.html and `name`.js, beside what all live demos share."""
    scripts = [asset("theme.js"), asset("live.js", _OWN), asset(f"{name}.js", _OWN)]
    return Template(asset("live.html", _OWN)).substitute(
        title=escape(title),
        about=escape(about),
        style=asset("style.css") + asset("live.css", _OWN),
        body=asset(f"{name}.html", _OWN),
        script="\n".join(scripts),
    )
