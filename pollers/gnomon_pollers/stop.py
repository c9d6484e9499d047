"""The end of a process: SIGTERM and SIGINT ask for it once, and insist the second time."""

import asyncio
import os
import signal
from typing import Final

from gnomon.log import logger
from gnomon_pollers.wake import Wake

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

_log: Final = logger(__name__)


class Stop:
    """Whether this process has been asked to end, and whom to wake then."""

    def __init__(self) -> None:
        """Begin with nobody asking."""
        self._asked = asyncio.Event()
        self._wakes: set[Wake] = set()

    @property
    def is_asked(self) -> bool:
        """Whether the process is to end."""
        return self._asked.is_set()

    def wake_of_own(self) -> Wake:
        """An alarm that also rings at the end."""
        wake = Wake()
        self._wakes.add(wake)
        if self.is_asked:
            wake.now()
        return wake

    def ask(self) -> None:
        """Ask the process to end in good order."""
        self._asked.set()
        for wake in self._wakes:
            wake.now()

    async def wait(self) -> None:
        """Return when the end has been asked for."""
        await self._asked.wait()

    def listen_to_signals(self) -> None:
        """Let SIGTERM and SIGINT ask; called in the event loop."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._received, number)

    def _received(self, number: signal.Signals) -> None:
        if self.is_asked:
            # Nothing is lost: what this process still holds comes back when its leases end.
            _log.warning("ended at once", signal=number.name)
            os._exit(128 + number)
        _log.info("stopping", signal=number.name)
        self.ask()
