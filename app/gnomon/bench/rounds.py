"""Rounds in which the order of the sides alternates, so that a machine that warms up or tires favours nobody."""

from collections.abc import Awaitable, Callable, Mapping
from statistics import median
from typing import Final, TypeAlias

ROUNDS: Final = 3
"""The fewest of which a median says anything."""

Side: TypeAlias = Callable[[], Awaitable[dict[str, float]]]
Round: TypeAlias = dict[str, dict[str, float]]
"""What each side measured, by name."""


async def alternate(
    sides: Mapping[str, Side], count: int = ROUNDS, say: Callable[[str], None] = lambda _: None
) -> list[dict[str, dict[str, float]]]:
    """Run every side once a round; each round holds what each side measured, by name."""
    rounds = []
    for number in range(count):
        order = list(sides)[:: 1 if number % 2 == 0 else -1]
        found = {}
        for name in order:
            say(f"round {number + 1} of {count}: {name}")
            found[name] = await sides[name]()
        rounds.append({name: found[name] for name in sides})
    return rounds


def middle(rounds: list[dict[str, dict[str, float]]], side: str, what: str) -> float:
    """The median of one measure of one side."""
    return median(found[side][what] for found in rounds)
