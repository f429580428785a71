"""Programs of another user beside a monitor of root: sockets that never answer, traces with holes.

The other user has no account, and runs the system's Python, which everybody may read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from support.fake_alarms import PATIENCE_S, wait_for

STRANGER = 64_987
PYTHON = shutil.which("python3", path="/usr/bin:/usr/local/bin:/bin")

_MUTE = """
import os, resource, socket, sys
folder, number = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
listening = []
for i in range(number):
    one = socket.socket(socket.AF_UNIX)
    one.bind(f"{folder}/{6_000_000 + i}.sock")
    one.listen(8)
    listening.append(one)
print("ready", flush=True)
sys.stdin.read()
"""

# Answers as a process under takt does. Each of its traces is a hole of `size` bytes with some data.
_SPARSE = """
import json, os, select, socket, struct, sys
folder, number, size, answers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
answers = {int(kind): bytes.fromhex(one) for kind, one in json.loads(answers).items()}
header = struct.Struct("<4sHHI")
path = f"{folder}/{number}.sock"
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(64)
print("ready", flush=True)
clients, written = {}, 0
while True:
    ready = select.select([listener, sys.stdin, *clients], [], [])[0]
    if sys.stdin in ready:
        break
    for one in ready:
        if one is listener:
            clients[listener.accept()[0]] = b""
            continue
        try:
            more = one.recv(65536)
        except OSError:
            more = b""
        if not more:
            del clients[one]
            continue
        clients[one] += more
        while len(clients[one]) >= header.size:
            _, _, kind, length = header.unpack_from(clients[one])
            if len(clients[one]) < header.size + length:
                break
            clients[one] = clients[one][header.size + length:]
            if kind == 15:
                written += 1
                name = f"{number}.{written}.takttrace"
                with open(f"{folder}/{name}", "wb") as file:
                    file.write(b"records")
                    file.truncate(size)
                text = json.dumps({"file": name, "records": 1, "dropped": 0}).encode()
                one.sendall(header.pack(b"takt", 1, 110, len(text)) + text)
            elif kind in answers:
                one.sendall(answers[kind])
"""


class Root:
    """A folder that stands in for `/`, with the folders of the control sockets of both users."""

    def __init__(self) -> None:
        # Those of pytest are closed to other users.
        self.path = Path(tempfile.mkdtemp(prefix="takt-test-"))
        self.path.chmod(0o755)
        self.own = self.path / "tmp/takt-0"
        self.strange = self.path / f"tmp/takt-{STRANGER}"
        for folder in (self.own, self.strange):
            folder.mkdir(parents=True, mode=0o700)
        os.chown(self.strange, STRANGER, STRANGER)
        self._programs: list[subprocess.Popen[str]] = []

    def mute(self, number: int) -> None:
        """Let the other user make so many sockets that accept and never answer."""
        self._start(_MUTE, str(self.strange), str(number))

    def sparse(self, number: int, size: int, answers: str) -> None:
        """Let the other user run a process whose traces are holes; `answers`: by kind, as JSON."""
        self._start(_SPARSE, str(self.strange), str(number), str(size), answers)

    def _start(self, text: str, *arguments: str) -> None:
        one = subprocess.Popen(
            [PYTHON, "-I", "-c", text, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, user=STRANGER, group=STRANGER, extra_groups=[], cwd="/", env={},
        )  # fmt: skip
        self._programs.append(one)
        assert one.stdout.readline() == "ready\n"

    def close(self) -> None:
        """End all programs, and remove what they made."""
        for one in self._programs:
            one.stdin.close()
            one.stdout.close()
            try:
                one.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        shutil.rmtree(self.path)


# Looks for sockets below another folder than `/`, as the only difference to the command.
_MONITOR = """
import sys
from pathlib import Path
from takt_cli.control import processes
from takt_cli.verbs.monitor import places
root, folders = Path(sys.argv.pop(1)), processes.folders
places.folders = lambda environ, uid: folders(environ, uid, root)
from takt_cli.__main__ import main
sys.exit(main())
"""


class RootsMonitor:
    """`takt monitor` of root, as a program."""

    def __init__(self, root: Root, *arguments: object) -> None:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ("TAKT_RUNTIME_DIR", "XDG_RUNTIME_DIR")
        }
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-c", _MONITOR, root.path, "monitor", "--no-ros",
             *map(str, arguments)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=kept, start_new_session=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        self.lines += iter(self.process.stdout.readline, "")

    def heard(self, part: str, number: int = 1) -> list[str]:
        """Wait until so many lines with these words were written, and give them."""

        def lines() -> list[str] | None:
            found = [one for one in list(self.lines) if part in one]
            assert len(found) >= number or self.process.poll() is None, self.lines
            return found if len(found) >= number else None

        return wait_for(lines, lambda: f"{part!r} is not {number} times in {self.lines}")

    def close(self) -> None:
        """End it, however it goes."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(PATIENCE_S)
        self.process.stdout.close()
