"""The protocol that every channel keeps, and what it may answer.

A channel turns one claim into one attempt and says how it ended. It knows nothing of lanes, retries or the database: what
follows from a verdict in which lane is decided there (gnomon_data.meaning_of).

Whatever a channel raises counts as transient before `claim.begin()` and as unclear after it.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from gnomon.settings import Settings
from gnomon_pollers.claims import Claim


class Verdict(StrEnum):
    """What became of one attempt; the words that gnomon.delivery_outcome takes."""

    SENT = "sent"
    """The other side took it."""

    GONE = "gone"
    """Never again for this recipient: the address is gone."""

    REFUSED = "refused"
    """Never again with this request: it would be refused each time."""

    THROTTLED = "throttled"
    """Not taken: too much at once. Not again before retry_after, and what else is meant for this address waits as well."""

    TRANSIENT = "transient"
    """Not taken, for a reason that passes: an error of the other side, or no connection."""

    UNCLEAR = "unclear"
    """It may have been taken. Critical and transactional deliveries are tried again with the same id, bulk ends here."""

    UNAUTHORISED = "unauthorised"
    """Not taken for lack of valid credentials, which the operator must mend: it uses up no attempt."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of one attempt, in the channel's words."""

    verdict: Verdict
    detail: str | None = None
    """Why, for people: the provider's own reason where there is one."""
    reference: str | None = None
    """The provider's name for what it took."""
    retry_after: timedelta | None = None
    """The least time the other side asked to be left alone."""


def no_answer(claim: Claim, detail: str) -> Answer:
    """The end of an attempt to which nothing was answered: unclear from the moment a byte may have left."""
    return Answer(Verdict.UNCLEAR if claim.has_begun else Verdict.TRANSIENT, detail=detail)


class Channel(Protocol):
    """One way out. Made once a process with its settings; used by many sends at a time, in one event loop."""

    timeout: timedelta
    """The longest one attempt may take. No attempt starts with less than this left of its lease."""

    def __init__(self, settings: Settings) -> None:
        """Read what the channel needs; raises SettingInvalid when a setting cannot be meant."""

    async def open(self) -> None:
        """Get ready to send."""

    async def send(self, claim: Claim) -> Answer:
        """Make one attempt; call `claim.begin()` right before the first byte leaves and let its LeaseOver through.

        The caller limits the time and cancels; connections must not survive in a half-used state.
        """

    async def close(self) -> None:
        """Let go of connections; sends have ended before."""
