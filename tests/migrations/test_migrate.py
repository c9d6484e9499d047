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
from tests.migrations.conftest import ALL, HEAD, WriteNext
from tests.support.given import rows, value

# Twenty processes, each of them `gnomon migrate --json`. Importing would take most of their time; that is done before.
PODS = """
import json, os, sys, tempfile
import gnomon.commands.migrate, gnomon.database.migrate, gnomon.embedded
from gnomon import cli

def migrate(output):
    os.dup2(output.fileno(), 1)
    code = cli.run(["migrate", "--json"])
    sys.stdout.flush()
    os._exit(code)

pods = {}
for _ in range(20):
    output = tempfile.TemporaryFile("w+")
    pod = os.fork()
    if not pod:
        migrate(output)
    pods[pod] = output
for pod, output in pods.items():
    code = os.waitstatus_to_exitcode(os.waitpid(pod, 0)[1])
    output.seek(0)
    print(json.dumps({"left_with": code, **json.loads(output.read() or "{}")}))
"""
ADD_NOTE = {
    "up.sql": "alter table gnomon_data.settings add column note text;",
    "down.sql": "alter table gnomon_data.settings drop column note;",
}
SHORT = timedelta(milliseconds=30)


def test_a_second_time_there_is_nothing_to_do(empty_database_url: str) -> None:
    assert migrate.upgrade(empty_database_url) == Migrated(HEAD, ALL)
    assert migrate.upgrade(empty_database_url) == Migrated(HEAD, ())


def test_of_twenty_at_once_one_migrates(empty_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", empty_database_url)
    pods = subprocess.run([sys.executable, "-c", PODS], capture_output=True, text=True, check=True, timeout=60)
    done = [json.loads(line) for line in pods.stdout.splitlines()]
    assert [one["left_with"] for one in done] == [0] * 20
    assert sorted(one["applied"] for one in done) == [[]] * 19 + [[*ALL]]
    assert {one["revision"] for one in done} == {HEAD}


def test_another_migration_is_waited_for_and_named(empty_database_url: str) -> None:
    told: list[str] = []
    with psycopg.connect(empty_database_url) as other:
        other.execute("select pg_advisory_xact_lock(%s)", [environment.LOCK_KEY])
        with pytest.raises(DatabaseBusy):
            migrate.upgrade(empty_database_url, report=told.append, lock_timeout=SHORT, patience=SHORT * 20)
        other.rollback()
    assert set(told) == {"waiting for another migration of this database"}
    assert migrate.upgrade(empty_database_url).applied == ALL


def test_the_version_is_told_to_readiness(empty_database_url: str) -> None:
    migrate.upgrade(empty_database_url)
    with psycopg.connect(empty_database_url) as connection:
        assert value(connection, "select gnomon.schema_revision()") == migrate.head_revision()


def test_a_locked_table_is_waited_for_outside_its_queue(empty_database_url: str, write_next: WriteNext) -> None:
    migrate.upgrade(empty_database_url)
    write_next(ADD_NOTE)
    has_waited = Event()

    def note(line: str) -> None:
        if line == "waiting for locks that others hold":
            has_waited.set()

    with ThreadPoolExecutor(1) as beside, psycopg.connect(empty_database_url) as reader:
        reader.execute("select from gnomon_data.settings")
        migrating = beside.submit(migrate.upgrade, empty_database_url, report=note, lock_timeout=SHORT)
        assert has_waited.wait(10)
        reader.rollback()
        assert migrating.result(10).applied == ("0099",)


def test_patience_ends_with_nothing_changed(empty_database_url: str, write_next: WriteNext) -> None:
    migrate.upgrade(empty_database_url)
    write_next(ADD_NOTE)
    with psycopg.connect(empty_database_url) as reader:
        reader.execute("select from gnomon_data.settings")
        with pytest.raises(DatabaseBusy):
            migrate.upgrade(empty_database_url, lock_timeout=SHORT, patience=timedelta())
        assert value(reader, "select gnomon.schema_revision()") == HEAD


def test_a_refused_statement_is_named_and_undone(empty_database_url: str, write_next: WriteNext) -> None:
    migrate.upgrade(empty_database_url)
    write_next({"up.sql": "create table gnomon_data.extra (id int);\n\nalter table gnomon_data.nothing add x int;\n"})
    with pytest.raises(SqlFileFailed, match=r'0099_next/up\.sql.*relation "gnomon_data\.nothing" does not exist'):
        migrate.upgrade(empty_database_url)
    with psycopg.connect(empty_database_url) as connection:
        assert value(connection, "select gnomon.schema_revision()") == HEAD
        assert value(connection, "select to_regclass('gnomon_data.extra')") is None


def test_a_syntax_error_is_named_with_its_line(empty_database_url: str, write_next: WriteNext) -> None:
    write_next({"up.sql": "select 1;\n\nselect 50 %% 7 form nowhere;\n"})
    with pytest.raises(SqlFileFailed, match=r"0099_next/up\.sql:3: syntax error"):
        migrate.upgrade(empty_database_url)


def test_a_database_of_a_newer_version_is_left_alone(empty_database_url: str) -> None:
    migrate.upgrade(empty_database_url)
    with psycopg.connect(empty_database_url) as connection:
        connection.execute("update gnomon_data.alembic_version set version_num = '0100'")
    with pytest.raises(RevisionUnknown, match="0100"):
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
        assert migrate.downgrade(empty_database_url) == Migrated("base", ALL[::-1])
        left = rows(connection, "select relname from pg_class where relnamespace = 'gnomon_data'::regnamespace")
        assert {row.relname for row in left} == {"alembic_version", "alembic_version_pkc"}
        assert list(catalogue.describe(connection)) == ["schema gnomon_data"]
        migrate.upgrade(empty_database_url)
        assert catalogue.describe(connection) == before
