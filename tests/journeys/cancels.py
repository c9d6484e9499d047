"""Cancels raced against the fire and the send, and what the sink's file has to show for each answer."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

import psycopg
from psycopg.types.json import Jsonb

from tests.journeys.callers import Act, act
from tests.journeys.stage import Accepted, Stage, request
from tests.support.given import one
from tests.support.sink import Received

FIRE_AHEAD: Final = timedelta(seconds=2)
_CALLERS: Final = 6


@dataclass(frozen=True)
class Answer:
    """What one cancel answered."""

    schedule_id: str
    status: str
    handed_over_count: int
    stopped_count: int

    @classmethod
    def of(cls, row: Any) -> "Answer":
        """The answer in a row of gnomon.cancel_schedule."""
        return cls(row.schedule_id, row.status, row.handed_over_count, row.stopped_count)


def cancel(schedule: Accepted, connection: psycopg.Connection) -> Answer:
    """Cancel and keep the answer."""
    return Answer.of(one(connection, "select * from gnomon.cancel_schedule(%s)", schedule.schedule_id))


def race(stage: Stage, count: int) -> tuple[list[Accepted], list[Answer]]:
    """Cancel as many, due at one instant, half of them around their fire and half around their hand-over."""
    due = stage.now_utc() + FIRE_AHEAD + timedelta(seconds=1)
    chance = random.Random(count)  # noqa: S311  # instants, no secrets
    two = {"channels": ["webhook", "push"]}
    wanted = [
        request(f"u{number}", due, lane=("critical", "transactional")[number % 2], **(two if number % 5 == 0 else {}))
        for number in range(count)
    ]
    accepted = stage.accept(wanted)
    fire, send = (due - FIRE_AHEAD).timestamp(), due.timestamp()
    acts = [
        ((fire, send)[number // 2 % 2] + chance.uniform(-0.2, 0.5), partial(cancel, schedule))
        for number, schedule in enumerate(accepted)
    ]
    return accepted, act(stage.url, acts, callers=_CALLERS)


def contradictions(received: Iterable[Received], answers: Sequence[Answer]) -> list[tuple[Answer, dict[str, set[str]]]]:
    """Answers that the file refutes, each with the delivery ids that came, by channel.

    `cancelled`: nothing came. `fired`: what had been handed over came, once a channel, and the rest did not. A worker may
    drop what it is told of before it sends; with NOTIFY off it is told nothing, see `without_drops`.
    """
    came: dict[str, dict[str, set[str]]] = {}
    for line in received:
        came.setdefault(line.schedule_id, {}).setdefault(line.channel, set()).add(line.delivery_id)
    found = []
    for answer in answers:
        channels = came.get(answer.schedule_id, {})
        least = answer.handed_over_count - answer.stopped_count
        is_true = {
            "cancelled": not channels and answer.handed_over_count == 0,
            "fired": least <= len(channels) <= answer.handed_over_count and all(len(ids) == 1 for ids in channels.values()),
        }
        if not is_true.get(answer.status, False):
            found.append((answer, channels))
    return found


def without_drops(answers: Iterable[Answer]) -> list[Answer]:
    """The same answers where no worker is told to drop anything: all that was handed over comes."""
    return [Answer(one.schedule_id, one.status, one.handed_over_count, 0) for one in answers]


@dataclass(frozen=True)
class Repeated:
    """What became of one dedup key: created, cancelled, created again and again around the cancel, and once at the end."""

    created: Accepted
    cancelled: Answer
    again: Sequence[Any]
    """The answers to the repeats that were raced."""
    last: Any
    """The answer to a repeat after everything."""


def race_repeats(stage: Stage, count: int) -> list[Repeated]:
    """For as many dedup keys: cancel around the fire and the hand-over, and create again twice beside it."""
    due = stage.now_utc() + FIRE_AHEAD + timedelta(seconds=1)
    chance = random.Random(count)  # noqa: S311  # instants, no secrets
    wanted = [request(f"u{number}", due, dedup_key=f"again-{due}") for number in range(count)]
    created = stage.accept(wanted)
    fire, send = (due - FIRE_AHEAD).timestamp(), due.timestamp()
    acts: list[Act[Any]] = []
    for number, schedule in enumerate(created):
        at = (fire, send)[number % 2] + chance.uniform(-0.2, 0.5)
        acts.append((at, partial(cancel, schedule)))
        acts += [(at + chance.uniform(-0.03, 0.03), partial(create, wanted[number])) for _ in range(2)]
    results = act(stage.url, acts, callers=_CALLERS)
    answers = {result.schedule_id: result for result in results if isinstance(result, Answer)}
    return [
        Repeated(
            created=schedule,
            cancelled=answers[schedule.schedule_id],
            again=[one for one in results if not isinstance(one, Answer) and one.schedule_id == schedule.schedule_id],
            last=create(request_again, stage.connection),
        )
        for schedule, request_again in zip(created, wanted, strict=True)
    ]


def create(wanted: dict[str, Any], connection: psycopg.Connection) -> Any:
    """Schedule, as the caller that repeats itself does."""
    return one(connection, "select * from gnomon.schedule(%s)", Jsonb(wanted))
