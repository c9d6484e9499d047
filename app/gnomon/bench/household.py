"""API, poller, worker and a receiver, each a real process, around the database of a benchmark."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from gnomon.children.child import Child
from gnomon.database.call import one
from gnomon.database.pool import Pool
from gnomon.demo.stage import SINK
from gnomon.settings import surroundings

API: Final = ("serve", "--listen", "127.0.0.1:0", "--json")

_STOP_WITHIN: Final = timedelta(seconds=10)
_PATIENCE: Final = 60.0
_LOOK_EVERY: Final = 0.1

# Each role holds every shard once its processes have shared them out.
_HELD: Final = """
select count(distinct split_part(l.lease_group, '/', 1)) as roles
  from (select x.lease_group from gnomon_data.shard_leases as x join gnomon_data.heartbeats as h on h.owner_id = x.owner_id
         group by x.lease_group having count(*) = 64) as l"""
_ROLES: Final = 2


class NotReady(RuntimeError):
    """A process did not take up its work."""


@dataclass(frozen=True, slots=True)
class Crew:
    """A worker."""

    options: Sequence[str]
    niceness: int = 0
    """Of the process: how far the system puts it behind others."""


@dataclass(frozen=True, slots=True)
class Household:
    """What runs."""

    children: Mapping[str, Child]
    received: Path
    """The receiver's file, see gnomon.demo.receipts."""


@asynccontextmanager
async def receiver(received: Path) -> AsyncIterator[Child]:
    """A receiver that notes what it gets in this file. Raises OSError."""
    sink = Child("receiver", [*SINK, str(received)], surroundings(), _ignore)
    await sink.start()
    try:
        yield sink
    finally:
        await sink.stop(_STOP_WITHIN)


@asynccontextmanager
async def household(
    pool: Pool,
    url: str,
    folder: Path,
    *,
    pollers: int = 1,
    workers: int = 1,
    has_api: bool = True,
    options: Sequence[str] = (),
    crews: Mapping[str, Crew] | None = None,
) -> AsyncIterator[Household]:
    """Start them and wait until all shards are looked after; they are stopped with the block.

    `options` are the workers'; or `crews` names each worker with options of its own. Raises NotReady, ChildEnded.
    """
    crews = crews or {f"worker-{number}": Crew(options) for number in range(1, workers + 1)}
    async with AsyncExitStack() as stack:
        received = folder / "received.jsonl"
        sink = await stack.enter_async_context(receiver(received))
        environment = surroundings() | {
            "GNOMON_DATABASE_URL": url,
            "GNOMON_WEBHOOK_URL": await sink.address(),
            "GNOMON_WEBHOOK_PRIVATE": "on",
        }
        commands: dict[str, tuple[str, ...]] = {"api": API} if has_api else {}
        commands |= {f"poller-{n}": ("poll", "--name", f"poller-{n}") for n in range(1, pollers + 1)}
        children = {name: Child(name, ["-m", "gnomon", *words], environment, _ignore) for name, words in commands.items()}
        children |= {name: _worker(name, crew, environment) for name, crew in crews.items()}
        for child in children.values():
            stack.push_async_callback(child.stop, _STOP_WITHIN)
        await asyncio.gather(*(child.start() for child in children.values()))
        if has_api:
            await children["api"].address()
        await _ready(pool)
        yield Household({"receiver": sink} | children, received)


def _worker(name: str, crew: Crew, environment: Mapping[str, str]) -> Child:
    words = ["-m", "gnomon", "work", "--name", name, *crew.options]
    if not crew.niceness:
        return Child(name, words, environment, _ignore)
    return Child(name, ["-n", str(crew.niceness), sys.executable, *words], environment, _ignore, program="nice")


async def _ready(pool: Pool) -> None:
    until = time.monotonic() + _PATIENCE
    while (await one(pool, _HELD))["roles"] < _ROLES:
        if time.monotonic() > until:
            raise NotReady("shards are not looked after")
        await asyncio.sleep(_LOOK_EVERY)


def _ignore(_name: str, _is_error: bool, _line: str) -> None:  # noqa: FBT001  # what a Child calls
    """What they write is kept by the child, for when it fails."""
