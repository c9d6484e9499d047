"""The receiver of the demo, as a process of its own: writes down what it answers with 2xx, and does nothing else.

    python -m gnomon.demo.sink FILE

It prints its address as one line of JSON and takes requests until SIGTERM. A line is handed to the system before the
answer is, so whoever was told 2xx finds it in the file, whatever is killed next. It is written on bare protocol classes: at
the herd the receiver must not be what is slow.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

import httptools
import msgspec

from gnomon.demo.receipts import Receipt, line_of

_TAKEN: Final = b"HTTP/1.1 204 No Content\r\n\r\n"
_REFUSED: Final = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"


class _Data(msgspec.Struct, frozen=True):
    schedule_id: str
    occurrence: int
    channel: str
    due_at: datetime


class _Event(msgspec.Struct, frozen=True):
    id: str
    data: _Data


class Sink(asyncio.Protocol):
    """One connection of a worker."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        """`write` appends a line to the file."""
        self._write = write
        self._parser = httptools.HttpRequestParser(self)
        self._body: list[bytes] = []
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep where to answer."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Feed the parser; what is no HTTP ends the connection."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            if self._transport:
                self._transport.close()

    def on_message_begin(self) -> None:
        """A request begins."""
        self._body.clear()

    def on_body(self, body: bytes) -> None:
        """A part of its body."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """The whole request is here: write it down, then answer."""
        answer = _TAKEN
        try:
            event = _EVENTS.decode(b"".join(self._body))
        except msgspec.DecodeError:
            answer = _REFUSED
        else:
            self._write(line_of(_receipt(event)))
        if self._transport:
            self._transport.write(answer)


def serve(path: Path, write: Callable[[int, bytes], object] = os.write) -> None:
    """Take requests until SIGTERM; `write` gets the file's descriptor and each line."""
    import uvloop

    uvloop.run(_serve(path, write))


async def _serve(path: Path, write: Callable[[int, bytes], object]) -> None:
    loop = asyncio.get_running_loop()
    is_over = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, is_over.set)
    # Unbuffered, and appended by the system: a line is whole or not there.
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    server = await loop.create_server(lambda: Sink(lambda line: write(file, line)), "127.0.0.1", 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(json.dumps({"address": f"http://127.0.0.1:{port}/"}) + "\n")
    sys.stdout.flush()
    await is_over.wait()


def _receipt(event: _Event) -> Receipt:
    data = event.data
    return Receipt(
        delivery_id=event.id,
        schedule_id=data.schedule_id,
        occurrence=data.occurrence,
        channel=data.channel,
        due_at=data.due_at,
        received_at=datetime.now(UTC),  # noqa: TID251  # a receiver is no part of the product and has its own clock
    )


_EVENTS: Final = msgspec.json.Decoder(_Event)

if __name__ == "__main__":
    serve(Path(sys.argv[1]))
