"""A claimed delivery and the time that is left to send it.

The database says how long a lease is: claimed_until_utc - now_utc. This process counts that length from the moment before
it sent the call, on a clock that goes on while the process sleeps. So its idea of the end is never later than the
database's, however long the answer took, and no common clock is needed.

    |-- sent ------ claimed (now_utc) ------ answer read --------------------------- claimed_until_utc
    |<------------------------ length of the lease --------------------->| the end, as this process sees it
                                                     |<-- timeout -->|
                                                     last start of a send
"""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

_HAS_BOOT_CLOCK: Final = hasattr(time, "CLOCK_BOOTTIME")

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUE_OF: Final = {letter: value for value, letter in enumerate(_ALPHABET)}
_ID_BITS: Final = 128
_TIME_BITS: Final = 48


class LeaseOver(Exception):
    """Too little of the lease is left to start sending."""


def steady() -> timedelta:
    """A clock that never goes back and, where the system has one, counts the time a suspended machine slept."""
    seconds = time.clock_gettime(time.CLOCK_BOOTTIME) if _HAS_BOOT_CLOCK else time.monotonic()
    return timedelta(seconds=seconds)


@dataclass(slots=True, eq=False)
class Claim:
    """A delivery that this process holds."""

    delivery_id: str
    claim_id: str
    lane: str
    channel: str
    attempt: int
    event: bytes
    """The body of the request: one CloudEvent, compact JSON."""
    claimed_at_utc: datetime
    """The database's clock when it was claimed."""
    asked_at: timedelta
    """The steady clock before the claiming call was sent."""
    ends_at: timedelta
    """The steady clock at which the lease is over."""
    timeout: timedelta = field(default=timedelta())
    """What its channel may take for one attempt."""
    has_begun: bool = False
    """Whether anything of this attempt may have left: then an end without an answer is unclear."""

    @property
    def can_start(self) -> bool:
        """Whether a whole attempt still fits into the lease."""
        return self.ends_at - steady() >= self.timeout

    @property
    def now_utc(self) -> datetime:
        """The database's clock now, at most one round trip ahead."""
        return self.claimed_at_utc + (steady() - self.asked_at)

    @property
    def due_at_utc(self) -> datetime:
        """The due instant to the millisecond; the id begins with it."""
        return due_of(self.delivery_id)

    def begin(self) -> None:
        """Say that the first byte leaves now; raises LeaseOver when it must not.

        A channel calls this right before it: between the worker's own look at the lease and that moment lie a name to
        resolve and a connection to open, and the process may have been stopped there and woken much later.
        """
        if not self.can_start:
            raise LeaseOver
        self.has_begun = True


def due_of(delivery_id: str) -> datetime:
    """The due instant that a delivery id begins with, in whole milliseconds."""
    number = 0
    for letter in delivery_id.partition("_")[2]:
        number = number << 5 | _VALUE_OF[letter]
    milliseconds = number >> (_ID_BITS - _TIME_BITS)
    return datetime.fromtimestamp(milliseconds // 1000, UTC) + timedelta(milliseconds=milliseconds % 1000)
