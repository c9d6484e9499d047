"""Records made into schedule requests: the JSON text of each, the stream it belongs to, or what is wrong with it."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from gnomon.errors import RequestInvalid
from gnomon.imports.columns import Column, HeaderUnfit, columns_of, request_of
from gnomon.imports.source import STREAMS, Record, Source
from gnomon.web.strict_json import strict_object


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A line that is refused, as the database keeps it."""

    line: int
    error_code: str
    error_detail: str | None = None
    error_hint: str | None = None
    error_pointer: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is a request."""

    line: int
    stream: int
    request: str


def lines_of(source: Source, done: dict[int, int]) -> Iterator[Line | Fault]:
    """All records but those that a stream has behind it. Raises HeaderUnfit.

    A line without key and dedup_key gets a dedup_key made of the file's digest and its number, so that the same line of
    the same file is one event, however often it is imported.
    """
    records = source.records()
    columns: list[Column] = []
    if source.form == "csv":
        header = next(records, None)
        if header is None or header.cells is None:
            raise HeaderUnfit("the file is empty")
        columns = columns_of(header.cells)
    behind = min(done.values()) if len(done) == STREAMS else 0
    made_key = f"import:{source.digest.hex()[:32]}:"
    for record in records:
        if record.line <= behind:
            continue
        found = _read(record, columns, made_key)
        if record.line > done.get(found.stream if isinstance(found, Line) else 0, 0):
            yield found


def _read(record: Record, columns: list[Column], made_key: str) -> Line | Fault:
    try:
        if record.cells is None:
            request = strict_object(record.text)
            text = record.text
            if not record.text.isascii():
                record.text.encode()
        else:
            if len(record.cells) != len(columns):
                return _fault(record, f"the record has {len(record.cells)} cells, the header {len(columns)}")
            if "\0" in record.text:
                return _fault(record, "the record contains a NUL character")
            request = request_of(columns, record.cells)
            text = ""
        if _is_without_key(request):
            request["dedup_key"] = key = f"{made_key}{record.line}"
            if text:
                # Into the text and not encoded anew: jsonb keeps every digit that it says.
                comma = "," if len(request) > 1 else ""
                text = f'{text.rstrip()[:-1]}{comma}"dedup_key":"{key}"}}'
        return Line(record.line, _stream_of(request), text or msgspec.json.encode(request).decode())
    except RequestInvalid as fault:
        return _fault(record, fault.message.replace("at line 1, column", "at column"), fault.pointer)
    except UnicodeEncodeError:
        return _fault(record, "the line is not UTF-8")


def _is_without_key(request: dict[str, Any]) -> bool:
    return request.get("key") is None and request.get("dedup_key") is None and request.get("idempotency_key") is None


def _stream_of(request: dict[str, Any]) -> int:
    return zlib.crc32(str(request.get("user_id")).encode("utf-8", "surrogatepass")) % STREAMS


def _fault(record: Record, says: str, pointer: str | None = None) -> Fault:
    return Fault(line=record.line, error_code=RequestInvalid.code, error_detail=says, error_pointer=pointer)
