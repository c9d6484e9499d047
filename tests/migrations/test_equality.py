"""History and sql/ lead to the same database."""

import psycopg
import pytest

from gnomon.database import catalogue, fresh, migrate
from tests.support.cluster import Server


def described(url: str) -> dict[str, str]:
    with psycopg.connect(url, autocommit=True) as connection:
        return catalogue.describe(connection)


def test_sql_loaded_fresh_equals_head(server: Server) -> None:
    with server.database() as loaded, server.database() as migrated:
        fresh.load(loaded)
        migrate.upgrade(migrated)
        today, history = described(loaded), described(migrated)

    assert today.keys() == history.keys()
    assert {name: said for name, said in today.items() if history[name] != said} == {}


@pytest.mark.parametrize(
    "change",
    [
        "comment on function gnomon.clock_utc() is 'another'",
        "grant execute on function gnomon.clock_utc() to gnomon_worker",
        "alter function gnomon.clock_utc() set search_path = 'public'",
        "alter function gnomon.clock_utc() cost 7",
        "alter table gnomon_data.settings set (fillfactor = 60)",
        "alter table gnomon_data.settings alter value set default 'x'",
        "alter table gnomon_data.settings alter value drop not null",
        "alter table gnomon_data.settings alter value set storage external",
        "alter table gnomon_data.settings add constraint settings_name_is_short check (length(name) < 50)",
        "create index settings_by_value_idx on gnomon_data.settings (value)",
        "grant select on gnomon_data.settings to gnomon_reader",
        "alter type gnomon_data.fault add attribute extra text",
        "create function gnomon.extra() returns int language sql as 'select 1'",
        "drop function gnomon.clock_utc()",
        "revoke usage on schema gnomon from gnomon_reader",
    ],
)
def test_a_difference_shows(connection: psycopg.Connection, change: str) -> None:
    before = catalogue.describe(connection)
    connection.execute(change)
    assert catalogue.describe(connection) != before
