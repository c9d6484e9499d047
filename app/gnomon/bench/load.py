"""A load generator for POST, as a process of its own: so many connections, each asking anew as soon as it is answered.

Closed loop: it measures what the door can do, and says nothing of how late a door is that is asked at a given pace. It
speaks just enough HTTP/1.1 to cost little, and tells what it cost.

The one argument is a JSON object, see Wanted; what it prints is one too, see `_told`.
"""

import asyncio
import json
import math
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import cast
from urllib.parse import urlsplit

import msgspec
import uvloop


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What to ask. Seconds count after the warm-up, which is dropped."""

    address: str
    path: str
    connections: int
    seconds: float
    warm_up: float
    prefix: str
    """Of user ids and dedup keys: two runs with one prefix would repeat each other."""
    items: int = 0
    """Of a batch; 0 asks for single schedules."""


class Account:
    """What was asked and answered."""

    def __init__(self, wanted: Wanted) -> None:
        """Prepare what does not change from request to request."""
        self._wanted = wanted
        self._numbers = count()
        place = urlsplit(wanted.address)
        self._head = (
            f"POST {wanted.path} HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\nContent-Length: "
        ).encode()
        self._due = (datetime.now(UTC) + timedelta(hours=2)).replace(microsecond=0).isoformat()  # noqa: TID251  # any instant
        self.latencies: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.is_counting = False
        self.is_over = False

    def request(self) -> bytes:
        """The next request."""
        if self._wanted.items:
            body = f"[{','.join(self._item() for _ in range(self._wanted.items))}]".encode()
        else:
            body = self._item().encode()
        return b"%b%d\r\n\r\n%b" % (self._head, len(body), body)

    def _item(self) -> str:
        name = f"{self._wanted.prefix}{next(self._numbers)}"
        return (
            f'{{"user_id":"{name}","template_id":"appointment","schedule_at":"{self._due}",'
            f'"params":{{"doctor":"Dr. Meyer"}},"dedup_key":"appointment:{name}"}}'
        )


class Caller(asyncio.Protocol):
    """One connection."""

    def __init__(self, account: Account) -> None:
        """Ask for this account."""
        self._account = account
        self._answer = b""
        self._asked_at = 0.0
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask the first time."""
        self._transport = cast("asyncio.Transport", transport)
        self._ask()

    def data_received(self, data: bytes) -> None:
        """Collect one answer; ask again at its end."""
        self._answer += data
        head, gap, body = self._answer.partition(b"\r\n\r\n")
        if not gap:
            return
        lowered = head.lower()
        length = int(lowered.partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        if self._account.is_counting:
            self._account.latencies.append(time.perf_counter() - self._asked_at)
            self._account.statuses[head[9:12].decode()] += 1
        if self._account.is_over:
            self._transport.close()
        else:
            self._ask()

    def connection_lost(self, fault: Exception | None) -> None:
        """Nothing more comes."""
        if not self.ended.done():
            if fault is None and self._account.is_over:
                self.ended.set_result(None)
            else:
                self.ended.set_exception(fault or ConnectionResetError("the door closed the connection"))

    def _ask(self) -> None:
        self._answer = b""
        self._asked_at = time.perf_counter()
        self._transport.write(self._account.request())


async def _run(wanted: Wanted) -> dict[str, object]:
    account = Account(wanted)
    place = urlsplit(wanted.address)
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: Caller(account), str(place.hostname), int(place.port or 80))
        for _ in range(wanted.connections)
    ]
    await asyncio.sleep(wanted.warm_up)
    account.is_counting = True
    began, began_cpu = time.perf_counter(), time.process_time()
    await asyncio.sleep(wanted.seconds)
    account.is_counting = False
    seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    account.is_over = True
    await asyncio.gather(*(caller.ended for _, caller in made))
    return _told(account, seconds, cpu)


def _told(account: Account, seconds: float, cpu: float) -> dict[str, object]:
    """Answers by status and in all, how long that took, CPU seconds of the generator, milliseconds of an answer."""
    ordered = sorted(account.latencies)
    places = {"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99, "last_ms": 1.0}
    return {
        "answers": len(ordered),
        "statuses": account.statuses,
        "seconds": seconds,
        "generator_cpu": cpu,
        **{name: ordered[max(0, math.ceil(part * len(ordered)) - 1)] * 1e3 for name, part in places.items() if ordered},
    }


def main() -> None:
    """Do the work of the argument."""
    wanted = msgspec.json.decode(sys.argv[1], type=Wanted)
    sys.stdout.write(json.dumps(uvloop.run(_run(wanted))))


if __name__ == "__main__":
    main()
