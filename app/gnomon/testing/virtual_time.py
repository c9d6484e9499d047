"""Time that jumps from one due instant to the next, through the product's own fire, claim and settle."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Final, Self

from gnomon.database.virtual_clock import VirtualClock, Work

#: How often upkeep comes in virtual time. Periods reach three days ahead, so part of the timers is near and part of them
#: far, as where upkeep was away for a while. Every day it would cost a year ten seconds.
UPKEEP_EVERY: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Delivered:
    """What a receiver would have got, and when."""

    at: datetime
    """The instant of hand-over on the virtual clock, UTC."""
    due_at: datetime
    """The scheduled instant, after offset and before window, UTC."""
    local_time: str | None
    """The nominal reading, `2027-03-14T02:30`; None for an instant."""
    time_zone: str | None
    user_id: str
    template_id: str
    channel: str
    occurrence: int
    attempt: int
    schedule_id: str
    delivery_id: str
    event: dict[str, Any] = field(repr=False, compare=False)
    """The whole CloudEvent."""


class VirtualTime:
    """The time of a database that is marked for tests. It stands, except in `advance`.

    outcome_of tells what becomes of a delivery: sent (the default), retry, failed or unknown, as a worker would report.
    """

    def __init__(
        self,
        url: str,
        *,
        outcome_of: Callable[[Delivered], str] = lambda _: "sent",
        upkeep_every: timedelta = UPKEEP_EVERY,
    ) -> None:
        """Take the database's clock over; upkeep comes so often in its time. Raises NotForTests, ProcessesAtWork."""
        self.outcome_of = outcome_of
        self._upkeep_every = upkeep_every
        self._clock = VirtualClock(url)
        self._kept_up_at = datetime.min.replace(tzinfo=UTC)

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Give the real clock back."""
        self.close()

    def close(self) -> None:
        """Give the real clock back. What is pending stays pending, and what is due by then fires when pollers come."""
        self._clock.close()

    @property
    def now(self) -> datetime:
        """What the clock shows, in UTC."""
        return self._clock.shown()

    def start(self, at: datetime) -> None:
        """Set the clock to an aware instant and fire nothing.

        Set forward with schedules pending, it is an outage: they are late when the next `advance` begins.
        """
        if at.tzinfo is None:
            raise ValueError(f"{at} says no zone")
        self._clock.show(at)
        self._keep_up(at)

    def advance(self, to: datetime | timedelta) -> list[Delivered]:
        """Let time pass up to an aware instant, or by a duration, and return what was delivered, in order.

        Jumps from one due instant to the next. Occurrences are fired two seconds ahead and handed over at their instant,
        as by a poller and a worker that are never late.
        """
        at = self.now
        until = at + to if isinstance(to, timedelta) else to
        if until < at:
            raise ValueError(f"time goes forward: {until} is before {at}, which the clock shows")
        delivered: list[Delivered] = []
        while at <= until:
            self._clock.show(at)
            self._keep_up(at)
            later = self._do_what_is_due(at, delivered)
            if later is None:
                break
            at = later
        self._clock.show(until)
        return delivered

    def _do_what_is_due(self, now: datetime, delivered: list[Delivered]) -> datetime | None:
        """Fire and deliver until nothing more can be done now, and give the next instant.

        What is due and cannot be done is held by an open transaction of somebody; a fire sets it back by seconds.
        """
        while True:
            due, later = self._clock.look(now)
            if sum(self._do(work, now, delivered) for work in due) == 0:
                return later

    def _do(self, work: Work, now: datetime, delivered: list[Delivered]) -> int:
        if work.plane != "ready":
            return self._clock.fire(work)
        outcomes = []
        for claim in self._clock.claim(work):
            told = _delivered(claim.event, now)
            delivered.append(told)
            outcomes.append((claim.delivery_id, claim.claim_id, self.outcome_of(told)))
        self._clock.settle(work, outcomes)
        return len(outcomes)

    def _keep_up(self, now: datetime) -> None:
        if not timedelta() <= now - self._kept_up_at < self._upkeep_every:
            self._clock.keep_up()
            self._kept_up_at = now


def _delivered(event: dict[str, Any], now: datetime) -> Delivered:
    data = event["data"]
    return Delivered(
        at=now,
        due_at=datetime.fromisoformat(data["due_at"]),
        local_time=data["local_time"],
        time_zone=data["timezone"],
        user_id=data["user_id"],
        template_id=data["template_id"],
        channel=data["channel"],
        occurrence=data["occurrence"],
        attempt=data["attempt"],
        schedule_id=data["schedule_id"],
        delivery_id=event["id"],
        event=event,
    )
