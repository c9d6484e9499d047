"""Senders that are to be left alone for a while, by all lanes of this process.

    throttled      with a Retry-After: nothing but critical goes there until then, a little later by chance
    unauthorised   nothing goes there for about a minute: each attempt would be refused like the last. Of a sender that has
                   taken something, only when several deliveries are refused in a row: a receiver may answer 403 to what one
                   of them says, and that one must not hold up all others each time it is tried
    then           one attempt, and what it answers decides: everything again, or the same wait once more

What waits goes back to the database unsent, so that nobody holds a row that he may not send. Other processes learn it by
attempts of their own.
"""

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from gnomon.log import logger
from gnomon_pollers.channels.channel import Answer, Verdict

CRITICAL: Final = 0

LONGEST_QUIET: Final = timedelta(minutes=5)
"""A Retry-After holds back a whole sender for no longer; the delivery itself waits as its lane allows."""

UNAUTHORISED_FOR: Final = timedelta(minutes=1)

_SPREAD: Final = 0.25
"""Of a wait, added by chance: processes that were sent away together do not come back together."""

_SURE_AFTER: Final = 5
"""Different deliveries refused in a row by a sender that has taken something before."""

_PROBED_FOR: Final = timedelta(seconds=15)
"""For the attempt that is made to see: longer than any takes. If it has no answer by then there is another one."""

_log: Final = logger(__name__)


@dataclass(slots=True)
class _Pause:
    why: Verdict
    until: timedelta
    probe_at: timedelta | None = None
    """When the attempt was let through that decides."""

    def holds(self, lane: int) -> bool:
        return lane != CRITICAL or self.why is Verdict.UNAUTHORISED


class Pauses:
    """Which senders are left alone. All instants are of the steady clock."""

    def __init__(self) -> None:
        """Leave none alone."""
        self._pauses: dict[str, _Pause] = {}
        self._refused: dict[str, set[str]] = {}
        """Of each sender that has taken something: the deliveries that it refused since, as many as matter."""

    def room(self, sender: str, lane: int, at: timedelta) -> int | None:
        """How many attempts a lane may begin now; None is no limit."""
        pause = self._pauses.get(sender)
        if pause is None or not pause.holds(lane):
            return None
        return 0 if at < pause.until else 1

    def may_start(self, sender: str, lane: int, at: timedelta) -> bool:
        """Whether an attempt may begin; the first one after a pause may, and all others wait for its answer."""
        room = self.room(sender, lane, at)
        if room:
            pause = self._pauses[sender]
            pause.probe_at, pause.until = at, at + _PROBED_FOR
        return room != 0

    def answered(self, sender: str, delivery_id: str, answer: Answer, began_at: timedelta, at: timedelta) -> None:
        """Learn from the answer to an attempt that began at an instant."""
        if answer.verdict is Verdict.SENT:
            self._refused[sender] = set()
        elif answer.verdict is Verdict.UNAUTHORISED and not self._is_sure(sender, delivery_id):
            return
        wait = _wait_of(answer)
        pause = self._pauses.get(sender)
        if wait is not None:
            self._pause(sender, answer, at + wait * (1 + _SPREAD * random.random()))  # noqa: S311  # a spread, no secret
        elif pause is not None and pause.probe_at is not None and began_at >= pause.probe_at:
            # An answer to what was on its way before the pause says nothing of it.
            del self._pauses[sender]
            _log.warning("a receiver takes again", sender=sender, after=str(pause.why))

    def _is_sure(self, sender: str, delivery_id: str) -> bool:
        """Whether it is our credentials that are refused, and not this delivery."""
        refused = self._refused.get(sender)
        if refused is None:
            return True
        if len(refused) < _SURE_AFTER:
            refused.add(delivery_id)
        return len(refused) >= _SURE_AFTER

    def _pause(self, sender: str, answer: Answer, until: timedelta) -> None:
        before = self._pauses.get(sender)
        if before is not None and before.why is answer.verdict:
            before.until = max(before.until, until) if before.probe_at is None else until
            before.probe_at = None
            return
        self._pauses[sender] = _Pause(answer.verdict, until)
        if answer.verdict is Verdict.UNAUTHORISED:
            _log.error("a receiver does not accept our credentials", sender=sender, reason=answer.detail)
        else:
            _log.warning("a receiver asks to be left alone", sender=sender, reason=answer.detail)


def _wait_of(answer: Answer) -> timedelta | None:
    if answer.verdict is Verdict.UNAUTHORISED:
        return UNAUTHORISED_FOR
    if answer.verdict is Verdict.THROTTLED and answer.retry_after:
        return min(answer.retry_after, LONGEST_QUIET)
    return None
