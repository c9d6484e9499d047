"""Sleep that can be cut short."""

import asyncio
from datetime import timedelta


class Wake:
    """One sleeper's alarm. A wake that comes while nobody sleeps ends the next sleep at once."""

    def __init__(self) -> None:
        """Begin with nothing to wake for."""
        self._event = asyncio.Event()

    def now(self) -> None:
        """End the sleep."""
        self._event.set()

    async def sleep(self, duration: timedelta) -> bool:
        """Sleep for a while; whether it was cut short. Always lets other tasks run."""
        if duration <= timedelta():
            await asyncio.sleep(0)
        else:
            try:
                async with asyncio.timeout(duration.total_seconds()):
                    await self._event.wait()
            except TimeoutError:
                return False
        was_woken = self._event.is_set()
        self._event.clear()
        return was_woken
