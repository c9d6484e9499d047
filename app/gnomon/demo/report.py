"""The account of a run: what was promised against what the sink saw. A pure function of both.

Every accepted schedule is exactly one of

    delivered    all that was due arrived
    cancelled    a cancel stopped it
    pending      nothing of it was due yet
    lost         something was due and did not arrive

and what arrived may speak against us in three more ways:

    twice           two delivery ids for one occurrence and channel: a receiver that remembers ids would not notice
    resent          one delivery id seen more than once: at least once is the contract, and the id tells
    contradictions  what was cancelled arrived, or what nobody was promised, or before or for another instant than promised
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from gnomon.demo.book import Promise
from gnomon.demo.clocks import Clock
from gnomon.demo.receipts import Receipt

_MILLISECOND: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Lateness:
    """Received minus due, in milliseconds, over first arrivals; None when nothing arrived."""

    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The account."""

    accepted: int
    delivered: int
    cancelled: int
    pending: int
    lost: int
    twice: int
    resent: int
    contradictions: int
    lateness_ms: Lateness
    findings: tuple[str, ...] = ()
    """Each lost, doubled or contradicting one, in words."""

    @property
    def is_kept(self) -> bool:
        """Whether every promise was kept. What was resent with its own id breaks none."""
        return not (self.lost or self.twice or self.contradictions)


def report(
    promises: Collection[Promise],
    receipts: Sequence[Receipt],
    *,
    until_utc: datetime,
    clock: Clock | None = None,
    refusals: Sequence[str] = (),
) -> Report:
    """Account for everything due up to this instant.

    clock None: the sink's clock is the database's. refusals: answers that callers should not have got, in words.
    """
    clock = clock or Clock()
    seen: defaultdict[str, list[Receipt]] = defaultdict(list)
    for receipt in receipts:
        seen[receipt.schedule_id].append(receipt)
    kinds: Counter[str] = Counter()
    lost, twice, against = list[str](), list[str](), list(refusals)
    for promise in promises:
        of_this = seen.pop(promise.schedule_id, [])
        kinds[kind := _kind(promise, of_this, until_utc)] += 1
        lost += [_lost(promise)] if kind == "lost" else []
        twice += _twice(of_this)
        against += _against(promise, of_this, until_utc, clock)
    against += [f"{schedule_id} arrived and was promised to nobody" for schedule_id in seen]
    return Report(
        accepted=len(promises),
        delivered=kinds["delivered"],
        cancelled=kinds["cancelled"],
        pending=kinds["pending"],
        lost=kinds["lost"],
        twice=len(twice),
        resent=sum(times > 1 for times in Counter(receipt.delivery_id for receipt in receipts).values()),
        contradictions=len(against),
        lateness_ms=lateness_of(_samples(promises, receipts, clock)),
        findings=(*lost, *twice, *against),
    )


def lateness_of(samples: Collection[timedelta]) -> Lateness:
    """Percentiles by nearest rank, from all samples."""
    if not samples:
        return Lateness()
    ordered = sorted(samples)

    def percentile(percent: int) -> float:
        return round(ordered[ceil(len(ordered) * percent / 100) - 1] / _MILLISECOND, 1)

    return Lateness(percentile(50), percentile(95), percentile(99), percentile(100))


def _kind(promise: Promise, seen: Sequence[Receipt], until_utc: datetime) -> str:
    owed = promise.owed(until_utc)
    arrived = len(_places(seen))
    if arrived < owed.least:
        return "lost"
    if promise.ended is not None and (promise.ended.status == "cancelled" or not arrived):
        return "cancelled"
    return "delivered" if arrived or owed.least else "pending"


def _lost(promise: Promise) -> str:
    due = ", ".join(instant.isoformat() for instant in sorted(promise.instants))
    return f"{promise.schedule_id} was due at {due} and did not arrive by {' and '.join(promise.channels)}"


def _twice(seen: Sequence[Receipt]) -> Iterator[str]:
    ids: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for receipt in seen:
        ids[receipt.occurrence, receipt.channel].add(receipt.delivery_id)
    for (occurrence, channel), found in ids.items():
        if len(found) > 1:
            yield f"{seen[0].schedule_id}, occurrence {occurrence} by {channel}, came as {', '.join(sorted(found))}"


def _against(promise: Promise, seen: Sequence[Receipt], until_utc: datetime, clock: Clock) -> Iterator[str]:
    """What arrived against the promise, one finding a schedule."""
    arrived = len(_places(seen))
    most = promise.owed(until_utc).most
    if promise.ended is not None and arrived > most:
        yield f"{promise.schedule_id} arrived {arrived} times although its cancel answered {promise.ended.status}"
    elif arrived > most:
        yield f"{promise.schedule_id} arrived {arrived} times, {most} were due"
    elif strange := {receipt.channel for receipt in seen} - set(promise.channels):
        yield f"{promise.schedule_id} arrived by {', '.join(sorted(strange))}, which nobody asked for"
    elif not promise.is_open and {receipt.due_at for receipt in seen} - promise.instants:
        yield f"{promise.schedule_id} arrived for an instant that no answer named"
    elif any(receipt.received_at - clock.offset < receipt.due_at - clock.uncertainty for receipt in seen):
        yield f"{promise.schedule_id} arrived before it was due"


def _places(seen: Sequence[Receipt]) -> set[tuple[int, str]]:
    return {(receipt.occurrence, receipt.channel) for receipt in seen}


def _samples(promises: Collection[Promise], receipts: Sequence[Receipt], clock: Clock) -> list[timedelta]:
    """The lateness of each delivery's first arrival; what was asked for during the start is left out."""
    left_out = {promise.schedule_id for promise in promises if promise.is_warm_up}
    first: dict[str, timedelta] = {}
    for receipt in receipts:
        if receipt.schedule_id not in left_out:
            first.setdefault(receipt.delivery_id, receipt.received_at - clock.offset - receipt.due_at)
    return list(first.values())
