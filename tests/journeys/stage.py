"""The stage of a journey: a database, a sink, and roles of Gnomon, each a process of its own.

    with on_stage(url, folder) as stage:
        poller, worker = stage.start(poll("p1"), work("w1", "--concurrency", "4"))
        accepted = stage.accept({"user_id": ..., ...}, ...)
        stage.wait_for(tasks(accepted))
        assert judge(stage.received(), tasks(accepted)).is_clean

Each worker posts to the sink under its own name, so that the file tells who sent what.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from tests.journeys.judge import Task, task_of
from tests.support.given import rows, value
from tests.support.races import wait_until
from tests.support.roles import Role, running_role
from tests.support.sink import Received, Sink, running_sink

LEASE: Final = timedelta(seconds=5)
"""The shortest there is: what a killed worker held comes back after it."""

PATIENCE: Final = timedelta(seconds=30)

WEBHOOK: Final = ("webhook",)
_BATCH: Final = 10_000


@dataclass(frozen=True)
class Part:
    """A role to start: its name, its command, and what it is told beside the usual."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str]


def poll(name: str, *options: str, **environment: str) -> Part:
    """A poller."""
    return Part(name, ("poll", *options), environment)


def work(name: str, *options: str, **environment: str) -> Part:
    """A worker."""
    return Part(name, ("work", *options), environment)


@dataclass(frozen=True)
class Accepted:
    """A schedule that somebody was told is accepted."""

    schedule_id: str
    user_id: str
    fire_at_utc: datetime
    channels: tuple[str, ...]

    def tasks(self, occurrence: int = 1) -> set[Task]:
        """What one occurrence of it owes the sink."""
        return {Task(self.schedule_id, occurrence, channel) for channel in self.channels}


def tasks(accepted: Iterable[Accepted]) -> set[Task]:
    """What the first occurrences of many owe the sink."""
    return {task for one in accepted for task in one.tasks()}


@dataclass
class Stage:
    """What a journey uses."""

    url: str
    """The database, as a caller reaches it."""
    folder: Path
    sink: Sink
    _stack: ExitStack
    _read: list[Received] = field(default_factory=list)
    _offset: int = 0
    connection: psycopg.Connection = field(init=False)
    """Of a caller, each statement its own transaction."""

    def connect(self) -> None:
        """Connect the caller, also after the server broke the connection."""
        self.connection = self._stack.enter_context(psycopg.connect(self.url, autocommit=True))

    def start(self, *parts: Part) -> list[Role]:
        """Start roles beside each other and wait until each has shards to look after; they end with the stage."""
        with ThreadPoolExecutor(max_workers=len(parts)) as threads:
            roles = list(threads.map(self._start, parts))
        for part, role in zip(parts, roles, strict=True):
            wait_until(partial(role.has_said, "shards"), f"{part.name} has shards", patience=PATIENCE)
        return roles

    def accept(self, requests: Sequence[dict[str, Any]]) -> list[Accepted]:
        """Schedule all of them; each must be accepted."""
        accepted = []
        for begin in range(0, len(requests), _BATCH):
            batch = requests[begin : begin + _BATCH]
            answers = rows(self.connection, "select * from gnomon.schedule_many(%s) order by ordinal", Jsonb(batch))
            assert {answer.error_code for answer in answers} == {None}, answers
            accepted += [accepted_of(*pair) for pair in zip(answers, batch, strict=True)]
        return accepted

    def now_utc(self) -> datetime:
        """The database's clock."""
        at: datetime = value(self.connection, "select gnomon_data.now_utc()")
        return at.astimezone(UTC)

    def unbalanced(self) -> list[Any]:
        """What is not as it should be in the ledger, and what is missing by name: nothing, whatever has crashed."""
        days = rows(self.connection, "select * from gnomon.ledger() where missing_count <> 0")
        faults = "select f.* from generate_series(0, 63) as s (n), gnomon.ledger_faults(s.n::smallint, null) as f"
        return days + rows(self.connection, faults)

    def received(self) -> list[Received]:
        """What the sink has answered with 2xx so far; only what is new is read."""
        with self.sink.file.open("rb") as file:
            file.seek(self._offset)
            whole = file.read().rpartition(b"\n")[0]
        if whole:
            self._offset += len(whole) + 1
            self._read += [Received(*json.loads(line)) for line in whole.splitlines()]
        return self._read

    def since(self, count: int) -> list[Received]:
        """What came after the first so many lines of the file."""
        return self.received()[count:]

    def wait_for(self, expected: Collection[Task], *, patience: timedelta = PATIENCE) -> None:
        """Wait until all of this has reached the sink. Raises NeverHappened."""
        missing = set(expected)
        seen = 0

        def is_all() -> bool:
            nonlocal seen
            lines = self.received()
            missing.difference_update(task_of(line) for line in lines[seen:])
            seen = len(lines)
            return not missing

        wait_until(is_all, f"all of {len(missing)} reach the sink", patience=patience)

    def wait_for_count(self, count: int, *, patience: timedelta = PATIENCE) -> None:
        """Wait until the file has so many lines. Raises NeverHappened."""
        wait_until(lambda: len(self.received()) >= count, f"{count} lines in the sink's file", patience=patience)

    def _start(self, part: Part) -> Role:
        folder = self.folder / part.name
        folder.mkdir()
        environment = {
            "GNOMON_DATABASE_URL": self.url,
            "GNOMON_WEBHOOK_URL": f"{self.sink.url}?via={part.name}",
            "GNOMON_WEBHOOK_PRIVATE": "on",
            "GNOMON_LEASE": f"PT{LEASE.seconds}S",
        } | part.environment
        return self._stack.enter_context(running_role(folder, *part.command, "--name", part.name, **environment))


def accepted_of(answer: Any, request: dict[str, Any]) -> Accepted:
    """What an answer of gnomon.schedule or schedule_many promises for a request that names its channels."""
    channels = tuple(request["channels"])
    return Accepted(answer.schedule_id, request["user_id"], answer.fire_at_utc.astimezone(UTC), channels)


def request(user_id: str, at: datetime | str, **more: Any) -> dict[str, Any]:
    """A request for one delivery to the webhook channel at an instant or in a while."""
    when = at.isoformat() if isinstance(at, datetime) else at
    return {"user_id": user_id, "template_id": "journey", "schedule_at": when, "channels": list(WEBHOOK)} | more


def note(measured: str) -> None:
    """Say what was measured; pytest shows it with -s, and when the journey fails."""
    print(f"\n  {measured}")


@contextmanager
def on_stage(url: str, folder: Path) -> Iterator[Stage]:
    """A stage over a database that has everything loaded; all that was started on it is killed at the end."""
    with running_sink(folder) as sink, ExitStack() as stack:
        stage = Stage(url, folder, sink, stack)
        stage.connect()
        yield stage
