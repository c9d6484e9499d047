"""The table of `up`: its numbers are those of the SQL functions, read off as they should."""

from io import StringIO
from math import inf

import psycopg
import pytest
from rich.console import Console

from gnomon.children.board import Numbers, board, numbers_of, percentile, read_numbers
from gnomon.database.pool import open_pool
from gnomon.deliveries.calls import Lateness, QueueNumber


@pytest.mark.parametrize(
    ("buckets", "part", "expected"),
    [
        ([], 0.5, None),
        ([(0.1, 0), (inf, 0)], 0.5, None),
        ([(0.1, 10), (inf, 10)], 0.5, 50.0),
        ([(0.1, 10), (0.2, 20), (inf, 20)], 0.75, 150.0),
        ([(0.1, 0), (0.2, 20), (inf, 20)], 1.0, 200.0),
        ([(0.1, 1), (inf, 10)], 0.99, 100.0),
    ],
)
def test_a_percentile_is_read_off_the_histogram(
    buckets: list[tuple[float, int]], part: float, expected: float | None
) -> None:
    assert percentile(buckets, part) == (None if expected is None else pytest.approx(expected))


def shown(numbers: Numbers) -> str:
    console = Console(width=120, record=True, file=StringIO())
    console.print(board(numbers, (), "http://127.0.0.1:8080"))
    return console.export_text()


def test_the_table_shows_them() -> None:
    numbers = numbers_of(
        [
            QueueNumber(name="deliveries_ready", lane="critical", value=7),
            QueueNumber(name="deliveries_leased", lane="critical", value=1000),
            QueueNumber(name="heartbeats", lane=None, value=3),
        ],
        [
            Lateness(lane="critical", le=inf, count=1234, sum_seconds=9),
            Lateness(lane="critical", le=0.1, count=1234, sum_seconds=9),
        ],
    )
    line = next(line for line in shown(numbers).splitlines() if line.startswith("critical"))
    assert line.split() == ["critical", "7", "1,000+", "1,234", "50", "ms", "99", "ms"]
    assert "does not answer" not in shown(numbers)
    assert "does not answer" in shown(Numbers())


@pytest.mark.anyio
async def test_the_numbers_are_there(database_url: str, connection: psycopg.Connection) -> None:
    async with open_pool(database_url, min_size=1, max_size=1, application_name="test") as pool:
        numbers = await read_numbers(pool)
    assert numbers.is_there
    assert numbers.delivered("critical") == 0
    assert ("deliveries_ready", "bulk") in numbers.queue
    assert connection.execute("select 1").fetchone() == (1,)
