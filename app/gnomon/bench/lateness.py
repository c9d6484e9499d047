"""How late things were, told from every sample."""

import math
from collections.abc import Sequence
from typing import Final

_PLACES: Final = {"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99, "last_ms": 1.0}


def lateness(seconds: Sequence[float]) -> dict[str, float]:
    """p50, p95, p99, last and first in milliseconds; a negative one was early. Raises ValueError without samples."""
    if not seconds:
        raise ValueError("nothing came, so nothing can be said of its lateness")
    ordered = sorted(seconds)
    told = {name: ordered[math.ceil(part * len(ordered)) - 1] * 1e3 for name, part in _PLACES.items()}
    return told | {"first_ms": ordered[0] * 1e3}
