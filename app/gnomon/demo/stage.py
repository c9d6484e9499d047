"""The stage of a demo: a folder, a database, the processes, from nothing to nothing.

    folder/data             the embedded database
    folder/received.jsonl   what the sink wrote

All of it is gone at the end, whichever way it ends. What the caller's environment says of Gnomon is left out: a demo must
not reach into an installation that is in use.
"""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final, Literal

from gnomon.children.child import Child, Hear
from gnomon.embedded import Embedded
from gnomon.embedded.account import is_root
from gnomon.settings import surroundings

LEASE: Final = timedelta(seconds=5)
"""How long what a killed worker held stays away; the shortest that is allowed."""

SINK: Final = ("-m", "gnomon.demo.sink")
"""What the interpreter runs as the receiver; the file's path is added."""

POLLERS: Final = ("poller-1", "poller-2")
WORKERS: Final = ("worker-1", "worker-2")

_GNOMON: Final = ("-m", "gnomon")

_STOP_WITHIN: Final = timedelta(seconds=8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What runs."""

    database: Embedded
    received: Path
    """The sink's file."""
    sink: Child
    api: Child
    pollers: tuple[Child, ...]
    workers: tuple[Child, ...]
    environment: dict[str, str]
    """What the roles were told."""

    @property
    def children(self) -> tuple[Child, ...]:
        """Every process but the database's."""
        return (*self.pollers, *self.workers, self.api, self.sink)

    async def restart_database(self, mode: Literal["fast", "immediate"]) -> None:
        """Restart PostgreSQL under everybody; returns when it answers again."""
        await _to_its_end(self.database.restart, mode)


@asynccontextmanager
async def stage(hear: Hear, sink: Sequence[str] = SINK) -> AsyncIterator[Stage]:
    """Set everything up, and take it down with the block.

    `hear` is told what the processes write. Raises ChildEnded and what Embedded.start raises.
    """
    with _folder() as folder:
        received = folder / "received.jsonl"
        async with AsyncExitStack() as stack:
            receiver = Child("sink", [*sink, str(received)], surroundings(), hear)
            database = Embedded(folder / "data")
            stack.push_async_callback(asyncio.to_thread, database.stop)
            stack.push_async_callback(receiver.stop, _STOP_WITHIN)
            address, _ = await asyncio.gather(_started(receiver), _to_its_end(_ready, database))
            environment = surroundings() | {
                "GNOMON_DATABASE_URL": database.url,
                "GNOMON_WEBHOOK_URL": address,
                "GNOMON_WEBHOOK_PRIVATE": "on",
                "GNOMON_LEASE": f"PT{LEASE.total_seconds():g}S",
            }
            api = Child("api", [*_GNOMON, "serve", "--listen", "127.0.0.1:0", "--json"], environment, hear)
            pollers = tuple(Child(name, [*_GNOMON, "poll", "--name", name], environment, hear) for name in POLLERS)
            workers = tuple(Child(name, [*_GNOMON, "work", "--name", name], environment, hear) for name in WORKERS)
            roles = (*pollers, *workers, api)
            stack.push_async_callback(_stop_all, roles)
            await asyncio.gather(*(child.start() for child in roles))
            yield Stage(
                database=database,
                received=received,
                sink=receiver,
                api=api,
                pollers=pollers,
                workers=workers,
                environment=environment,
            )


async def _started(child: Child) -> str:
    await child.start()
    return await child.address()


async def _to_its_end(function: Callable[..., None], *arguments: object) -> None:
    """Run in a thread, which cannot be cancelled: nobody may take down what it still works on."""
    running = asyncio.ensure_future(asyncio.to_thread(function, *arguments))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        raise


def _ready(database: Embedded) -> None:
    """Make, start and migrate; the packages for it are read while the cluster is made."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(__import__, "gnomon.database.migrate")
        database.start()
        reading.result()
    from gnomon.database.migrate import upgrade

    upgrade(database.url)


async def _stop_all(children: Sequence[Child]) -> None:
    await asyncio.gather(*(child.stop(_STOP_WITHIN) for child in children))


@contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder that the server's account may enter, too."""
    folder = Path(tempfile.mkdtemp(prefix="gnomon-demo-")).resolve()
    try:
        if is_root():
            folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
