"""What a benchmark says of itself, and what a run of it brings back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gnomon.database.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A promise, and whether this run kept it."""

    what: str
    value: float
    bar: float
    is_ceiling: bool = True
    """Whether the value must not exceed the bar; else it must reach it."""

    @property
    def passed(self) -> bool:
        """Whether the bar is met."""
        return self.value <= self.bar if self.is_ceiling else self.value >= self.bar


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the table, and one group of the picture: the median of each side."""

    what: str
    values: Mapping[str, float]
    """By side."""
    unit: str = "us"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a run brought back."""

    bars: Sequence[Bar]
    """Empty where the run was too small for any."""
    lines: Sequence[Line]
    rounds: Sequence[Mapping[str, Any]]
    versions: Mapping[str, str]
    """Of the peers."""
    settings: Mapping[str, Any]
    notes: Sequence[str] = field(default_factory=tuple)
    """What was left out, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a benchmark is given."""

    pool: Pool
    url: str
    """The libpq address of the database that pool is of, for processes of their own and databases beside it."""
    is_small: bool
    """The same work at about a hundredth, to see that it works; bars that need size are left out."""
    has_peers: bool
    say: Callable[[str], None]
    """Tells a person what is being done."""
    minutes: float = 1
    """How long a benchmark that goes on for a time goes on."""
    is_full: bool = False
    """The largest size, where a benchmark has one that takes hours."""


Measure: TypeAlias = Callable[[Run], Awaitable[Measured]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One benchmark; the module that makes it calls it BENCHMARK and bears its name."""

    what: str
    """In one line."""
    measure: Measure
