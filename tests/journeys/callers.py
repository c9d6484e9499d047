"""Callers who act at instants of their own choosing, each over a connection of their own."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TypeAlias, TypeVar

import psycopg

T = TypeVar("T")

Act: TypeAlias = tuple[float, Callable[[psycopg.Connection], T]]
"""When, in seconds of the wall clock, and what; one that is late is done at once."""


def act(url: str, acts: Sequence[Act[T]], *, callers: int) -> list[T]:
    """Let several callers do all of this, each act at its instant; the results, in no order."""
    waiting: SimpleQueue[Act[T]] = SimpleQueue()
    for one in sorted(acts, key=lambda one: one[0]):
        waiting.put(one)

    def caller() -> list[T]:
        results: list[T] = []
        with psycopg.connect(url, autocommit=True) as connection:
            while True:
                try:
                    at, do = waiting.get_nowait()
                except Empty:
                    return results
                time.sleep(max(0.0, at - time.time()))
                results.append(do(connection))

    with ThreadPoolExecutor(max_workers=callers) as threads:
        running = [threads.submit(caller) for _ in range(callers)]
        return [result for one in running for result in one.result()]
