"""The one error that users see: a clear sentence, a hint and an exit code, never a traceback."""

from __future__ import annotations

# Wrong input, or a machine that cannot do this now. All of takt's tools use this code.
EXIT_USAGE = 2
EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


class TaktError(Exception):
    """A fault that the user can understand and fix."""

    def __init__(
        self, message: str, *, hint: str = "", code: int = EXIT_USAGE, quoted: bool = False
    ) -> None:
        """Make an error; `quoted`: the message is a tool's own, with places that can be parsed."""
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
        self.quoted = quoted
