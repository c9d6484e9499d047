"""How long to wait before trying again."""

import random
from datetime import timedelta


def full_jitter(attempt: int, *, base: timedelta, ceiling: timedelta) -> timedelta:
    """A random pause between nothing and base * 2 ** attempt, at most the ceiling; attempts count from 0.

    Random from zero on, not around a mean: after an outage everybody comes back, and only spread keeps them apart.
    """
    longest = min(ceiling, base * (1 << min(attempt, 32)))
    return longest * random.random()  # noqa: S311  # spreads load, hides nothing
