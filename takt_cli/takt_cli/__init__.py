"""The `takt` command: a friendly front to takt's C++ programs."""
