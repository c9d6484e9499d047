"""Keeps roles running: whoever ends without being asked to is started again, after a pause that grows."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from gnomon.children.child import Child, ChildEnded

WRONG_USE: Final = 2
"""Exit code of a process that was told something it cannot mean: it will not get better by itself."""


@dataclass(frozen=True, slots=True)
class Pauses:
    """How long to wait before a start."""

    first: timedelta = timedelta(seconds=0.5)
    """Doubled each time."""
    longest: timedelta = timedelta(seconds=20)
    forgiven_after: timedelta = timedelta(seconds=30)
    """Who lived so long begins anew with the first pause."""


async def keep(child: Child, stop: asyncio.Event, say: Callable[[str], None], pauses: Pauses | None = None) -> None:
    """Start a running child again whenever it ends, until `stop`. Raises ChildEnded when that is no use."""
    pauses = pauses or Pauses()
    pause = pauses.first
    loop = asyncio.get_running_loop()
    while not stop.is_set():
        began = loop.time()
        code = await child.wait()
        if stop.is_set():
            return
        if code == WRONG_USE:
            raise ChildEnded(child)
        if loop.time() - began >= pauses.forgiven_after.total_seconds():
            pause = pauses.first
        say(f"{child.name} ended with exit code {code} and starts again in {pause.total_seconds():g} s")
        with suppress(TimeoutError):
            async with asyncio.timeout(pause.total_seconds()):
                await stop.wait()
                return
        pause = min(pause * 2, pauses.longest)
        await child.start()
