"""A TCP proxy between the processes and their server, a process of its own, that misbehaves as networks do when told to.

with running_proxy(host, port) as proxy:
    proxy.port           where to connect
    proxy.cut()          every connection is reset, and every new one
    proxy.stall()        connections stay and nothing passes, in neither direction
    proxy.pass_on()      all is well again; what was held back goes first
"""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

_CHUNK = 65_536


@dataclass(frozen=True)
class Proxy:
    """The proxy, seen from the journey."""

    port: int
    _orders: IO[str]

    def cut(self) -> None:
        """Reset every connection from now on."""
        self._tell("cut")

    def stall(self) -> None:
        """Pass nothing on from now on."""
        self._tell("stall")

    def pass_on(self) -> None:
        """Pass on again."""
        self._tell("pass on")

    def _tell(self, order: str) -> None:
        self._orders.write(order + "\n")
        self._orders.flush()


@contextmanager
def running_proxy(host: str, port: int) -> Iterator[Proxy]:
    """A proxy to this address, ended with the block."""
    command = [sys.executable, __file__, host, str(port)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        try:
            yield Proxy(int(process.stdout.readline()), process.stdin)
        finally:
            process.kill()
            process.wait()


class _Wire:
    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._flows = asyncio.Event()
        self._flows.set()
        self._is_cut = False
        self._ends: set[asyncio.StreamWriter] = set()

    def obey(self, order: str) -> None:
        self._is_cut = order == "cut"
        if order == "stall":
            self._flows.clear()
        else:
            self._flows.set()
        if self._is_cut:
            for end in self._ends:
                end.transport.abort()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        try:
            server_reader, server_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, server_writer}
        self._ends |= ends
        await asyncio.gather(self._pump(reader, server_writer), self._pump(server_reader, writer))
        self._ends -= ends

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(_CHUNK):
                await self._flows.wait()
                writer.write(chunk)
                await writer.drain()
        writer.close()


async def _serve(host: str, port: int) -> None:
    wire = _Wire(host, port)
    server = await asyncio.start_server(wire.accept, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while order := (await orders.readline()).decode().strip():
        wire.obey(order)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], int(sys.argv[2])))
