"""All checks, one after the other; one that cannot look says so and keeps no other from looking."""

from collections.abc import Sequence
from typing import Final

from gnomon.doctor import aside, horizon, ledger, receivers, running, schema, server, zones
from gnomon.doctor.exam import Check, Exam, Finding, Ward

CHECKS: Final[Sequence[tuple[str, Check]]] = (
    ("server", server.server),
    ("sessions", server.sessions),
    ("schema", schema.schema),
    ("roles", schema.roles),
    ("clock", server.clock),
    ("processes", running.processes),
    ("periods", running.periods),
    ("overdue", running.overdue),
    ("set aside", aside.set_aside),
    ("credentials", receivers.credentials),
    ("ledger", ledger.ledger),
    ("horizon", horizon.horizon),
    ("zone data", zones.zone_data),
    ("zone changes", zones.zone_drift),
)

_DENIED: Final = "42501"
_LACKING: Final = "not seen: the schema lacks what this asks"
_NOT_THERE: Final = frozenset({"3F000", "42883", "42P01"})


async def examine(ward: Ward) -> list[Exam]:
    """The answers of all checks. Raises DatabaseUnavailable."""
    exams = [await _asked(name, check, ward) for name, check in CHECKS]
    if any(exam.check == "schema" and exam.findings for exam in exams):
        # Said once: everything that the schema lacks is missing because of that.
        return [Exam(check=exam.check, seen=exam.seen) if exam.seen == _LACKING else exam for exam in exams]
    return exams


async def _asked(name: str, check: Check, ward: Ward) -> Exam:
    try:
        return await check(ward)
    except Exception as fault:
        state = getattr(fault, "sqlstate", None)
        if state == _DENIED:
            remedy = "Ask with a login that has gnomon_worker and gnomon_reader: grant gnomon_worker, gnomon_reader to ...;"
        elif state in _NOT_THERE:
            remedy = "gnomon migrate"
        else:
            raise
        what = f"This could not be looked at: {str(fault).partition(chr(10))[0]}."
        finding = Finding(what=what, why="What is wrong there stays unseen.", remedy=remedy)
        return Exam(check=name, seen=_LACKING if state in _NOT_THERE else "not seen", findings=(finding,))
