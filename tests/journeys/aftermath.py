"""What must hold after any fault, and the load under which faults happen."""

import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from tests.journeys.judge import Task, judge
from tests.journeys.stage import LEASE, Accepted, Stage, accepted_of, request, tasks
from tests.support.given import one, value
from tests.support.races import wait_until
from tests.support.sink import Received

GRACE: Final = 1.0
"""Seconds: an outcome is settled sooner than this after its answer, also on a busy machine."""

TAKE_OVER: Final = timedelta(seconds=10)
"""Nothing is later than this, whatever has ended."""

_UNDER_WAY: Final = "select count(*) from gnomon_data.deliveries"

_PAUSE: Final = 0.02
_LANES: Final = ("critical", "transactional")


@dataclass(frozen=True)
class Span:
    """How long something was wrong, in seconds of this machine's wall clock."""

    began_at: float
    ended_at: float

    def explains(self, at: float) -> bool:
        """Whether what was sent then may have stayed unsettled because of it."""
        return self.began_at - GRACE <= at <= self.ended_at + GRACE


def wait_until_settled(stage: Stage) -> None:
    """Wait until nothing is left on its way, which could come again: what was sent in vain waits for its lease."""
    wait_until(lambda: value(stage.connection, _UNDER_WAY) == 0, "all that was sent is settled", patience=LEASE + TAKE_OVER)


def reckoned(stage: Stage, owed: Collection[Task], *, before: int = 0, troubles: Sequence[Span] = ()) -> list[Received]:
    """What came after the first `before` lines, found faultless: all that is owed and nothing else, each under one id.

    A second copy is one more attempt at what was sent while something was wrong. Nothing is left on its way, which could
    come again, and the ledger balances.
    """
    wait_until_settled(stage)
    received = stage.since(before)
    verdict = judge(received, owed)
    assert verdict.is_clean, verdict
    first = {line.delivery_id: line for line in reversed(received)}
    for copy in verdict.resent:
        original = first[copy.delivery_id]
        assert copy.attempt > original.attempt, (original, copy)
        assert any(span.explains(original.at) for span in troubles), (original, copy)
    assert stage.unbalanced() == []
    return received


def clock_of(stage: Stage) -> timedelta:
    """By how much this machine's clock must be moved to show what the database's does: add it to a lateness."""
    return stage.now_utc() - datetime.fromtimestamp(time.time(), UTC)


@dataclass
class Load:
    """Callers who schedule one after the other; each repeats, by its dedup_key, what it has no answer for."""

    accepted: list[Accepted] = field(default_factory=list)
    enough: Event = field(default_factory=Event)

    def owed(self) -> set[Task]:
        """What all of it owes the sink."""
        return tasks(self.accepted)


@contextmanager
def under_load(
    stage: Stage,
    name: str,
    *,
    callers: int = 2,
    pause: float = _PAUSE,
    ahead: Sequence[str] = ("PT0.2S", "PT1.2S"),
    url: str | None = None,
    **options: Any,
) -> Iterator[Load]:
    """Callers beside the block, until it ends; `pause` in seconds between two schedules of one.

    url: where they connect, when not to the stage's database; options: of their connections.
    """
    load = Load()

    def caller(number: int) -> None:
        connection: psycopg.Connection | None = None
        done, is_answered = 0, True
        while not (load.enough.is_set() and is_answered):
            wanted = request(
                f"{name}-{number}-{done % 40}",
                ahead[done % len(ahead)],
                dedup_key=f"{name}-{number}-{done}",
                lane=_LANES[done // 2 % 2],
            )
            try:
                connection = connection or psycopg.connect(url or stage.url, autocommit=True, connect_timeout=2, **options)
                answer = one(connection, "select * from gnomon.schedule(%s)", Jsonb(wanted))
            except psycopg.OperationalError:
                connection, is_answered = None, False
                time.sleep(_PAUSE)
                continue
            load.accepted.append(accepted_of(answer, wanted))
            done, is_answered = done + 1, True
            time.sleep(pause)
        if connection is not None:
            connection.close()

    with ThreadPoolExecutor(max_workers=callers) as threads:
        running = [threads.submit(caller, number) for number in range(callers)]
        try:
            yield load
        finally:
            load.enough.set()
    for one_caller in running:
        one_caller.result()


def wait_for_all(stage: Stage, owed: Collection[Task]) -> None:
    """Wait until all that is owed has come, as long as leases and take-overs may take."""
    stage.wait_for(owed, patience=LEASE + 2 * TAKE_OVER)
