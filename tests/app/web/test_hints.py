from contextlib import closing

import psycopg

from tests.app.http import Client, scheduled


def heard(database_url: str, client: Client, **fields: str) -> list[str]:
    with closing(psycopg.connect(database_url, autocommit=True)) as listener:
        listener.execute("listen gnomon_due")
        scheduled(client, **fields)
        return [notice.payload for notice in listener.notifies(timeout=0.3, stop_after=1)]


def test_what_is_due_at_once_is_told(database_url: str, client: Client) -> None:
    payloads = heard(database_url, client, schedule_at="PT1S")
    assert len(payloads) == 1
    assert payloads[0].endswith("Z")


def test_what_a_poller_finds_in_time_is_not(database_url: str, client: Client) -> None:
    assert heard(database_url, client, schedule_at="PT5S") == []
