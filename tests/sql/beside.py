"""Roles that go on beside a test, each in a session of its own: pollers, workers, consumers."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event

import psycopg

from tests.support.races import sessions, wait_until


@dataclass(frozen=True)
class Roles:
    """Roles under way."""

    _futures: list[Future[int]]

    def wait_until(self, is_so: Callable[[], object], what: str) -> None:
        """Look until `is_so` answers yes or a role has failed; its error is raised where the roles end."""
        wait_until(lambda: any(future.done() for future in self._futures) or is_so(), what)

    @property
    def turns(self) -> list[int]:
        """How often each role had its turn; to be asked when they have ended."""
        return [future.result() for future in self._futures]


@contextmanager
def beside(url: str, *roles: Callable[[psycopg.Connection], object]) -> Iterator[Roles]:
    """Give each role turn after turn until the block ends. Raises what a role raised."""
    is_over = Event()

    def go_on(session: psycopg.Connection, role: Callable[[psycopg.Connection], object]) -> int:
        turns = 0
        while not is_over.is_set():
            role(session)
            turns += 1
        return turns

    with sessions(url, len(roles)) as opened, ThreadPoolExecutor(len(roles)) as pool:
        running = Roles([pool.submit(go_on, *pair) for pair in zip(opened, roles, strict=True)])
        try:
            yield running
        finally:
            is_over.set()
        assert running.turns
