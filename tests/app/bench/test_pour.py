"""The open-loop generator: an idle connection may be closed on it, an answer may not be kept from it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from gnomon.bench import pour

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
_ANSWER = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    return await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]))


async def _poured(serve: Serve) -> dict[str, Any]:
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        wanted = pour.Wanted(address=f"http://127.0.0.1:{port}", rate=20, seconds=0.5, connections=3)
        try:
            return await pour._run(wanted)
        finally:
            await asyncio.sleep(0.1)  # the ends of the connections are heard


def test_one_answer_a_connection_is_enough() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            await _request(reader)
            writer.write(_ANSWER)
            await writer.drain()
        writer.close()

    told = asyncio.run(_poured(serve))

    assert (told["accepted"], told["refused"]) == (10, 0)


def test_an_answer_that_is_lost_is_a_fault() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            await _request(reader)
        writer.close()

    with pytest.raises(ConnectionError, match="closed a connection"):
        asyncio.run(_poured(serve))
