"""Which sender a channel's deliveries go to, and what a plugin has to do to be one.

A channel with an entry point of its own in gnomon.channels is sent by it. Every other (push, email, sms, inbox as long as
they have none) goes to the downstream service at GNOMON_WEBHOOK_URL, with the channel's name in the body; without that
address to the log.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Final

from gnomon.settings import Settings
from gnomon_pollers.channels.channel import Channel
from gnomon_pollers.pauses import Pauses

GROUP: Final = "gnomon.channels"

_DOWNSTREAM: Final = "webhook"
_LAST_RESORT: Final = "log"


def sender_of(channel: str, *, senders: frozenset[str], settings: Settings) -> str:
    """The name of the sender for a channel."""
    if channel == _DOWNSTREAM and settings.webhook_url is None:
        return _LAST_RESORT
    if channel in senders:
        return channel
    return _DOWNSTREAM if settings.webhook_url is not None else _LAST_RESORT


class Senders:
    """The senders of one process: each made and opened when its first delivery comes."""

    def __init__(self, settings: Settings, *, found: dict[str, EntryPoint] | None = None) -> None:
        """Find the plugins; none is imported yet."""
        self._settings = settings
        self._found = {entry.name: entry for entry in entry_points(group=GROUP)} if found is None else found
        self._open: dict[str, Channel] = {}
        self.pauses = Pauses()
        """Which of them are left alone for a while."""

    def name_for(self, channel: str) -> str:
        """The name of the sender for a channel."""
        return sender_of(channel, senders=frozenset(self._found), settings=self._settings)

    async def open(self, name: str) -> Channel:
        """The sender of that name, ready to send."""
        if name not in self._open:
            kind: type[Channel] = self._found[name].load()
            sender = kind(self._settings)
            await sender.open()
            self._open[name] = sender
        return self._open[name]

    async def close(self) -> None:
        """Close all that were opened."""
        while self._open:
            _, sender = self._open.popitem()
            await sender.close()
