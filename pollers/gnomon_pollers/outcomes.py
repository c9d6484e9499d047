"""What became of attempts, kept until the database has it.

Outcomes travel with the next claim of their lane, or alone: when nothing else is being sent, and at the latest 20 ms after
the first. They stay here while the database is away; a claim that has passed to somebody else by then settles nothing.
"""

from collections import deque
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from gnomon_pollers.channels.channel import Answer
from gnomon_pollers.claims import Claim

LONGEST_WAIT: Final = timedelta(milliseconds=20)
"""An outcome older than this is settled even when more are on their way: the next of its user may wait for it."""

LARGEST_BATCH: Final = 500
"""Outcomes in one call."""

_LONGEST_TEXT: Final = 500
"""Characters of detail and reference that are kept."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One end of an attempt in the words of gnomon.delivery_outcome."""

    delivery_id: str
    claim_id: str
    outcome: str
    provider_reference: str | None
    detail: str | None
    retry_after: timedelta | None


def outcome_of(claim: Claim, answer: Answer) -> Outcome:
    """A channel's answer as the database takes it, which knows what it means in the lane."""
    return Outcome(
        claim.delivery_id,
        claim.claim_id,
        str(answer.verdict),
        _kept(answer.reference),
        _kept(answer.detail),
        answer.retry_after,
    )


class Outcomes:
    """The unsettled outcomes of one lane, the oldest first."""

    def __init__(self) -> None:
        """Begin with none."""
        self._waiting: deque[Outcome] = deque()
        self._first_at: timedelta | None = None

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def add(self, outcome: Outcome, at: timedelta) -> None:
        """Keep one; `at` is the steady clock."""
        self._waiting.append(outcome)
        if self._first_at is None:
            self._first_at = at

    def take(self) -> list[Outcome]:
        """Take a batch to be settled."""
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), LARGEST_BATCH))]
        if not self._waiting:
            self._first_at = None
        return batch

    def put_back(self, batch: list[Outcome], at: timedelta) -> None:
        """Take back what could not be settled."""
        self._waiting.extendleft(reversed(batch))
        if batch:
            self._first_at = at

    def wait_left(self, at: timedelta) -> timedelta | None:
        """How long the oldest may still wait for company; None when there is none."""
        if self._first_at is None:
            return None
        if len(self._waiting) >= LARGEST_BATCH:
            return timedelta()
        return max(timedelta(), self._first_at + LONGEST_WAIT - at)


def _kept(text: str | None) -> str | None:
    if not text:
        return None
    # PostgreSQL takes no NUL, and UTF-8 no half of a pair (aiohttp makes those of odd bytes in a header): one such answer
    # would spoil its whole batch.
    sound = text[:_LONGEST_TEXT].replace("\0", "\N{REPLACEMENT CHARACTER}")
    return sound.encode(errors="replace").decode()
