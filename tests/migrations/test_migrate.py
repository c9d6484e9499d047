"""Migrating: repeatable, by many at once, patient with locks, all or nothing."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import psycopg
import pytest

from gnomon.database import catalogue, environment, migrate, version
from gnomon.database.environment import DatabaseBusy
from gnomon.database.migrate import Migrated, RevisionUnknown
from gnomon.database.steps import SqlFileFailed
from gnomon.database.version import ServerTooOld
from tests.migrations.conftest import WriteSecond
from tests.support.given import rows, value

COMMAND = "import sys; from gnomon import cli; sys.exit(cli.run(sys.argv[1:]))"
ADD_NOTE = {
    "up.sql": "alter table gnomon_data.settings add column note text;",
    "down.sql": "alter table gnomon_data.settings drop column note;",
}
SHORT = timedelta(milliseconds=30)


def test_a_second_time_there_is_nothing_to_do(empty_database_url: str) -> None:
    assert migrate.upgrade(empty_database_url) == Migrated("0001", ("0001",))
    assert migrate.upgrade(empty_database_url) == Migrated("0001", ())


def test_of_many_at_once_one_migrates(empty_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", empty_database_url)
    migrating = [sys.executable, "-c", COMMAND, "migrate", "--json"]
    pods = [subprocess.Popen(migrating, stdout=subprocess.PIPE) for _ in range(4)]
    done = [json.loads(pod.communicate(timeout=60)[0]) for pod in pods]
    assert sorted(one["applied"] for one in done) == [[], [], [], ["0001"]]
    assert {one["revision"] for one in done} == {"0001"}


def test_another_migration_is_waited_for_and_named(empty_database_url: str) -> None:
    told: list[str] = []
    with psycopg.connect(empty_database_url) as other:
        other.execute("select pg_advisory_xact_lock(%s)", [environment.LOCK_KEY])
        with pytest.raises(DatabaseBusy):
            migrate.upgrade(empty_database_url, report=told.append, lock_timeout=SHORT, patience=SHORT * 20)
        other.rollback()
    assert set(told) == {"waiting for another migration of this database"}
    assert migrate.upgrade(empty_database_url).applied == ("0001",)


def test_the_version_is_told_to_readiness(empty_database_url: str) -> None:
    migrate.upgrade(empty_database_url)
    with psycopg.connect(empty_database_url) as connection:
        assert value(connection, "select gnomon.schema_revision()") == migrate.head_revision()


def test_a_locked_table_is_waited_for_outside_its_queue(empty_database_url: str, write_second: WriteSecond) -> None:
    migrate.upgrade(empty_database_url)
    write_second(ADD_NOTE)
    has_waited = Event()

    def note(line: str) -> None:
        if line == "waiting for locks that others hold":
            has_waited.set()

    with ThreadPoolExecutor(1) as beside, psycopg.connect(empty_database_url) as reader:
        reader.execute("select from gnomon_data.settings")
        migrating = beside.submit(migrate.upgrade, empty_database_url, report=note, lock_timeout=SHORT)
        assert has_waited.wait(10)
        reader.rollback()
        assert migrating.result(10).applied == ("0002",)


def test_patience_ends_with_nothing_changed(empty_database_url: str, write_second: WriteSecond) -> None:
    migrate.upgrade(empty_database_url)
    write_second(ADD_NOTE)
    with psycopg.connect(empty_database_url) as reader:
        reader.execute("select from gnomon_data.settings")
        with pytest.raises(DatabaseBusy):
            migrate.upgrade(empty_database_url, lock_timeout=SHORT, patience=timedelta())
        assert value(reader, "select gnomon.schema_revision()") == "0001"


def test_a_refused_statement_is_named_and_undone(empty_database_url: str, write_second: WriteSecond) -> None:
    migrate.upgrade(empty_database_url)
    write_second({"up.sql": "create table gnomon_data.extra (id int);\n\nalter table gnomon_data.nothing add x int;\n"})
    with pytest.raises(SqlFileFailed, match=r'0002_second/up\.sql.*relation "gnomon_data\.nothing" does not exist'):
        migrate.upgrade(empty_database_url)
    with psycopg.connect(empty_database_url) as connection:
        assert value(connection, "select gnomon.schema_revision()") == "0001"
        assert value(connection, "select to_regclass('gnomon_data.extra')") is None


def test_a_syntax_error_is_named_with_its_line(empty_database_url: str, write_second: WriteSecond) -> None:
    write_second({"up.sql": "select 1;\n\nselect 50 %% 7 form nowhere;\n"})
    with pytest.raises(SqlFileFailed, match=r"0002_second/up\.sql:3: syntax error"):
        migrate.upgrade(empty_database_url)


def test_a_database_of_a_newer_version_is_left_alone(empty_database_url: str) -> None:
    migrate.upgrade(empty_database_url)
    with psycopg.connect(empty_database_url) as connection:
        connection.execute("update gnomon_data.alembic_version set version_num = '0099'")
    with pytest.raises(RevisionUnknown, match="0099"):
        migrate.upgrade(empty_database_url)


def test_an_old_server_is_refused(empty_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "OLDEST_SERVER", 99)
    with pytest.raises(ServerTooOld, match="needs 99"):
        migrate.upgrade(empty_database_url)
    with psycopg.connect(empty_database_url) as connection:
        assert catalogue.describe(connection) == {}


def test_down_to_base_leaves_only_the_version_table(empty_database_url: str) -> None:
    migrate.upgrade(empty_database_url)
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        before = catalogue.describe(connection)
        assert migrate.downgrade(empty_database_url) == Migrated("base", ("0001",))
        left = rows(connection, "select relname from pg_class where relnamespace = 'gnomon_data'::regnamespace")
        assert {row.relname for row in left} == {"alembic_version", "alembic_version_pkc"}
        assert list(catalogue.describe(connection)) == ["schema gnomon_data"]
        migrate.upgrade(empty_database_url)
        assert catalogue.describe(connection) == before
