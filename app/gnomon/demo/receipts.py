"""The sink's file: one line of JSON for each delivery that was answered 2xx, in the order of the answers."""

from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

_READ_AT_MOST: Final = 1 << 20
"""Bytes taken in one look at the file."""


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """One line: what arrived, for which occurrence of which schedule, and when."""

    delivery_id: str
    schedule_id: str
    occurrence: int
    channel: str
    due_at: datetime
    received_at: datetime
    """By the clock of the sink's machine."""


class Receipts:
    """The lines of a file that may still grow. What has no end of line yet is not there yet."""

    def __init__(self, path: Path) -> None:
        """Begin at the start; the file may not exist yet."""
        self.all: list[Receipt] = []
        self._path = path
        self._position = 0
        self._decoder = msgspec.json.Decoder(Receipt)

    def read(self) -> list[Receipt]:
        """What has been added since the last look."""
        if not self._path.exists():
            return []
        added: list[Receipt] = []
        with self._path.open("rb") as file:
            file.seek(self._position)
            while part := file.read(_READ_AT_MOST):
                whole = part.rfind(b"\n") + 1
                if not whole:
                    break
                added += self._decoder.decode_lines(part[:whole])
                self._position += whole
                file.seek(self._position)
        self.all += added
        return added


def line_of(receipt: Receipt) -> bytes:
    """The line to append."""
    return msgspec.json.encode(receipt) + b"\n"
