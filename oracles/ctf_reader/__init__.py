"""Reads traces of the Common Trace Format 1.8, and refuses what the format does not allow.

The reader shares no code with the writer in takt_trace: it knows the format and no event of takt.
It reads the part of the format that tracers of user space write: little endian, fields on whole
bytes, one clock. Standard library only.
"""

from ctf_reader.streams import CtfError, Event, Packet, Trace, read_trace, read_traces

__all__ = ["CtfError", "Event", "Packet", "Trace", "read_trace", "read_traces"]
