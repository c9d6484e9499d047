"""Races made to happen: what a test waits for is seen in the server, never guessed by a pause."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from typing import Final, TypeVar

import psycopg

from tests.support.given import value

T = TypeVar("T")

_PATIENCE: Final = timedelta(seconds=20)
_STEP: Final = timedelta(milliseconds=5)

_IS_BLOCKED: Final = "select cardinality(pg_blocking_pids(%s)) > 0"
_IS_ASLEEP: Final = "select exists (select from pg_stat_activity where pid = %s and wait_event = 'PgSleep')"


class NeverHappened(AssertionError):
    """What the test waited for did not come."""


def wait_until(is_so: Callable[[], object], what: str, *, patience: timedelta = _PATIENCE) -> None:
    """Look until `is_so` answers yes. Raises NeverHappened, naming `what`, when the patience is used up."""
    end = time.monotonic() + patience.total_seconds()
    while not is_so():
        if time.monotonic() > end:
            message = f"not within {patience.total_seconds():g} s: {what}"
            raise NeverHappened(message)
        time.sleep(_STEP.total_seconds())


def is_blocked(connection: psycopg.Connection, pid: int) -> bool:
    """Whether the session with this backend pid waits for a lock."""
    return bool(value(connection, _IS_BLOCKED, pid))


def wait_until_blocked(connection: psycopg.Connection, pid: int, *, patience: timedelta = _PATIENCE) -> None:
    """Wait until the session with this backend pid waits for a lock; `connection` must be another one."""
    wait_until(lambda: is_blocked(connection, pid), f"session {pid} waits for a lock", patience=patience)


def wait_until_asleep(connection: psycopg.Connection, pid: int, *, patience: timedelta = _PATIENCE) -> None:
    """Wait until the session with this backend pid stands in pg_sleep."""
    wait_until(lambda: value(connection, _IS_ASLEEP, pid), f"session {pid} sleeps", patience=patience)


@contextmanager
def sessions(url: str, count: int, *, autocommit: bool = True) -> Iterator[list[psycopg.Connection]]:
    """As many connections as asked, closed at the end whatever became of them, and what they left open is over by then.

    A server ends the transaction of a connection that is closed when it comes to see it, which may be later.
    """
    with ExitStack() as stack:
        opened = [stack.enter_context(closing(psycopg.connect(url, autocommit=autocommit))) for _ in range(count)]
        yield opened
        for connection in opened:
            with suppress(psycopg.Error):
                connection.rollback()


@contextmanager
def in_background(run: Callable[[], T]) -> Iterator[Future[T]]:
    """Run something beside the test, for example a statement that is to be blocked; its result is awaited at the end."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(run)
        yield future
        future.result(timeout=_PATIENCE.total_seconds())
