"""What upkeep warns of before it hurts: days without partitions, and transactions that keep dead rows.

Each is said once and then every hour, not every minute for as long as it lasts.
"""

from datetime import timedelta
from typing import Final

from gnomon.database.pool import Pool
from gnomon.log import logger
from gnomon_pollers.calls import upkeep
from gnomon_pollers.claims import steady

FEWEST_AHEAD: Final = 2
"""Days beyond today that have partitions; three are made."""

LONG: Final = timedelta(minutes=5)
MANY: Final = 1_000_000
"""Transactions; for a holder of the horizon that does not tell since when."""

_SAID_AGAIN_AFTER: Final = timedelta(hours=1)

_WAYS_OUT: Final = {
    "session": "let it commit, or: select pg_terminate_backend(pid)",
    "standby": "end its longest query there, or set hot_standby_feedback = off there",
    "prepared": "commit prepared, or rollback prepared, by that name",
    "slot": "start what reads from it, or: select pg_drop_replication_slot(name)",
}

_log: Final = logger(__name__)


class Alarms:
    """Looks, and warns; changes nothing."""

    def __init__(self, pool: Pool) -> None:
        """Begin with nothing said."""
        self._pool = pool
        self._said: dict[str, timedelta] = {}

    async def watch_periods(self) -> None:
        """Warn when partitions reach fewer than two days beyond today."""
        ready_count = await upkeep.periods_ready(self._pool)
        if ready_count < FEWEST_AHEAD and self._is_to_be_said("periods"):
            hint = "see why they are not made: the log of upkeep, the rights of its login, room on the disk"
            _log.warning("fewer than two days ahead have partitions", ready=ready_count, hint=hint)

    async def watch_horizon(self) -> None:
        """Warn of whoever has kept dead rows from being cleared away for long."""
        for holder in await upkeep.horizon_holders(self._pool):
            if _is_long(holder) and self._is_to_be_said(f"{holder.kind} {holder.pid} {holder.application}"):
                _log.warning(
                    "dead rows cannot be cleared away",
                    held_by=holder.kind,
                    pid=holder.pid,
                    user=holder.user_name,
                    application=holder.application,
                    state=holder.state,
                    held_seconds=round(holder.held_for.total_seconds()) if holder.held_for else None,
                    transactions=holder.xid_age,
                    hint=_WAYS_OUT[holder.kind],
                )

    def _is_to_be_said(self, what: str) -> bool:
        now = steady()
        self._said = {said: at for said, at in self._said.items() if now - at < _SAID_AGAIN_AFTER}
        if what in self._said:
            return False
        self._said[what] = now
        return True


def _is_long(holder: upkeep.HorizonHolder) -> bool:
    if holder.held_for is not None:
        return holder.held_for > LONG
    return (holder.xid_age or 0) > MANY
