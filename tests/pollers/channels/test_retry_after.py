from datetime import UTC, datetime, timedelta

import pytest

from gnomon_pollers.channels.retry_after import LONGEST, retry_after

NOW = datetime(1994, 11, 6, 8, 49, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0),
        (" 120 ", 120),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 37),
        ("Sun Nov  6 08:49:37 1994", 37),
        ("Sun, 06 Nov 1994 09:49:37 +0100", 37),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("99999999999999999999", LONGEST.total_seconds()),
        ("Sun, 06 Nov 2994 08:49:37 GMT", LONGEST.total_seconds()),
    ],
)
def test_seconds_and_dates_are_read(header: str, seconds: float) -> None:
    assert retry_after(header, NOW) == timedelta(seconds=seconds)


@pytest.mark.parametrize("header", [None, "", "soon", "-5", "1.5", "²", "Sun, 99 Nov 1994 08:49:37 GMT"])
def test_what_cannot_be_read_says_nothing(header: str | None) -> None:
    assert retry_after(header, NOW) is None
