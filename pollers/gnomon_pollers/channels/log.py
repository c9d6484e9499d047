"""Print each event as one line of JSON on standard output.

Lines are written by a thread of its own: a pipe whose reader has stopped blocks the thread and not the event loop, and
being a daemon it does not keep the process from ending. It writes to the descriptor, not through sys.stdout, whose lock
a blocked daemon would hold at exit.
"""

import asyncio
import os
import threading
from collections.abc import Iterable
from datetime import timedelta
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

from gnomon.settings import Settings
from gnomon_pollers.channels.channel import Answer, Verdict
from gnomon_pollers.claims import Claim

STANDARD_OUTPUT: Final = 1

_LONGEST_WRITE: Final = 100
"""Lines handed to the system at once."""

_Line: TypeAlias = tuple[bytes, "asyncio.Future[None]"]


class LogChannel:
    """Standard output, one line a delivery."""

    def __init__(self, settings: Settings) -> None:
        """Take the time limit from the lease."""
        self.timeout = min(timedelta(seconds=10), settings.lease / 3)
        self._lines: SimpleQueue[_Line | None] = SimpleQueue()

    async def open(self) -> None:
        """Start the thread that writes."""
        threading.Thread(target=_write_lines, args=(self._lines, asyncio.get_running_loop()), daemon=True).start()

    async def send(self, claim: Claim) -> Answer:
        """Write the event and wait until the system has taken it."""
        claim.begin()
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.put((claim.event + b"\n", written))
        await written
        return Answer(Verdict.SENT)

    async def close(self) -> None:
        """Let the thread end after what it has to write."""
        self._lines.put(None)


def _write_lines(lines: "SimpleQueue[_Line | None]", loop: asyncio.AbstractEventLoop) -> None:
    while (line := lines.get()) is not None:
        batch = [line]
        while len(batch) < _LONGEST_WRITE:
            try:
                more = lines.get_nowait()
            except Empty:
                break
            if more is None:
                lines.put(None)
                break
            batch.append(more)
        fault = _write(b"".join(text for text, _ in batch))
        try:
            loop.call_soon_threadsafe(_tell, [written for _, written in batch], fault)
        except RuntimeError:
            return  # the loop has ended, and with it everybody who waited


def _write(text: bytes) -> OSError | None:
    try:
        while text:
            text = text[os.write(STANDARD_OUTPUT, text) :]
    except OSError as fault:
        return fault
    return None


def _tell(waiting: Iterable["asyncio.Future[None]"], fault: OSError | None) -> None:
    for written in waiting:
        if written.done():
            continue
        if fault is None:
            written.set_result(None)
        else:
            written.set_exception(fault)
