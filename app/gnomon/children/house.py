"""The whole of Gnomon on one machine: API, poller and worker, kept running until somebody asks for the end.

first SIGTERM or Ctrl-C     every process is asked to end, and may finish what it has begun
second                      what still runs is killed; nothing is lost, what it held comes back when its lease ends
"""

import asyncio
import signal
from collections.abc import Callable, Sequence
from typing import Final

from gnomon.children.child import Child
from gnomon.children.keep import keep

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class House:
    """Processes that run together."""

    def __init__(self, api: Child, others: Sequence[Child], say: Callable[[str], None]) -> None:
        """`say` is told what happens to them."""
        self.children = (api, *others)
        self.is_killed = False
        """Whether the end was asked for twice."""
        self._api = api
        self._say = say
        self._stop = asyncio.Event()

    @property
    def is_asked(self) -> bool:
        """Whether the end was asked for."""
        return self._stop.is_set()

    async def open(self) -> str:
        """Start them all; the address of the API once it answers. Raises ChildEnded when it cannot."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._ask)
        await asyncio.gather(*(child.start() for child in self.children))
        return await self._api.address()

    async def run(self) -> None:
        """Keep them running until the end is asked for. Raises ChildEnded when one can never run."""
        tasks = [asyncio.create_task(keep(child, self._stop, self._say)) for child in self.children]
        tasks.append(asyncio.create_task(self._wait()))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def close(self) -> None:
        """Ask all to end and wait until they have."""
        await asyncio.gather(*(child.stop() for child in self.children))

    async def _wait(self) -> None:
        await self._stop.wait()

    def _ask(self) -> None:
        if not self.is_asked:
            self._say("stopping; once more to kill")
            self._stop.set()
            return
        self.is_killed = True
        for child in self.children:
            child.kill_soon()
