"""Serves one page on this machine only, with a stream of events and a way back for its controls.

GET  /        the page
GET  /events  server-sent events: each `data` is a line of the program; at the end the event `end`
POST /set     a JSON object of parameters
"""

from __future__ import annotations

import errno
import json
import re
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from takt_cli.base.errors import TaktError
from takt_cli.verbs.demo.event_hub import EventHub

ADDRESS = "127.0.0.1"
_LARGEST = 4096  # bytes of a request's body
# A page that reads nothing for so long is given up; so is a request that does not come to its end.
_PATIENCE_S = 10.0
_ALIVE_S = 2.0  # a comment, if there is no event: so an end of the connection is noticed
_END_S = 2.0
# With any port: a page that came through `ssh -L` names the port of the other machine.
_OWN = re.compile(r"(127\.0\.0\.1|localhost)(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE)

Values = Mapping[str, float | bool | str]


class PageServer(ThreadingHTTPServer):
    """Serves within a `with` block. `set_values` gets what the page's controls ask for."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(
        self, page: str, hub: EventHub, set_values: Callable[[Values], None], port: int
    ) -> None:
        self.page = page.encode()
        self.hub = hub
        self.set_values = set_values
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            why = "is taken" if error.errno == errno.EADDRINUSE else "is not allowed for this user"
            raise TaktError(
                f"port {port} of {ADDRESS} {why}; name another with --port, or 0 for any free one"
            ) from error
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.server_port}/"

    def is_own(self, host: str) -> bool:
        """Whether a request names this machine: a page of another site could not do that."""
        return _OWN.fullmatch(host) is not None

    def handle_error(self, *_: Any) -> None:
        """Say nothing: a page went away."""

    def __enter__(self) -> PageServer:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the streams of all pages, then the server."""
        self.hub.close(_END_S)
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    timeout = _PATIENCE_S

    def do_GET(self) -> None:
        """Give the page or the stream."""
        if not self._is_own():
            return
        if self.path == "/":
            self._answer(HTTPStatus.OK, self.server.page, "text/html; charset=utf-8")
        elif self.path == "/events":
            self._stream()
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"takt demo has no such page\n")

    def do_POST(self) -> None:
        """Take values of the page's controls."""
        if not self._is_own():
            return
        if self.path != "/set":
            self._answer(HTTPStatus.NOT_FOUND, b"takt demo has no such page\n")
            return
        # This page may send this type; the browser does not let a page of another site send it.
        if self.headers.get_content_type() != "application/json":
            self._answer(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, b"application/json belongs here\n")
            return
        values = self._values()
        if values is None:
            self._answer(
                HTTPStatus.BAD_REQUEST,
                b"an object of numbers, texts, true and false belongs here\n",
            )
            return
        self.server.set_values(values)
        self._answer(HTTPStatus.NO_CONTENT, b"")

    def _values(self) -> Values | None:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or int(length) > _LARGEST:
            return None
        try:
            values = json.loads(self.rfile.read(int(length)))
        except ValueError:
            return None
        if not isinstance(values, dict):
            return None
        return (
            values
            if all(isinstance(one, bool | int | float | str) for one in values.values())
            else None
        )

    def _is_own(self) -> bool:
        if self.server.is_own(self.headers.get("Host", "")):
            return True
        self._answer(HTTPStatus.FORBIDDEN, b"takt demo answers to its own address only\n")
        return False

    def _answer(
        self, status: HTTPStatus, body: bytes, kind: str = "text/plain; charset=utf-8"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        listener = self.server.hub.listen()
        try:
            while (lines := listener.take(_ALIVE_S)) is not None:
                text = "".join(f"data: {line}\n\n" for line in lines) or ": alive\n\n"
                self.wfile.write(text.encode())
            self.wfile.write(b"event: end\ndata: {}\n\n")
        except OSError:
            pass  # the page went away, or reads nothing
        finally:
            self.server.hub.leave(listener)

    def log_message(self, *_: Any) -> None:
        """Say nothing: the terminal is for the user's own words."""
