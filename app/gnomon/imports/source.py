"""The file to import: read once for its digest, then as often as needed, record by record with its line number.

A file of standard input is kept in a temporary file first: the import has to know its digest before the first line, and
goes back for the text of what was refused.
"""

import csv
import gzip
import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal, TextIO, cast

Form = Literal["csv", "ndjson"]

STREAMS: Final = 4
"""Into so many streams lines are dealt, by user. Part of the digest: a place says something only under the same dealing."""

_BLOCK: Final = 1 << 20  # bytes
_CSV_NAMES: Final = (".csv", ".tsv")
_LONGEST_CELL: Final = 1 << 24  # characters; longer than any request may be


class FormUnknown(Exception):
    """Whether the file is CSV or NDJSON does not show in its name."""

    exit_code = 2
    hint = "Say --format csv or --format ndjson."


@dataclass(frozen=True)
class Record:
    """A record of the file: the line it begins on, counted from 1, and its text without the end of the line."""

    line: int
    text: str
    cells: list[str] | None = None
    """What CSV makes of it."""


@dataclass(frozen=True)
class Source:
    """A file that can be read again, its form and digest, and how many lines it has."""

    path: Path
    form: Form
    is_compressed: bool
    digest: bytes
    line_count: int
    separator: str = ","

    def records(self) -> Iterator[Record]:
        """All records with something in them. Text that is no UTF-8 comes with lone surrogates in place of its bytes."""
        with _opened(self.path, is_compressed=self.is_compressed) as file:
            # Python's universal newlines would also split at a carriage return within a cell.
            text = _text_of(file)
            yield from self._csv_records(text) if self.form == "csv" else _lines(text)

    def _csv_records(self, text: TextIO) -> Iterator[Record]:
        seen: list[str] = []

        def noted() -> Iterator[str]:
            for line in text:
                seen.append(line)
                yield line

        csv.field_size_limit(_LONGEST_CELL)
        reader = csv.reader(noted(), delimiter=self.separator, strict=True)
        line = 1
        while True:
            try:
                cells = next(reader, None)
            except csv.Error:
                cells = []  # told as a record that is not like the header
            if cells is None:
                return
            if cells or "".join(seen).strip():
                yield Record(line, "".join(seen).rstrip("\r\n"), cells)
            line += len(seen)
            seen.clear()


@contextmanager
def source_of(name: str, form: Form | None) -> Iterator[Source]:
    """The file of this name (`-` is standard input), as long as the block lasts. Raises FormUnknown, OSError."""
    if name == "-":
        with tempfile.TemporaryDirectory(prefix="gnomon-import-") as folder:
            kept = Path(folder, "stdin")
            with kept.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file, _BLOCK)
            yield _source(kept, form or _form_of_content(kept), ",")
        return
    path = Path(name)
    suffix = Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    by_name: Form | None = "csv" if suffix in _CSV_NAMES else "ndjson" if suffix in {".ndjson", ".jsonl", ".json"} else None
    if form is None and by_name is None:
        raise FormUnknown(FormUnknown.__doc__)
    yield _source(path, form or cast("Form", by_name), "\t" if suffix == ".tsv" else ",")


def _source(path: Path, form: Form, separator: str) -> Source:
    is_compressed = path.suffix.lower() == ".gz"
    digest = hashlib.sha256(f"gnomon import, {form}, {STREAMS} streams\n".encode())
    line_count = 0
    last = b"\n"
    with _opened(path, is_compressed=is_compressed) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            line_count += block.count(b"\n")
            last = block
    return Source(path, form, is_compressed, digest.digest(), line_count + (not last.endswith(b"\n")), separator)


def _opened(path: Path, *, is_compressed: bool) -> BinaryIO:
    return cast("BinaryIO", gzip.open(path, "rb")) if is_compressed else path.open("rb")


def _text_of(file: BinaryIO) -> TextIO:
    import io

    return io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="\n")


def _lines(text: TextIO) -> Iterator[Record]:
    for number, line in enumerate(text, 1):
        stripped = line.rstrip("\r\n")
        if stripped.strip():
            yield Record(number, stripped)


def _form_of_content(path: Path) -> Form:
    with path.open("rb") as file:
        return "ndjson" if file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "csv"
