"""The version of takt."""

VERSION = "0.1.0"
