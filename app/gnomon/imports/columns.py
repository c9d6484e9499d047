"""What a column of a CSV file means: which field of a request, and of which JSON type a cell is.

Dotted names reach into objects: recurrence.pattern, params.name, labels.team. A cell that cannot be read as its type stays
text: the database, which knows what the field wants, then says what is wrong with it. An empty cell is absent.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from gnomon.schedules.shapes import Recurrence, ScheduleRequest

ALIASES: Final = {
    "template": "template_id",
    "send_at": "schedule_at",
    "variables": "params",
    "priority": "lane",
    "idempotency_key": "dedup_key",
}
Column = tuple[tuple[str, ...], Callable[[str], Any]]


class HeaderUnfit(Exception):
    """The first line of the file is no header of a schedule request."""

    exit_code = 2
    hint = (
        "Columns are named as the fields of a request: user_id, template_id, schedule_at, timezone, recurrence.pattern ..."
    )


def columns_of(header: Sequence[str]) -> list[Column]:
    """The columns that this header names. Raises HeaderUnfit."""
    columns = [_column(name.strip()) for name in header]
    paths = [path for path, _ in columns]
    if twice := next((path for path in paths if paths.count(path) > 1), None):
        raise HeaderUnfit(f"the header names {'.'.join(twice)} twice")
    if within := next((path for path in paths if any(path[:n] in paths for n in range(1, len(path)))), None):
        raise HeaderUnfit(f"the header names {'.'.join(within)} beside what holds it")
    if ("user_id",) not in paths:
        raise HeaderUnfit("the header has no column user_id")
    return columns


def request_of(columns: Sequence[Column], cells: Sequence[str]) -> dict[str, Any]:
    """The request that a record says."""
    request: dict[str, Any] = {}
    for (path, read), cell in zip(columns, cells, strict=True):
        if not cell:
            continue
        holder = request
        for name in path[:-1]:
            holder = holder.setdefault(name, {})
        holder[path[-1]] = read(cell)
    return request


def _column(name: str) -> Column:
    first, *rest = name.split(".")
    field = ALIASES.get(first, first)
    path = (field, *rest)
    if not all(path) or field not in ScheduleRequest.__struct_fields__:
        raise HeaderUnfit(f"the header names {name or 'nothing'!r}, which is no field of a schedule request")
    if not rest:
        return path, _READERS.get(field, str)
    if field == "params" or (field == "labels" and len(rest) == 1):
        return path, str
    if field == "recurrence" and len(rest) == 1 and rest[0] in Recurrence.__struct_fields__:
        return path, _READERS.get(rest[0], str)
    raise HeaderUnfit(f"the header names {name!r}, and {field} has no such part")


def _number(cell: str) -> int | str:
    try:
        return int(cell)
    except ValueError:
        return cell


def _json(cell: str) -> object:
    try:
        return msgspec.json.decode(cell)
    except msgspec.DecodeError:
        return cell


def _words(cell: str) -> object:
    return _json(cell) if cell.startswith("[") else [word.strip() for word in cell.split(",")]


def _numbers(cell: str) -> object:
    return _json(cell) if cell.startswith("[") else [_number(word.strip()) for word in cell.split(",")]


_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "params": _json,
    "labels": _json,
    "recurrence": _json,
    "channels": _words,
    "misfire_limit": _number,
    "interval": _number,
    "end_after": _number,
    "weekdays": _words,
    "days_of_month": _numbers,
    "nth": _json,
    "exclude_dates": _words,
    "exclude_calendars": _words,
}
