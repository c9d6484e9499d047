"""`gnomon migrate`, as people and scripts see it."""

import json

import pytest

from gnomon import cli
from gnomon.database import migrate
from gnomon.database.roles import RolesMissing
from tests.migrations.conftest import ALL, HEAD

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def address(empty_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", empty_database_url)


def test_it_tells_each_step_and_where_it_came_to(capsys: Captured) -> None:
    assert cli.run(["migrate"]) == 0
    told = capsys.readouterr()
    assert told.out == f"The database is at revision {HEAD}.\n"
    assert told.err == "".join(f"gnomon migrate: applied: {one}\n" for one in ALL)
    assert cli.run(["migrate"]) == 0
    assert capsys.readouterr().out == f"The database is at revision {HEAD} already; nothing to do.\n"


def test_scripts_get_one_object(capsys: Captured) -> None:
    assert cli.run(["migrate", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["revision"], answer["applied"]) == (HEAD, [*ALL])


def test_statements_for_the_administrator_are_printed_whole(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    statements = ["create role gnomon_caller nologin;", "grant gnomon_caller to gnomon_worker;"]

    def refuse(*_: object, **__: object) -> None:
        raise RolesMissing(statements)

    monkeypatch.setattr(migrate, "upgrade", refuse)
    assert cli.run(["migrate"]) == 1
    assert "\n".join(statements) in capsys.readouterr().err


def test_a_server_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    assert cli.run(["migrate"]) == 1
    said = capsys.readouterr().err
    assert "connection" in said
    assert "Traceback" not in said
