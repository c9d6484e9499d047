"""A batch's body split into its items while it comes: nothing of it is kept twice, and no item is understood here.

    pieces of the body -> UTF-8 text -> the next item's text, as often as there is one

Lenient on purpose: this finds where an item ends; what it is worth the strict reading of the item decides. What cannot be
split refuses the whole batch.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Final

from gnomon.errors import RequestInvalid

_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str)
_SPACE: Final = re.compile(r"[ \t\n\r]*")

# Characters, as many as a request alone may have. What is longer would be read again and again until its end has come.
LONGEST_ITEM: Final = 1 << 20

_CLOSING: Final = ('"', "}", "]")
_ENDED: Final = re.compile(r"[ \t\n\r,\]]")


class Text:
    """Bytes as text, whatever the pieces they come in."""

    def __init__(self) -> None:
        """Begin at the first byte."""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._bytes_before = 0

    def more(self, piece: bytes, *, is_last: bool) -> str:
        """The characters that are complete. Raises RequestInvalid with the byte that is wrong."""
        kept = len(self._decoder.getstate()[0])
        try:
            found = self._decoder.decode(piece, is_last)
        except UnicodeDecodeError as fault:
            at = self._bytes_before - kept + fault.start
            raise RequestInvalid(f"the request is not UTF-8 at byte {at}", pointer="") from fault
        self._bytes_before += len(piece)
        return found


class Lines:
    """One item a line; empty lines are none."""

    def __init__(self) -> None:
        """Begin with the first line."""
        self._text = Text()
        self._rest: list[str] = []

    def more(self, piece: bytes, *, is_last: bool) -> Iterator[str]:
        """The lines that are complete. Raises RequestInvalid."""
        *lines, rest = self._text.more(piece, is_last=is_last).split("\n")
        if lines:
            lines[0] = "".join((*self._rest, lines[0]))
            self._rest = []
        self._rest.append(rest)
        if is_last:
            lines.append("".join(self._rest))
        return (line for line in lines if line.strip())


class Items:
    """The items of a JSON array as they stand in it."""

    def __init__(self) -> None:
        """Begin before its bracket."""
        self._text = Text()
        self._buffer = ""
        self._at = 0
        self._coming: list[str] = []
        self._expected = "["
        self._is_empty = True
        self._enough = 0
        self._line, self._column = 1, 1

    def more(self, piece: bytes, *, is_last: bool) -> Iterator[str]:
        """The items that are complete. Raises RequestInvalid when it is no array or ends early."""
        self._coming.append(self._text.more(piece, is_last=is_last))
        # An item longer than a piece is tried again only when the text has doubled, or it would be read once a piece.
        self._enough -= len(self._coming[-1])
        if self._enough > 0 and not is_last:
            return
        self._forget()
        self._buffer = "".join((self._buffer, *self._coming))
        self._coming.clear()
        while (item := self._next(is_last=is_last)) is not None:
            yield item
        if is_last and self._expected:
            raise self._no_array(self._at, f"expected {self._expected}")

    def _next(self, *, is_last: bool) -> str | None:
        while self._skip_space():
            mark = self._buffer[self._at]
            if not self._expected:
                raise self._no_array(self._at, "expected the end")
            if self._expected == "[":
                self._take(mark, "[", "an item")
            elif self._expected == ", or ]":
                if mark == "]":
                    self._take(mark, "]", "")
                else:
                    self._take(mark, ",", "an item")
            elif mark == "]" and self._is_empty:
                self._take(mark, "]", "")
            else:
                return self._item(is_last=is_last)
        return None

    def _item(self, *, is_last: bool) -> str | None:
        try:
            _, end = _DECODER.raw_decode(self._buffer, self._at)
        except json.JSONDecodeError as fault:
            if not is_last:
                self._wait_for_its_end()
                return None
            raise self._no_array(fault.pos, fault.msg) from fault
        except RecursionError as fault:
            raise self._no_array(self._at, "nested too deeply") from fault
        item = self._buffer[self._at : end]
        # A number or a word may go on in the next piece; what follows it here must have ended it.
        if not item.endswith(_CLOSING) and not is_last and not _ENDED.search(self._buffer, end):
            self._wait_for_its_end()
            return None
        self._at, self._expected, self._is_empty = end, ", or ]", False
        return item

    def _wait_for_its_end(self) -> None:
        self._enough = len(self._buffer) - self._at
        if self._enough > LONGEST_ITEM:
            raise self._no_array(self._at, f"an item has more than {LONGEST_ITEM} characters")

    def _take(self, mark: str, wanted: str, then: str) -> None:
        if mark != wanted:
            raise self._no_array(self._at, f"expected {self._expected}")
        self._at += 1
        self._expected = then

    def _skip_space(self) -> bool:
        """Go to what is no white space; whether there is any."""
        found = _SPACE.match(self._buffer, self._at)
        self._at = found.end() if found else self._at
        return self._at < len(self._buffer)

    def _forget(self) -> None:
        """Let go of what is behind, but for where it was."""
        self._line, self._column = self._place(self._at)
        self._buffer, self._at = self._buffer[self._at :], 0

    def _place(self, at: int) -> tuple[int, int]:
        lines = self._buffer.count("\n", 0, at)
        begun = self._buffer.rfind("\n", 0, at)
        return self._line + lines, at - begun if lines else self._column + at

    def _no_array(self, at: int, reason: str) -> RequestInvalid:
        line, column = self._place(at)
        return RequestInvalid(f"the batch is no JSON array at line {line}, column {column}: {reason}")
