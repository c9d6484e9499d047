"""Pollers come and go under load, some asked to, some killed: shares even out, and nothing is lost or fired twice."""

import signal
from datetime import timedelta
from typing import Final

import pytest

from tests.journeys.aftermath import TAKE_OVER, reckoned, under_load, wait_for_all
from tests.journeys.judge import lateness
from tests.journeys.stage import Stage, note, poll, work
from tests.support.given import rows
from tests.support.races import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.alone]

SHARDS: Final = 64

AT_ONCE: Final = 4
"""As many as two cores start within their patience."""

_SHARES: Final = """
select count(*)::int as shards from gnomon_data.shard_leases as l join gnomon_data.heartbeats as h on h.owner_id = l.owner_id
 where l.lease_group = 'due' and h.beat_at_utc > gnomon_data.now_utc() - interval '3 s' group by l.owner_id
"""


def wait_for_shares(stage: Stage, count: int) -> None:
    """Wait until so many pollers have all the shards among them, as evenly as that goes."""

    def are_even() -> bool:
        shares = [row.shards for row in rows(stage.connection, _SHARES)]
        return len(shares) == count and sum(shares) == SHARDS and max(shares) - min(shares) <= 1

    wait_until(are_even, f"{count} pollers share evenly", patience=TAKE_OVER)


@pytest.mark.parametrize(("count", "waves"), [(4, 1), pytest.param(20, 3, marks=pytest.mark.long)])
def test_pollers_that_join_and_leave_share_evenly_and_lose_nothing(stage: Stage, count: int, waves: int) -> None:
    stage.start(poll("p0"), work("w1"), work("w2"))
    with under_load(stage, "crowd") as load:
        for wave in range(waves):
            joined = []
            for begin in range(0, count, AT_ONCE):
                numbers = range(begin, min(begin + AT_ONCE, count))
                joined += stage.start(*(poll(f"p{wave}-{number}") for number in numbers))
            wait_for_shares(stage, count + 1)
            killed, asked = joined[::2], joined[1::2]
            for role in killed:
                role.kill()
            for role in asked:
                role.send(signal.SIGTERM)
            assert [role.ended(timedelta(seconds=10)) for role in asked] == [0] * len(asked)
            wait_for_shares(stage, 1)
    wait_for_all(stage, load.owed())
    received = reckoned(stage, load.owed())
    latest = max(lateness(line) for line in received)
    note(f"{count} pollers joined and left {waves} times: {len(received)} sent, the latest {latest} late")
    assert len(received) == len(load.accepted)
    assert latest < TAKE_OVER
