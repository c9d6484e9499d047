"""The database broken under load, from all sides: its server, single backends, and the way to it."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from gnomon.embedded import Embedded
from tests.journeys.aftermath import TAKE_OVER
from tests.journeys.breakage import Breakage
from tests.journeys.durable import Durable
from tests.journeys.load import steady_load
from tests.journeys.proxy import Proxy, running_proxy
from tests.journeys.stage import Stage, note, on_stage, poll, work
from tests.support.given import rows, value
from tests.support.races import wait_until
from tests.support.roles import Role

pytestmark = [pytest.mark.fault, pytest.mark.alone]

AWAY: Final = timedelta(seconds=5)
WARM: Final = 100

_FIRING: Final = """
select a.pid from pg_stat_activity as a
 where a.application_name in ('p1', 'p2') and a.state = 'active' and strpos(a.query, 'fire_slice') > 0
   and (not %s or a.wait_event_type = 'Lock')
"""


@dataclass(frozen=True)
class Company:
    """A server that waits for its disk, two pollers and two workers on it, and the network between, callers' too."""

    server: Embedded
    stage: Stage
    roles: list[Role]
    proxy: Proxy
    url: str
    """The database, through the network."""

    def are_all_alive(self) -> bool:
        """Whether each process is still the one that was started."""
        return all(role.process.poll() is None for role in self.roles)


@pytest.fixture(scope="module")
def company(durable: Durable, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    folder = tmp_path_factory.mktemp("server")
    with running_proxy("127.0.0.1", durable.server.port) as proxy, durable.database() as name:
        url = make_conninfo(durable.server.loopback_url, port=proxy.port, dbname=name)
        through = {"GNOMON_DATABASE_URL": url}
        with on_stage(make_conninfo(durable.server.url, dbname=name), folder) as stage:
            parts = [*(poll(name, **through) for name in ("p1", "p2")), *(work(name, **through) for name in ("w1", "w2"))]
            yield Company(durable.server, stage, stage.start(*parts), proxy, url)


def test_a_server_that_crashes_twice_under_load_loses_nothing(company: Company) -> None:
    after, away = Breakage(company.stage), 0.0
    with steady_load(company.stage, "crash", url=company.url) as load:
        after.warm_up()
        for _ in range(2):
            began = time.time()
            company.server.restart("immediate")
            after.out(began, time.time())
            away += time.time() - began
            after.wait_for_more(WARM)
    company.stage.connect()
    assert load.unanswered_count > 0, "callers met it"
    after.judge("the server crashed twice", load.accepted, latest=TAKE_OVER + timedelta(seconds=away))
    note(f"the server was away for {away:.2f} s in all")
    assert company.are_all_alive()


def test_a_backend_terminated_in_the_middle_of_a_fire_fires_nothing_twice(company: Company) -> None:
    after = Breakage(company.stage)
    caught = 0
    with (
        steady_load(company.stage, "backend", url=company.url) as load,
        psycopg.connect(company.stage.url, autocommit=True) as killer,
    ):
        after.warm_up()

        def is_caught(*, is_waiting: bool) -> bool:
            nonlocal caught
            found = [one.pid for one in rows(killer, _FIRING, is_waiting)]
            caught += sum(value(killer, "select pg_terminate_backend(%s)", pid) for pid in found)
            return len(found) > 0

        for _ in range(3):
            # Wherever it is just then.
            wait_until(lambda: is_caught(is_waiting=False), "a fire is under way")
            # When its timers are deleted and nothing is written yet: the log keeps it waiting there.
            with psycopg.connect(company.stage.url) as holder:
                holder.execute("lock table gnomon_data.occurrence_log in access exclusive mode")
                wait_until(lambda: is_caught(is_waiting=True), "a fire stands before its log")
            after.wait_for_more(WARM)
    received = after.judge(f"{caught} backends terminated in a fire", load.accepted)
    assert caught >= 6
    assert all(line.attempt == 1 for line in received), "no worker was in the way"
    assert company.are_all_alive()


def test_everything_cut_off_for_5_s_goes_on_where_it_was(company: Company) -> None:
    after = Breakage(company.stage)
    with steady_load(company.stage, "cut", url=company.url) as load:
        after.warm_up()
        began = time.time()
        company.proxy.cut()
        time.sleep(AWAY.total_seconds())
        company.proxy.pass_on()
        back = time.time()
        after.out(began, back)
        after.wait_for_more(WARM)
        took = time.time() - back
    note(f"sends went on {took:.2f} s after the network was back")
    assert load.unanswered_count > 0, "callers met it"
    after.judge("everything cut off for 5 s", load.accepted, latest=AWAY + timedelta(seconds=8))
    assert company.are_all_alive()
