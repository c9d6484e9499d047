"""How `up` speaks: a live table with lines above it on a terminal, logs everywhere else."""

import asyncio
import sys
from contextlib import suppress
from typing import Any, Final, Protocol

import msgspec
from rich.console import Console
from rich.live import Live
from rich.text import Text

from gnomon.children.board import Numbers, board, read_numbers
from gnomon.children.house import House
from gnomon.children.lines import read_line
from gnomon.database.pool import Pool
from gnomon.errors import DatabaseUnavailable
from gnomon.log import logger

_FRAMES: Final = 2
"""Pictures a second."""
_READ_EVERY: Final = 1.0
_SHARE: Final = 20
"""Reading the numbers may take one part in so many of the time: the histogram is counted from all deliveries of the day."""
_LINES_A_SECOND: Final = 20
"""Deliveries shown; the others are only counted."""


class Telling(Protocol):
    """Somebody who tells people what happens."""

    def say(self, text: str) -> None:
        """Something happened."""

    def heard(self, name: str, is_error: bool, line: str) -> None:  # noqa: FBT001  # as Hear says it
        """A process wrote a line."""

    async def watch(self, house: House, pool: Pool, title: str) -> None:
        """Show how it stands, until cancelled."""


class Logged:
    """Without a terminal: the processes write where we do, and so do we."""

    def __init__(self) -> None:
        """Log as this module."""
        self._log = logger(__name__)

    def say(self, text: str) -> None:
        """Log it."""
        self._log.info(text)

    def heard(self, name: str, is_error: bool, line: str) -> None:  # noqa: ARG002, FBT001  # as Hear says it
        """Pass on what is logged; the first line of standard output was for us."""
        if is_error:
            sys.stderr.write(line + "\n")

    async def watch(self, house: House, pool: Pool, title: str) -> None:
        """Show nothing."""


class Drawn:
    """On a terminal."""

    def __init__(self, console: Console) -> None:
        """Draw here."""
        self._console = console
        self._numbers = Numbers()
        self._shown_in: tuple[int, int] = (0, 0)

    def say(self, text: str) -> None:
        """Print it above the table."""
        self._console.print(Text.assemble(("  · ", "dim"), text), soft_wrap=True)

    def heard(self, name: str, is_error: bool, line: str) -> None:  # noqa: FBT001  # as Hear says it
        """Print what a person should see: warnings, and what the log channel delivers."""
        if not is_error:
            if (event := _event(line)) and self._has_room():
                self.say(event)
            return
        told = read_line(line)
        if not told.is_routine:
            self.say(f"{name}: {told.text}")

    async def watch(self, house: House, pool: Pool, title: str) -> None:
        """Draw the table again and again."""
        reading = asyncio.ensure_future(self._read(pool))
        try:
            with Live(console=self._console, refresh_per_second=_FRAMES, transient=True) as live:
                while True:
                    live.update(board(self._numbers, house.children, title))
                    await asyncio.sleep(1 / _FRAMES)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _read(self, pool: Pool) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                self._numbers = await read_numbers(pool)
            except DatabaseUnavailable:
                self._numbers = Numbers(self._numbers.queue, self._numbers.late)
            await asyncio.sleep(max(_READ_EVERY, (loop.time() - began) * _SHARE))

    def _has_room(self) -> bool:
        second = int(asyncio.get_running_loop().time())
        shown = self._shown_in[1] + 1 if self._shown_in[0] == second else 1
        self._shown_in = (second, shown)
        return shown <= _LINES_A_SECOND


class _Data(msgspec.Struct):
    user_id: str
    template_id: str
    channel: str
    params: dict[str, Any] = {}


class _Event(msgspec.Struct):
    time: str
    data: _Data


def _event(line: str) -> str | None:
    """What the log channel delivers, in words; None for any other line."""
    with suppress(msgspec.DecodeError):
        event = msgspec.json.decode(line, type=_Event)
        params = msgspec.json.encode(event.data.params).decode() if event.data.params else ""
        return f"{event.time}  {event.data.template_id} for {event.data.user_id} by {event.data.channel} {params}".rstrip()
    return None
