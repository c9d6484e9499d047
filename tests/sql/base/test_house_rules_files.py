"""House rules of sql/ that its text shows: one routine a file, one clock, nothing that PostgreSQL 17 lacks."""

import re
from pathlib import Path

from gnomon.database.source import Source, routine_in
from gnomon.files import sql_folder

SOURCE = Source(sql_folder())
FILES = list(SOURCE.everything())
ROUTINES = list(SOURCE.routines())

#: Lines of a routine's file: its promise, itself and its rights fit on a screen.
LONGEST = 110

OTHER_CLOCKS = re.compile(
    r"\bnow\s*\(|\b(clock|statement|transaction)_timestamp\b|\btimeofday\b|'(now|today|tomorrow|yesterday)'::"
    r"|\b(date|time|timestamp|timestamptz) '(now|today|tomorrow|yesterday)'"
    r"|\b(current_(timestamp|date|time)|local(timestamp|time))\b",
    re.IGNORECASE,
)
ONLY_IN_18 = re.compile(r"\buuidv[47]\s*\(|\breturning\s+(with|old|new)\b", re.IGNORECASE)


def code_of(path: Path) -> str:
    """The file without its comments."""
    return re.sub(r"--[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_rooms_are_the_folders() -> None:
    assert set(SOURCE.rooms) == {path.name for path in sql_folder().iterdir() if path.is_dir()}
    assert len(SOURCE.rooms) == len(set(SOURCE.rooms))


def test_a_routine_file_makes_the_routine_it_is_named_after() -> None:
    assert [path.stem for path in ROUTINES] == [routine_in(path).partition(".")[2] for path in ROUTINES]


def test_a_routine_fits_on_a_screen() -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in ROUTINES}
    assert {path.name: count for path, count in lines.items() if count > LONGEST} == {}


def test_only_now_utc_reads_a_clock() -> None:
    read = {path.stem: OTHER_CLOCKS.findall(code_of(path)) for path in FILES}
    assert [name for name, clocks in read.items() if clocks] == ["now_utc"]


def test_nothing_needs_postgresql_18() -> None:
    assert [path.name for path in FILES if ONLY_IN_18.search(code_of(path))] == []


def test_files_of_types_tables_and_views_make_no_routines() -> None:
    others = [path for path in FILES if path not in ROUTINES]
    assert [path for path in others if re.search(r"\bcreate\b[^;]*\b(function|procedure)\b", code_of(path))] == []
