"""The file of rejected lines: one JSON object a line, whole or not there."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gnomon.imports.read import Fault
from gnomon.imports.source import Source


class Rejected(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One rejected line: which, why, and as it stood."""

    line: int
    code: str
    reason: str | None
    hint: str | None = None
    pointer: str | None = None
    original: str


def write_rejected(source: Source, faults: Sequence[Fault], target: Path) -> None:
    """Write these faults, which are in the order of the file, with the lines as they stand there. Raises OSError."""
    partial = target.with_name(f"{target.name}.partial")
    left = iter(faults)
    fault = next(left, None)
    encoder = msgspec.json.Encoder()
    with partial.open("wb") as file:
        for record in source.records():
            if fault is None:
                break
            if record.line != fault.line:
                continue
            rejected = Rejected(
                line=fault.line,
                code=fault.error_code,
                reason=fault.error_detail,
                hint=fault.error_hint or None,
                pointer=fault.error_pointer or None,
                original=record.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
            )
            file.write(encoder.encode(rejected) + b"\n")
            fault = next(left, None)
    os.replace(partial, target)  # noqa: PTH105  # it says that it replaces
