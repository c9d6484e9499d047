"""Single cancels raced against pollers and workers, and the receiver's word on each answer."""

import asyncio
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from gnomon.bench.life import BATCH, Refused
from gnomon.database.call import one, rows
from gnomon.database.pool import Pool
from gnomon.demo.receipts import Receipt

FIRE_AHEAD: Final = timedelta(seconds=2)

_CALLERS: Final = 8
_WAVE: Final = 500
_WAVES_APART: Final = timedelta(seconds=1.5)
# Seconds around the fire of a wave and around its hand-over in which it is cancelled.
_EARLIEST: Final = -0.2
_LATEST: Final = 0.6

_ACCEPT: Final = "select schedule_id, error_code from gnomon.schedule_many(%s::jsonb) order by ordinal"
_CANCEL: Final = "select schedule_id, status, handed_over_count, stopped_count from gnomon.cancel_schedule(%s)"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a cancel answered, and how long that took."""

    schedule_id: str
    status: str
    handed_over_count: int
    stopped_count: int
    seconds: float


async def accept(pool: Pool, requests: Sequence[Mapping[str, Any]]) -> list[str]:
    """The ids of all of them, in order. Raises Refused."""
    ids: list[str] = []
    for first in range(0, len(requests), BATCH):
        found = await rows(pool, _ACCEPT, [msgspec.json.encode(requests[first : first + BATCH]).decode()])
        if any(row["error_code"] for row in found):
            raise Refused("a schedule of a race was refused")
        ids += [row["schedule_id"] for row in found]
    return ids


async def race(pool: Pool, count: int, lead: timedelta) -> list[Answer]:
    """Cancel as many in waves that begin `lead` from now, half around their fire and half around their hand-over."""
    chance = random.Random(count)  # noqa: S311  # instants, no secrets
    now_utc: datetime = (await one(pool, "select gnomon_data.now_utc() as now_utc"))["now_utc"]
    zero = time.monotonic()
    dues = [now_utc + lead + number // _WAVE * _WAVES_APART for number in range(count)]
    wanted = [
        {
            "user_id": f"race_{number}",
            "template_id": "race",
            "channels": ["webhook"],
            "lane": ("critical", "transactional")[number % 2],
            "schedule_at": due.isoformat(timespec="milliseconds"),
        }
        for number, due in enumerate(dues)
    ]
    ids = await accept(pool, wanted)
    acts = []
    for number, (schedule_id, due) in enumerate(zip(ids, dues, strict=True)):
        at = due - (FIRE_AHEAD if number // 2 % 2 else timedelta())
        acts.append((zero + (at - now_utc).total_seconds() + chance.uniform(_EARLIEST, _LATEST), schedule_id))
    acts.sort(reverse=True)

    async def caller() -> list[Answer]:
        answers = []
        while acts:
            at, schedule_id = acts.pop()
            await asyncio.sleep(max(0.0, at - time.monotonic()))
            began = time.perf_counter()
            told = await one(pool, _CANCEL, [schedule_id])
            answers.append(Answer(**told, seconds=time.perf_counter() - began))
        return answers

    return [answer for answers in await asyncio.gather(*(caller() for _ in range(_CALLERS))) for answer in answers]


def contradictions(received: Iterable[Receipt], answers: Sequence[Answer]) -> list[Answer]:
    """Answers that the receiver refutes.

    `cancelled`: nothing came. `fired`: what had been handed over came and nothing else; a worker may drop what it is told of
    before it sends.
    """
    came: dict[str, set[str]] = {}
    for receipt in received:
        came.setdefault(receipt.schedule_id, set()).add(receipt.delivery_id)
    return [answer for answer in answers if not _is_true(answer, len(came.get(answer.schedule_id, ())))]


def _is_true(answer: Answer, came: int) -> bool:
    if answer.status == "cancelled":
        return came == 0 and answer.handed_over_count == 0
    return answer.status == "fired" and answer.handed_over_count - answer.stopped_count <= came <= answer.handed_over_count
