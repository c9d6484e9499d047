"""Long transactions: who keeps dead rows from being cleared away."""

from datetime import timedelta
from typing import Final

from gnomon.doctor import calls
from gnomon.doctor.exam import Exam, Finding, Ward

_LONG: Final = timedelta(minutes=5)
_MANY: Final = 1_000_000
"""Transactions; for holders that do not tell since when."""

_WHY: Final = (
    "Rows that were fired and settled since stay where they are, so every look gets slower; safe marks stand still, and"
    " periods that lie behind are not taken away."
)
_REMEDIES: Final = {
    "session": "Let it commit, or: select pg_terminate_backend({pid}); see idle_in_transaction_session_timeout too.",
    "standby": "Its longest query holds it: end that there, or set hot_standby_feedback = off there.",
    "prepared": "commit prepared '{application}'; or rollback prepared '{application}';",
    "slot": "Start what reads from it, or select pg_drop_replication_slot('{application}');",
}


async def horizon(ward: Ward) -> Exam:
    """Whether somebody has held the horizon for long."""
    holders = await calls.horizon_holders(ward.pool)
    findings = tuple(_finding(one) for one in holders if is_long(one))
    longest = max((one.held_for for one in holders if one.held_for is not None), default=timedelta())
    return Exam(check="horizon", seen=f"held for {longest.total_seconds():.0f} s" if holders else "free", findings=findings)


def is_long(holder: calls.HorizonHolder) -> bool:
    """Whether it is long enough to be told."""
    if holder.held_for is not None:
        return holder.held_for > _LONG
    return (holder.xid_age or 0) > _MANY


def _finding(holder: calls.HorizonHolder) -> Finding:
    names = {"pid": holder.pid, "application": (holder.application or "").replace("'", "''")}
    parts = [
        holder.kind.capitalize(),
        str(holder.pid) if holder.pid else "",
        f"of {holder.user_name}" if holder.user_name else "",
        f"({holder.application or 'no application name'}, {holder.state})",
    ]
    held = f"for {holder.held_for.total_seconds():,.0f} s" if holder.held_for else f"over {holder.xid_age:,} transactions"
    return Finding(
        what=f"{' '.join(filter(None, parts))} has held the horizon {held}.",
        why=_WHY,
        remedy=_REMEDIES[holder.kind].format(**names),
    )
