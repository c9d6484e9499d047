"""Receivers that do not accept our credentials."""

from typing import Final

from gnomon.doctor import calls
from gnomon.doctor.exam import Exam, Finding, Ward

_WHY: Final = (
    "What is due for it waits. One attempt a minute and process is made, and none is used up; expires_at and the"
    " horizon of the lane go on."
)


async def credentials(ward: Ward) -> Exam:
    """Whether a receiver refused our credentials lately."""
    found = await calls.unauthorised_channels(ward.pool)
    findings = tuple(
        Finding(
            what=(
                f"The receiver of channel {one.channel} has not accepted our credentials since"
                f" {one.since_utc:%Y-%m-%d %H:%M:%S} UTC: {one.detail or 'no reason was told'}."
            ),
            why=_WHY,
            remedy="Mend the credentials (of the webhook: GNOMON_WEBHOOK_SECRET) or the receiver, and restart the workers.",
        )
        for one in found
    )
    return Exam(check="credentials", seen="refused" if found else "none refused within 5 min", findings=findings)
