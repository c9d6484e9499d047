"""History is what databases went through: its bytes are fixed, and today's sql/ is frozen in it."""

import hashlib
from pathlib import Path
from typing import Final

import pytest

from gnomon.database import freeze
from gnomon.database.history import folders
from gnomon.files import migrations_folder, sql_folder

#: Of the lines of frozen.sha256 that speak of a released folder. One is added with each release and none is ever edited.
RELEASED: Final = {
    "0001_first": "a71795c16090ca3498c27ff5af756e345a3c1b1d0e098a9a727bd0ee4d83b037",
    "0002_time_complete": "b67a933b555d0de43616f951a4aec9225313ca8c1f96bc06fdf13f53b44fc3b6",
    "0003_engine_at_scale": "2623420e200f5d22421d6d7536eb1382479fe659b9fdf3a93218e659b636d478",
}


def test_frozen_files_are_as_their_digests_say() -> None:
    freeze.check(migrations_folder())


def test_every_released_revision_is_known_and_newest_last() -> None:
    assert freeze.released(migrations_folder()) == list(RELEASED)
    assert [one.path.name for one in folders(migrations_folder() / "versions")][: len(RELEASED)] == list(RELEASED)


@pytest.mark.parametrize("folder", RELEASED)
def test_the_bytes_of_a_released_revision_never_change(folder: str) -> None:
    lines = [line for line in freeze.digests(migrations_folder()).splitlines() if f"  versions/{folder}/" in line]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == RELEASED[folder]


def test_digests_are_those_of_sha256sum(tmp_path: Path) -> None:
    file = tmp_path / "versions" / "0001_first" / "up.sql"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert freeze.digests(tmp_path) == f"{known}  versions/0001_first/up.sql\n"


def test_todays_routines_and_views_are_frozen() -> None:
    """Quicker than the proof by two databases, and it names the files."""
    freeze.check_all(sql_folder(), migrations_folder())
