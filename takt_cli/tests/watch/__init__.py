"""Tests of the takt command; a package so that pytest does not take takt_cli/ for one."""
