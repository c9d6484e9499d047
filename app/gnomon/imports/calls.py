"""The SQL functions of an import, one typed function each, under the same name."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from gnomon.database.call import one, rows
from gnomon.database.pool import Pool
from gnomon.imports.read import Fault


class Step(NamedTuple):
    """What one call did."""

    accepted_count: int
    repeated_count: int
    refused_count: int


class Place(NamedTuple):
    """How far a stream is."""

    stream: int
    done_line: int
    accepted_count: int
    repeated_count: int
    refused_count: int


class Checked(NamedTuple):
    """What is wrong with one item of a check."""

    ordinal: int
    error_code: str
    error_detail: str
    error_hint: str | None
    error_pointer: str | None


async def import_requests(  # it takes what the SQL function takes
    pool: Pool,
    file_digest: bytes,
    stream: int,
    until_line: int,
    lines: Sequence[int],
    requests: str,
    refused: Sequence[Fault],
) -> Step:
    """Schedule the next lines of a stream of a file."""
    return await one(
        pool,
        "select * from gnomon.import_requests(%s, %s::smallint, %s, %s::bigint[], %s::jsonb, %s::jsonb)",
        (file_digest, stream, until_line, list(lines), requests, msgspec.json.encode(refused).decode()),
        shape=Step,
    )


async def import_places(pool: Pool, file_digest: bytes) -> list[Place]:
    """How far an import is that was begun and is not through."""
    return await rows(pool, "select * from gnomon.import_places(%s)", (file_digest,), shape=Place)


async def import_faults(pool: Pool, file_digest: bytes, after_line: int, at_most: int) -> list[Fault]:
    """The refused lines behind a line, in the order of the file."""
    return await rows(
        pool, "select * from gnomon.import_faults(%s, %s, %s::int)", (file_digest, after_line, at_most), shape=Fault
    )


async def end_import(pool: Pool, file_digest: bytes) -> None:
    """Forget the places of an import that is through."""
    await rows(pool, "select gnomon.end_import(%s)", (file_digest,))


async def check_many(pool: Pool, requests: str) -> list[Checked]:
    """What is wrong with the items of this JSON array, without scheduling them."""
    return await rows(
        pool,
        "select * from gnomon.check_many(%s::jsonb) where error_code is not null order by ordinal",
        (requests,),
        shape=Checked,
    )
