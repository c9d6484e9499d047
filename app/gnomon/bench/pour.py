"""An open-loop load generator for POST schedule, as a process of its own: so many requests a second, by the clock.

A slow answer slows nothing down: what is owed by the clock is asked for, on a connection that is free or else as soon as one
is, and how late that was is told. It speaks just enough HTTP/1.1 to cost little, and tells what it cost.

The one argument is a JSON object, see Wanted; it prints one too, see `_told`.
"""

import asyncio
import json
import random
import sys
import time
from collections import Counter, deque
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast
from urllib.parse import urlsplit

import msgspec
import uvloop

from gnomon.bench.lateness import lateness

_SOONEST_S: Final = 5
_LATEST_S: Final = 60
_USERS: Final = 200_000
_LOOK_EVERY: Final = 0.002
_PATIENCE_S: Final = 60
"""For the answers after all was to be asked; who needs longer cannot keep the pace."""
_ACCEPTED: Final = "201"


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What to ask: each schedule is due 5 to 60 s after it was asked for."""

    address: str
    rate: float
    seconds: float
    connections: int = 32


class Pour:
    """What was asked and answered."""

    def __init__(self, wanted: Wanted) -> None:
        """Prepare what does not change from request to request."""
        self.statuses: Counter[str] = Counter()
        self.waits: list[float] = []
        """Seconds from when a request was owed until it was sent."""
        self.answers: list[float] = []
        """Seconds from when it was sent until it was answered."""
        self.lost: list[str] = []
        """Connections that ended with an answer owed, and how."""
        self.closed = wanted.connections
        """Idle ones that ended since it was looked at; another is made for each."""
        self.owed: deque[float] = deque()
        self.free: deque[Caller] = deque()
        """In turn, so that none is idle long enough to be closed for it."""
        self._chance = random.Random(1)  # noqa: S311  # instants, not secrets
        self._made: list[Caller] = []
        self._place: Any = urlsplit(wanted.address)
        host = self._place.netloc
        self._head = (
            f"POST /v1/notifications/schedule HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: "
        ).encode()

    async def open(self) -> None:
        """Make connections in place of those that ended. Raises ConnectionError when an answer was lost with one."""
        if self.lost:
            raise ConnectionError(self.lost[0])
        for _ in range(self.closed):
            loop, place = asyncio.get_running_loop(), self._place
            _, caller = await loop.create_connection(lambda: Caller(self), place.hostname, place.port)
            self._made.append(caller)
            self.closed -= 1

    def close(self) -> None:
        """End the connections."""
        for caller in self._made:
            caller.close()

    def go_on(self) -> None:
        """Send what is owed on what is free."""
        while self.owed and self.free:
            now = time.perf_counter()
            self.waits.append(now - self.owed.popleft())
            self.free.popleft().ask(self._request(), now)

    async def all_answered(self, total: int) -> None:
        """Return when so many were answered. Raises ConnectionError, TimeoutError."""
        give_up_at = time.perf_counter() + _PATIENCE_S
        while len(self.answers) < total:
            await self.open()
            self.go_on()
            if time.perf_counter() > give_up_at:
                message = f"{len(self.answers)} of {total} answered, {len(self.owed)} not even asked"
                raise TimeoutError(message)
            await asyncio.sleep(_LOOK_EVERY)

    def _request(self) -> bytes:
        chance = self._chance
        after = timedelta(seconds=chance.uniform(_SOONEST_S, _LATEST_S))
        at = (datetime.now(UTC) + after).isoformat(timespec="milliseconds")  # noqa: TID251  # any instant
        body = (
            f'{{"user_id":"u_{chance.randrange(_USERS)}","template_id":"appointment","channels":["webhook"],'
            f'"schedule_at":"{at}","params":{{"doctor":"Dr. Meyer"}}}}'
        ).encode()
        return b"%b%d\r\n\r\n%b" % (self._head, len(body), body)


class Caller(asyncio.Protocol):
    """One connection."""

    def __init__(self, pour: Pour) -> None:
        """Ask for this account."""
        self._pour = pour
        self._answer = b""
        self._asked_at = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is free."""
        self._transport = cast("asyncio.Transport", transport)
        self._pour.free.append(self)

    def data_received(self, data: bytes) -> None:
        """Collect one answer; it is free again at its end."""
        self._answer += data
        head, gap, body = self._answer.partition(b"\r\n\r\n")
        if not gap or len(body) < int(head.lower().partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0]):
            return
        self._pour.statuses[head[9:12].decode()] += 1
        self._pour.answers.append(time.perf_counter() - self._asked_at)
        self._answer = b""
        self._pour.free.append(self)
        self._pour.go_on()

    def connection_lost(self, fault: Exception | None) -> None:
        """What is idle may be closed; an answer that is lost would be waited for without end."""
        if self in self._pour.free:
            self._pour.free.remove(self)
            self._pour.closed += 1
        else:
            self._pour.lost.append(str(fault or "the API closed a connection"))

    def close(self) -> None:
        """End it."""
        self._transport.close()

    def ask(self, request: bytes, now: float) -> None:
        """Send it."""
        self._asked_at = now
        self._transport.write(request)


async def _run(wanted: Wanted) -> dict[str, object]:
    pour = Pour(wanted)
    try:
        return await _pour(pour, wanted)
    finally:
        pour.close()


async def _pour(pour: Pour, wanted: Wanted) -> dict[str, object]:
    total = round(wanted.rate * wanted.seconds)
    cpu, began = time.process_time(), time.perf_counter()
    number = 0
    while number < total:
        owed = min(total, int((time.perf_counter() - began) * wanted.rate) + 1)
        pour.owed.extend(began + n / wanted.rate for n in range(number, owed))
        number = owed
        await pour.open()
        pour.go_on()
        await asyncio.sleep(_LOOK_EVERY)
    await pour.all_answered(total)
    return _told(pour, time.perf_counter() - began, time.process_time() - cpu)


def _told(pour: Pour, seconds: float, cpu: float) -> dict[str, object]:
    """Answers by status, how long all took, CPU seconds of the generator, how late it asked and how soon it was answered."""
    return {
        "accepted": pour.statuses[_ACCEPTED],
        "refused": sum(pour.statuses.values()) - pour.statuses[_ACCEPTED],
        "seconds": seconds,
        "cpu_s": cpu,
        "asked_late": lateness(pour.waits),
        "answered": lateness(pour.answers),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(uvloop.run(_run(msgspec.json.decode(sys.argv[1], type=Wanted)))) + "\n")
