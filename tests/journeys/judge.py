"""What became of what was accepted, judged by the file of the sink alone.

Nothing here asks the database: what it believes to have sent is what a journey puts to the test.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from tests.support.sink import Received


class Task(NamedTuple):
    """What has to reach the sink once: one occurrence in one channel."""

    schedule_id: str
    occurrence: int
    channel: str


@dataclass(frozen=True)
class Verdict:
    """What a file shows. `resent` are all copies but the first; they bear the id of the first."""

    lost: frozenset[Task]
    unasked: frozenset[Task]
    """Received, though nobody was told that it was accepted."""
    twice: frozenset[Task]
    """Received under more than one delivery id."""
    resent: Sequence[Received]

    @property
    def is_clean(self) -> bool:
        """Whether everything came and nothing else; copies with the same delivery id are judged apart."""
        return not (self.lost or self.unasked or self.twice)


def judge(received: Sequence[Received], expected: Collection[Task]) -> Verdict:
    """Compare a file with what was accepted and not cancelled."""
    ids: dict[Task, set[str]] = {}
    for one in received:
        ids.setdefault(task_of(one), set()).add(one.delivery_id)
    wanted = frozenset(expected)
    return Verdict(
        lost=wanted.difference(ids),
        unasked=frozenset(ids).difference(wanted),
        twice=frozenset(task for task, found in ids.items() if len(found) > 1),
        resent=copies(received),
    )


def task_of(received: Received) -> Task:
    """The task that a line of the file is about."""
    return Task(received.schedule_id, received.occurrence, received.channel)


def firsts(received: Iterable[Received]) -> list[Received]:
    """The first line of each delivery id, in the file's order."""
    found: dict[str, Received] = {}
    for one in received:
        found.setdefault(one.delivery_id, one)
    return list(found.values())


def copies(received: Iterable[Received]) -> list[Received]:
    """The lines whose delivery id had been there before."""
    seen: set[str] = set()
    found = []
    for one in received:
        if one.delivery_id in seen:
            found.append(one)
        seen.add(one.delivery_id)
    return found


def unexplained(received: Sequence[Received], via: str, ended_at: float, *, grace: timedelta) -> list[Received]:
    """Copies that the end of one sender does not explain.

    It does when the first copy came from that sender, at most `grace` before its end, since it settles sooner than that
    (or as much after it, since what has left waits for a busy sink), and the copy is a later attempt by another sender.
    `ended_at` in seconds of the wall clock.
    """
    first = {one.delivery_id: one for one in reversed(received)}
    return [
        one
        for one in copies(received)
        if not (
            first[one.delivery_id].via == via
            and abs(ended_at - first[one.delivery_id].at) <= grace.total_seconds()
            and one.via != via
            and one.attempt > first[one.delivery_id].attempt
        )
    ]


def out_of_order(received: Iterable[Received]) -> list[Received]:
    """Deliveries that came after one of the same user and channel that is due later; resends aside.

    For schedules without a window: with one, the instant they are ordered by is not what the receiver is told.
    """
    highest: dict[tuple[str, str], tuple[datetime, str]] = {}
    found = []
    for one in firsts(received):
        group = (one.user_id, one.channel)
        place = (due_of(one), one.delivery_id)
        if group in highest and place < highest[group]:
            found.append(one)
        highest[group] = max(highest.get(group, place), place)
    return found


def due_of(received: Received) -> datetime:
    """The scheduled instant, as the receiver was told."""
    return datetime.fromisoformat(received.due_at)


def lateness(received: Received) -> timedelta:
    """How long after its scheduled instant the request came, by the clock of this machine."""
    return datetime.fromtimestamp(received.at, UTC) - due_of(received)
