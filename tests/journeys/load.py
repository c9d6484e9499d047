"""A steady load of callers who do not give up: what they have no answer for they ask again, under the same dedup_key.

with steady_load(stage, "a") as load:
    ...                       about two hundred a second are accepted and fall due within a second and a half
load.accepted                 after the block: everything that somebody was told is accepted

They hold back while more is under way than a healthy system ever has: a machine that has other things to do gets the same
journey with less in it, and not a backlog that hides what is looked for.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from tests.journeys.stage import Accepted, Stage, accepted_of, request, tasks
from tests.support.given import rows

PER_SECOND: Final = 200

MOST_UNDER_WAY: Final = 1_000
"""Deliveries of what was accepted; a healthy system has a third of it, and an outage of five seconds makes it so many."""

_CALLERS: Final = 2
_BATCH: Final = 10
_GAP: Final = _CALLERS * _BATCH / PER_SECOND
_USERS: Final = 400
_LANES: Final = ("critical", "transactional")
"""Not bulk, where the end of a worker is the end of what it was sending."""

_PAUSE: Final = 0.05
"""Seconds before a caller who got no answer asks again."""

_ONCE: Final[dict[str, Any]] = {"schedule_at": None, "recurrence": {"pattern": "elapsed", "every": "PT1S", "end_after": 1}}
"""A recurrence that ends with its first occurrence: fired on the other way, and owed just as exactly."""


@dataclass
class Load:
    """What callers were told so far."""

    accepted: list[Accepted] = field(default_factory=list)
    unanswered_count: int = 0
    """Calls that ended without an answer and were made again."""
    owed_count: int = 0
    """What the sink is to be sent for them."""
    is_over: Event = field(default_factory=Event)


@contextmanager
def steady_load(stage: Stage, name: str, *, url: str | None = None) -> Iterator[Load]:
    """Accept without pause as long as the block lasts; at its end each caller gets the answer to what he asked last.

    `name` distinguishes this load's users and keys from those of others on the same stage. `url`: another way to the
    database than the stage's.
    """
    load, arrivals = Load(), Arrivals(stage.sink.file)
    with ThreadPoolExecutor(max_workers=_CALLERS + 1) as threads:
        counting = threads.submit(arrivals.count, load.is_over)
        calls = partial(_call_on, url or stage.url, load=load, arrivals=arrivals)
        callers = [threads.submit(calls, f"{name}{number}") for number in range(_CALLERS)]
        try:
            yield load
        finally:
            load.is_over.set()
        for thread in [counting, *callers]:
            thread.result()


class Arrivals:
    """How many lines the sink's file has got since this was made."""

    def __init__(self, file: Path) -> None:
        """Begin at its end."""
        self._file = file
        self._from = file.stat().st_size
        self.seen = 0

    def count(self, is_over: Event) -> None:
        """Keep `seen` up to date until it is over."""
        with self._file.open("rb") as file:
            file.seek(self._from)
            while not is_over.is_set():
                self.seen += file.read().count(b"\n")
                is_over.wait(_PAUSE)


def wanted(name: str, number: int) -> dict[str, Any]:
    """The request of this number: one in ten is a recurrence, one in seven goes to two channels."""
    more: dict[str, Any] = {"lane": _LANES[number % 2], "dedup_key": f"{name}-{number}"}
    if number % 7 == 0:
        more["channels"] = ["webhook", "push"]
    if number % 10 == 0:
        more |= _ONCE
    return request(f"{name}-{number % _USERS}", f"PT{0.2 + number % 14 / 10:.1f}S") | more


def _call_on(url: str, name: str, *, load: Load, arrivals: Arrivals) -> None:
    connection = _connected(url)
    for turn in count():
        began = time.monotonic()
        batch = [wanted(name, turn * _BATCH + place) for place in range(_BATCH)]
        while (answers := _asked(connection, batch)) is None:
            load.unanswered_count += 1
            time.sleep(_PAUSE)
            connection = _connected(url)
        load.accepted += answers
        load.owed_count += len(tasks(answers))
        # What an outage kept back is not made up for: the load stays what it is.
        load.is_over.wait(max(0.0, began + _GAP - time.monotonic()))
        while load.owed_count - arrivals.seen > MOST_UNDER_WAY and not load.is_over.is_set():
            load.is_over.wait(_PAUSE)
        if load.is_over.is_set():
            break
    if connection is not None:
        connection.close()


def _connected(url: str) -> psycopg.Connection | None:
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=2)
    except psycopg.OperationalError:
        return None


def _asked(connection: psycopg.Connection | None, batch: Sequence[dict[str, Any]]) -> list[Accepted] | None:
    """The answers to a batch, or None when there was none."""
    if connection is None:
        return None
    try:
        answers = rows(connection, "select * from gnomon.schedule_many(%s) order by ordinal", Jsonb(batch))
    except psycopg.OperationalError:
        return None
    assert {answer.error_code for answer in answers} == {None}, answers
    return [accepted_of(*pair) for pair in zip(answers, batch, strict=True)]
