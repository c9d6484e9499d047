"""What was set aside: schedules that could not be fired, deliveries that could not be handed over or settled."""

from collections import Counter
from typing import Final

from gnomon.doctor import calls
from gnomon.doctor.exam import Exam, Finding, Ward, plural

_COUNTED: Final = 1000
_NAMED: Final = 5

_WHY: Final = "It raised an error and would have stopped all others of its shard. It is kept, pending and unsent."


async def set_aside(ward: Ward) -> Exam:
    """Whether something was set aside and waits to be mended."""
    found = await calls.set_aside(ward.pool, _COUNTED)
    counted = Counter((one.what, one.error_code, one.error_text) for one in found)
    findings = tuple(
        Finding(
            what=f"{plural(count, what)} set aside by {code}, {text}: {_named(found, (what, code, text))}.",
            why=_WHY,
            remedy=(
                "Mend what the error names: gnomon explain ID, select * from gnomon.set_aside. Then"
                " select gnomon.retry_set_aside(); or with an array of ids for some of them. Or cancel it."
            ),
        )
        for (what, code, text), count in counted.most_common(_NAMED)
    )
    seen = f"{len(found):,}{' or more' if len(found) == _COUNTED else ''}" if found else "nothing"
    return Exam(check="set aside", seen=seen, findings=findings)


def _named(found: list[calls.SetAside], kind: tuple[str, str, str]) -> str:
    ids = [one.delivery_id or one.schedule_id for one in found if (one.what, one.error_code, one.error_text) == kind]
    return ", ".join(ids[:_NAMED]) + (", ..." if len(ids) > _NAMED else "")
