"""A receiver of webhooks, as a process of its own: what it was sent is known from its file, not from the database.

    with running_sink(folder) as sink:
        ...                  processes get sink.url as GNOMON_WEBHOOK_URL, and GNOMON_WEBHOOK_PRIVATE=on
        sink.received()      every delivery it answered with 2xx, in the order of its answers
        sink.behave(status=503, retry_after="2")

Run as a program it serves, prints its port, and appends one line for each delivery right before it answers 2xx.
"""

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from aiohttp import web


class Received(NamedTuple):
    """One delivery that was answered with 2xx."""

    delivery_id: str
    user_id: str
    attempt: int
    schedule_id: str
    occurrence: int
    due_at: str
    channel: str
    at: float
    """When the request came, in seconds of this machine's wall clock."""
    via: str
    """Who sent it: what its GNOMON_WEBHOOK_URL says after `?via=`."""


@dataclass(slots=True)
class Sink:
    """The receiver, seen from the test."""

    url: str
    file: Path

    def received(self) -> list[Received]:
        """What it answered with 2xx so far."""
        lines = self.file.read_text(encoding="utf-8").splitlines()
        return [Received(*json.loads(line)) for line in lines]

    def behave(self, **behaviour: Any) -> None:
        """Answer otherwise from now on: status, delay (seconds before the answer), retry_after (a header), hangs."""
        self._ask("behave", behaviour)

    def asked_count(self) -> int:
        """How many requests have come, whatever was answered."""
        return int(self._ask("asked", {}))

    def _ask(self, what: str, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(self.url.replace("/hook", f"/{what}"), json.dumps(body).encode())  # noqa: S310  # ours
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310  # http on loopback
            return json.loads(answer.read())


@contextmanager
def running_sink(folder: Path, **behaviour: Any) -> Iterator[Sink]:
    """Start a receiver that keeps its file in this folder, and end it with the block."""
    file = folder / "received"
    file.touch()
    process = subprocess.Popen([sys.executable, __file__, str(file)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        with process.stdout:
            sink = Sink(f"http://127.0.0.1:{int(process.stdout.readline())}/hook", file)
        if behaviour:
            sink.behave(**behaviour)
        yield sink
    finally:
        process.kill()
        process.wait()


@dataclass(slots=True)
class _Receiver:
    file: Path
    status: int = 200
    delay: float = 0
    retry_after: str | None = None
    hangs: bool = False
    asked: int = 0
    lines: Any = field(init=False)

    def __post_init__(self) -> None:
        # Unbuffered: a line is the system's before the answer leaves.
        self.lines = self.file.open("ab", buffering=0)

    async def hook(self, request: web.Request) -> web.Response:
        self.asked += 1
        at = time.time()
        event = await request.json()
        status, headers = self.status, {"retry-after": self.retry_after} if self.retry_after else {}
        if self.hangs:
            await asyncio.sleep(3600)
        if self.delay:
            await asyncio.sleep(self.delay)
        if status // 100 == 2:
            data = event["data"]
            line = [event["id"], data["user_id"], data["attempt"], data["schedule_id"], data["occurrence"], data["due_at"]]
            line += [data["channel"], at, request.query.get("via", "")]
            self.lines.write(json.dumps(line).encode() + b"\n")
        return web.Response(status=status, headers=headers)

    async def behave(self, request: web.Request) -> web.Response:
        for name, value in (await request.json()).items():
            setattr(self, name, value)
        return web.json_response(None)

    async def count(self, _request: web.Request) -> web.Response:
        return web.json_response(self.asked)


async def _serve(file: Path) -> None:
    receiver = _Receiver(file)
    app = web.Application()
    app.add_routes(
        [web.post("/hook", receiver.hook), web.post("/behave", receiver.behave), web.post("/asked", receiver.count)]
    )
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
