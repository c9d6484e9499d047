"""The header Retry-After: whole seconds or a date of HTTP, in any of its three old forms."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST: Final = timedelta(days=1)
"""What asks for more is taken as this: a header must not put a delivery out of sight."""

_LONGEST_NUMBER: Final = 9


def retry_after(header: str | None, now_utc: datetime) -> timedelta | None:
    """How long the other side asks to be left alone; None when it does not say so in a way that can be read."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return min(timedelta(seconds=int(text[:_LONGEST_NUMBER])), LONGEST)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    at_utc = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return max(timedelta(), min(at_utc - now_utc, LONGEST))
