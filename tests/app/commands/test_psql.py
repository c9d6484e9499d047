"""`gnomon psql`: on the right database, with what psql itself is told."""

from pathlib import Path

import pytest

from gnomon import cli
from gnomon.database.client import PsqlMissing, call_of, program
from gnomon.database.migrate import head_revision

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def address(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", database_url)


@pytest.mark.usefixtures("address")
def test_it_runs_on_gnomons_database(capfd: Captured) -> None:
    assert cli.run(["psql", "-c", "select gnomon.schema_revision() as at", "--", "--csv"]) == 0
    assert capfd.readouterr().out == f"at\n{head_revision()}\n"


@pytest.mark.usefixtures("address")
def test_the_exit_code_is_psqls(capfd: Captured) -> None:
    assert cli.run(["psql", "-c", "select 1/0"]) == 1
    assert "division by zero" in capfd.readouterr().err


def test_a_password_is_not_on_the_command_line() -> None:
    line, environment = call_of(Path("psql"), "postgresql://me:s%20ecret@db/gnomon?sslmode=require", ["-c", "x"])
    assert line == ["psql", "--dbname", "user=me dbname=gnomon host=db sslmode=require", "-c", "x"]
    assert environment == {"PGPASSWORD": "s ecret"}


def test_the_psql_on_the_path_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("path", "wheel"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "psql").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert program(tmp_path / "wheel" / "psql") == tmp_path / "path" / "psql"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program(tmp_path / "wheel" / "psql") == tmp_path / "wheel" / "psql"
    with pytest.raises(PsqlMissing):
        program(tmp_path / "psql")
