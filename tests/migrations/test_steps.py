"""What a later revision's folder does: changes, ends and restores routines."""

import psycopg
import pytest

from gnomon.database import catalogue, migrate
from gnomon.files import sql_folder
from tests.migrations.conftest import HEAD, WriteNext

LANE_NAME = "base/lane_name.sql"


def test_going_down_restores_the_newest_earlier_copy(empty_database_url: str, write_next: WriteNext) -> None:
    changed = (sql_folder() / LANE_NAME).read_text(encoding="utf-8").replace("'bulk'", "'100 % bulk :x'")
    write_next({f"routines/{LANE_NAME}": changed})
    migrate.upgrade(empty_database_url, HEAD)
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        first = catalogue.describe(connection)
        migrate.upgrade(empty_database_url)
        second = catalogue.describe(connection)
        migrate.downgrade(empty_database_url, HEAD)
        assert catalogue.describe(connection) == first
    different = {name for name in first if first[name] != second[name]}
    assert different == {"routine gnomon_data.lane_name(smallint)"}
    assert "100 % bulk :x" in second["routine gnomon_data.lane_name(smallint)"]


def test_what_is_gone_comes_back_going_down(empty_database_url: str, write_next: WriteNext) -> None:
    write_next({"gone.txt": "base/time_text.sql\n"})
    migrate.upgrade(empty_database_url, HEAD)
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        first = catalogue.describe(connection)
        migrate.upgrade(empty_database_url)
        assert first.keys() - catalogue.describe(connection).keys() == {
            "routine gnomon_data.time_text(time without time zone)"
        }
        migrate.downgrade(empty_database_url, HEAD)
        assert catalogue.describe(connection) == first


def test_only_what_history_holds_can_be_gone(empty_database_url: str, write_next: WriteNext) -> None:
    write_next({"gone.txt": "base/never_there.sql"})
    with pytest.raises(ValueError, match="which no earlier revision holds"):
        migrate.upgrade(empty_database_url)
