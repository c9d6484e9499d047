"""What a check is given, and what it answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from gnomon.database.pool import Pool


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is not as it should be."""

    what: str
    why: str
    remedy: str


class Exam(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of one check."""

    check: str
    seen: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Ward:
    """What checks look at."""

    pool: Pool
    is_embedded: bool
    """Whether the server is our own launcher's."""


Check: TypeAlias = Callable[[Ward], Awaitable[Exam]]


def plural(count: int, word: str) -> str:
    """The number with its word: `1 zone`, `3 zones`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
