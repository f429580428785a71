"""The `takt` command: a friendly front to takt's C++ programs."""

__version__ = "0.1.0"
