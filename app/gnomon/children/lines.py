"""What our processes write on standard error, made short enough for a person: JSON of structlog, or whatever it is."""

from dataclasses import dataclass
from typing import Any, Final

import msgspec

_ROUTINE: Final = frozenset({"debug", "info"})

# What every line has; the rest says what the line is about.
_FRAME: Final = frozenset({"event", "level", "logger", "timestamp", "role", "exception", "stack"})


@dataclass(frozen=True, slots=True)
class Line:
    """One line."""

    level: str
    event: str
    """What happened."""
    about: str = ""
    """The rest, as name=value."""

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.event} {self.about}".rstrip()

    @property
    def is_routine(self) -> bool:
        """Whether nobody needs to look."""
        return self.level in _ROUTINE


def read_line(raw: str) -> Line:
    """Read a line of a log; one that is none of ours counts as an error, and is shown as it is."""
    try:
        told: dict[str, Any] = msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.DecodeError:
        return Line("error", raw)
    about = [f"{name}={value}" for name, value in told.items() if name not in _FRAME]
    about += [f"{fault.get('exc_type')}: {fault.get('exc_value')}" for fault in told.get("exception") or ()]
    return Line(str(told.get("level", "error")), str(told.get("event", raw)), " ".join(about))
