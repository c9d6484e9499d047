"""The embedded server runs on the rules of the package tzdata, wherever they can be compiled, and on the wheel's else."""

from datetime import datetime
from pathlib import Path

import psycopg
import pytest

from gnomon.embedded import Embedded, rules
from gnomon.embedded.account import server_account
from gnomon.embedded.binaries import Binaries, binaries_for
from tests.support.zones import needs_zic, package_zone

# Manitoba gave up winter time in November 2026; the rules of PostgreSQL 18.6 do not know that.
_READING = datetime(2027, 1, 15, 9)  # noqa: DTZ001  # a wall reading


@pytest.fixture
def wheel() -> Binaries:
    return binaries_for(server_account())


def _files(folder: Path) -> dict[Path, tuple[int, int]]:
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


@needs_zic
def test_the_server_computes_by_the_package(open_folder: Path, wheel: Binaries) -> None:
    before = _files(wheel.folder)
    with Embedded(open_folder / "data") as embedded, psycopg.connect(embedded.url) as connection:
        connection.execute("create extension pg_trgm")  # what is linked is found
        for zone in ("America/Winnipeg", "America/Havana", "Europe/Riga", "Pacific/Norfolk"):
            [at] = connection.execute("select %s::timestamp at time zone %s", [_READING, zone]).fetchone() or [None]
            assert at == _READING.replace(tzinfo=package_zone(zone)), zone
        assert connection.execute("show gnomon.zone_rules").fetchone() == (rules.source_version(),)
    assert _files(wheel.folder) == before


@needs_zic
def test_a_tree_is_made_once_and_goes_with_its_version(
    open_folder: Path, wheel: Binaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, account = open_folder / "zones", server_account()
    first = rules.rules_for(folder, wheel, account)
    made = first.server.stat().st_ctime_ns
    (folder / "left.half-0").mkdir()
    assert rules.rules_for(folder, wheel, account) == first
    assert first.server.stat().st_ctime_ns == made

    monkeypatch.setattr(rules, "source_version", lambda: "2099a")
    newer = rules.rules_for(folder, wheel, account)
    rules.forget_others(folder, newer)

    assert newer.version == "2099a"
    assert [path.name.partition("-")[0] for path in folder.iterdir()] == ["2099a"]


@needs_zic
def test_a_tree_that_leads_to_another_wheel_is_made_anew(open_folder: Path, wheel: Binaries) -> None:
    folder, account = open_folder / "zones", server_account()
    lib = rules.rules_for(folder, wheel, account).server.parent.parent / "lib"
    lib.unlink()
    lib.symlink_to(open_folder / "gone")
    rules.rules_for(folder, wheel, account)
    assert lib.resolve() == (wheel.folder / "lib").resolve()


@pytest.mark.parametrize("zic", [None, "#!/bin/sh\nexit 1\n", "#!/bin/sh\nexit 0\n"])
def test_without_a_compiler_that_works_the_bundled_rules_stay(
    open_folder: Path, wheel: Binaries, monkeypatch: pytest.MonkeyPatch, zic: str | None
) -> None:
    program = open_folder / "zic"
    if zic is not None:
        program.write_text(zic)
        program.chmod(0o755)
    monkeypatch.setattr(rules, "zic_program", lambda: program if zic is not None else None)
    found = rules.rules_for(open_folder / "zones", wheel, server_account())
    assert found == rules.Rules(wheel.program("postgres"), rules.BUNDLED)


@needs_zic
def test_a_folder_that_forbids_programs_keeps_the_bundled_rules(
    open_folder: Path, wheel: Binaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "_runs", lambda *_: False)
    assert rules.rules_for(open_folder / "zones", wheel, server_account()).version == rules.BUNDLED
