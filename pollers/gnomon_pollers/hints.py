"""Hints of the database: a NOTIFY only cuts a sleep short; without it everything happens a little later."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Final

from gnomon.database.listen import Listener

DUE: Final = "gnomon_due"
"""A timer earlier than announced may exist."""

READY: Final = "gnomon_ready"
"""A delivery earlier than announced may be ready."""

STOP: Final = "gnomon_stop"
"""The delivery of this id was cancelled: drop it if it is unsent."""


class Hints:
    """Passes each hint on to those who care, one connection a process."""

    def __init__(self) -> None:
        """Begin with nobody caring."""
        self._hearers: dict[str, list[Callable[[str], None]]] = {}

    def on(self, channel: str, hearer: Callable[[str], None]) -> None:
        """Call this with the payload of every hint of the channel."""
        self._hearers.setdefault(channel, []).append(hearer)

    @property
    def channels(self) -> Sequence[str]:
        """The channels that somebody cares for."""
        return sorted(self._hearers)

    async def hear(self, url: str, application_name: str) -> None:
        """Listen without end; the listener reconnects by itself."""
        async with aclosing(Listener(url, self.channels, application_name=application_name).hints()) as heard:
            async for hint in heard:
                for hearer in self._hearers.get(hint.channel, ()):
                    hearer(hint.payload)
