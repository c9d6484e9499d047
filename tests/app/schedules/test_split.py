"""A batch's body is split alike whatever the pieces it comes in."""

import json
from collections.abc import Callable, Sequence

import pytest

from gnomon.errors import RequestInvalid
from gnomon.schedules.split import LONGEST_ITEM, Items, Lines

Splitter = Callable[[], Items | Lines]

ARRAYS: Sequence[str] = (
    "[]",
    " [ ] \n",
    '[{"a": "\\" ] } é 😀"}, 7, -1.5e3 ,true, null, "x", [1, [2]]]',
    "[12345]\n",
    "[{},\n\n {}]",
    "",
    "{}",
    "[",
    "[{}",
    "[{},]",
    "[,{}]",
    "[{}] x",
    "[]]",
    "[{} {}]",
    "[tru]",
    '[{}, {"a": }]',
    '[{"a": "open',
    "[\n{},\n  {}, é]",
)
LINES: Sequence[str] = ("", "\n\n", "{}\n{}", '{"a": "é😀"}\r\n\n {broken\n  \n7\n', "one")


def split(made: Splitter, pieces: Sequence[bytes]) -> tuple[list[str], str]:
    """The items, and what was wrong in the end."""
    splitter = made()
    items: list[str] = []
    try:
        for piece in pieces:
            items += splitter.more(piece, is_last=False)
        items += splitter.more(b"", is_last=True)
    except RequestInvalid as fault:
        return items, fault.message
    return items, ""


@pytest.mark.parametrize(
    ("made", "text"), [*((Items, text) for text in ARRAYS), *((Lines, text) for text in LINES)], ids=lambda it: repr(it)[:40]
)
def test_pieces_do_not_matter(made: Splitter, text: str) -> None:
    body = text.encode()
    whole = split(made, [body])
    for at in range(len(body) + 1):
        assert split(made, [body[:at], body[at:]]) == whole
    assert split(made, [body[at : at + 1] for at in range(len(body))]) == whole
    if made is Items:
        try:
            expected = json.loads(text)
        except json.JSONDecodeError:
            expected = None
        assert (whole[1] == "") == isinstance(expected, list)
        if isinstance(expected, list):
            assert [json.loads(item) for item in whole[0]] == expected


def test_what_is_wrong_is_told_with_its_place() -> None:
    told = split(Items, [b'[{"a": 1},\n', b"  {}\n", b" {}]"])
    assert told == (['{"a": 1}', "{}"], "the batch is no JSON array at line 3, column 2: expected , or ]")
    assert split(Items, [b"[{}", b", \xc3"]) == (["{}"], "the request is not UTF-8 at byte 5")
    assert split(Lines, [b"a\n\xe2", b"\x82", b"x\n"]) == (["a"], "the request is not UTF-8 at byte 2")


def test_an_item_without_an_end_is_given_up() -> None:
    pieces = [b'["', *[b"x" * 50_000] * (3 * LONGEST_ITEM // 50_000)]
    items, fault = split(Items, pieces)
    assert items == []
    assert fault == f"the batch is no JSON array at line 1, column 2: an item has more than {LONGEST_ITEM} characters"
