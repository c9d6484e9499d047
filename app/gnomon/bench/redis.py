"""A Redis of a benchmark's own: the redis-server on PATH, else Debian's, unpacked into the user's cache and not installed.

Each write is appended to its log and synced once a second, which is what its documentation recommends for jobs; PostgreSQL
syncs every commit, so this favours Redis.
"""

import asyncio
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gnomon.bench.installed import PeerFailed, cache_folder, output_of
from gnomon.bench.processes import running
from gnomon.settings import surroundings

SETTINGS: Final = {"appendonly": "yes", "appendfsync": "everysec", "save": "", "maxmemory-policy": "noeviction"}

# The server's program lies in redis-tools; the others are libraries that a slim system has not.
_PACKAGES: Final = ("redis-server", "redis-tools", "libjemalloc2", "liblzf1", "libatomic1")
_DONE: Final = "unpacked"
_LOOKS: Final = 200
_LOOK_EVERY: Final = 0.05


@dataclass(frozen=True, slots=True)
class Redis:
    """A running one."""

    port: int
    pid: int

    async def used_memory(self) -> int:
        """Bytes that it says it uses. Raises PeerFailed."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"INFO memory\r\n")
        while line := await reader.readline():
            if line.startswith(b"used_memory:"):
                writer.close()
                return int(line.partition(b":")[2])
        raise PeerFailed("redis-server does not say how much memory it uses")


class RedisPrograms:
    """Where the program is."""

    def __init__(self) -> None:
        """Know of none yet."""
        self._folder = cache_folder() / "redis"
        self._program = ""
        self.version = ""

    async def install(self, say: Callable[[str], None]) -> None:
        """Find or unpack it. Raises PeerFailed."""
        on_path = shutil.which("redis-server")
        if on_path is None and not (self._folder / _DONE).exists():
            say("unpacking redis-server")
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True)
            await output_of("apt-get", "download", "-qq", *_PACKAGES, folder=self._folder)
            for package in sorted(self._folder.glob("*.deb")):
                await output_of("dpkg", "-x", str(package), str(self._folder))
                package.unlink()
            (self._folder / _DONE).touch()
        self._program = on_path or str(self._folder / "usr/bin/redis-server")
        told = (await output_of("env", f"LD_LIBRARY_PATH={self._libraries()}", self._program, "--version")).decode()
        self.version = told.partition("v=")[2].partition(" ")[0]

    @asynccontextmanager
    async def server(self) -> AsyncIterator[Redis]:
        """An empty server on a port of its own; gone with the block, its data too. Raises PeerFailed."""
        folder = Path(tempfile.mkdtemp(prefix="gnomon-bench-redis-"))
        port = _free_port()
        told = {"port": str(port), "bind": "127.0.0.1", "dir": str(folder), **SETTINGS}
        words = [word for name, value in told.items() for word in (f"--{name}", value)]
        environment = surroundings() | {"LD_LIBRARY_PATH": self._libraries()}
        try:
            async with running("redis-server", self._program, *words, environment=environment) as server:
                await _answers(port)
                yield Redis(port, server.pid)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _libraries(self) -> str:
        return os.pathsep.join(sorted(str(found) for found in self._folder.glob("usr/lib/*-linux-gnu")))


async def _answers(port: int) -> None:
    for _ in range(_LOOKS):
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(_LOOK_EVERY)
    message = f"redis-server does not answer at port {port}"
    raise PeerFailed(message)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
