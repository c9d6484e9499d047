"""Alembic's own command, from any folder, with the file that `gnomon alembic-ini` names."""

import io
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from alembic import command
from alembic.config import Config

from gnomon import cli
from gnomon.database import catalogue, ini, migrate

ALEMBIC = [sys.executable, "-m", "alembic.config"]


def test_it_upgrades_from_any_folder(
    empty_database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _: tmp_path / "cache")
    monkeypatch.setenv("GNOMON_DATABASE_URL", empty_database_url)
    assert cli.run(["alembic-ini"]) == 0
    path = capsys.readouterr().out.strip()

    subprocess.run([*ALEMBIC, "-c", path, "upgrade", "head"], check=True, cwd=tmp_path)
    assert migrate.upgrade(empty_database_url).applied == ()


def test_it_says_what_is_missing_in_its_own_way(tmp_path: Path) -> None:
    surroundings = {name: text for name, text in os.environ.items() if not name.startswith("GNOMON_")}  # noqa: TID251
    asked = [*ALEMBIC, "-c", str(ini.write(tmp_path)), "current"]
    done = subprocess.run(asked, check=False, capture_output=True, text=True, env=surroundings)
    assert done.returncode != 0
    assert "FAILED: Nothing says which database to migrate: set GNOMON_DATABASE_URL." in done.stdout + done.stderr


def test_looking_changes_nothing(empty_database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_DATABASE_URL", empty_database_url)
    command.current(Config(ini.write(tmp_path), stdout=io.StringIO()))
    with psycopg.connect(empty_database_url) as connection:
        assert catalogue.describe(connection) == {}


def test_the_written_script_makes_the_same_database(database_url: str, empty_database_url: str, tmp_path: Path) -> None:
    script = io.StringIO()
    command.upgrade(Config(ini.write(tmp_path), output_buffer=script), "head", sql=True)
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        connection.execute(script.getvalue().encode())
        scripted = catalogue.describe(connection)
    with psycopg.connect(database_url) as connection:
        assert scripted == catalogue.describe(connection)
    assert migrate.upgrade(empty_database_url).applied == ()


def test_where_no_cache_can_be_written_a_new_folder_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _: blocked / "cache")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = ini.write()
    assert path.parent.parent == tmp_path
    assert path.read_text(encoding="utf-8").count("script_location") == 1
