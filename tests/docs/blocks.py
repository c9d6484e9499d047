"""A Markdown document as what can be run in it: statements, and the output that the text says they give.

    ```sql            statements, for psql
    ```sh             commands: curl and gnomon
    ```text, ```json  the output of the block before
    <!-- clock 2026-10-24T10:00:00Z -->   what the clock of the database shows from here on
    <!-- not run -->                      the next block is only shown

A block without an output behind it is run too, and must not fail. An id of an output may stand in later blocks: the run
puts its own in the place.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

RUN: Final = frozenset({"sql", "sh"})
OUTPUT: Final = frozenset({"text", "json"})

_FENCE: Final = re.compile(r"^```(\w*)$")
_COMMENT: Final = re.compile(r"^<!-- (clock (?P<at>\S+)|(?P<shown>not run)) -->$")

# What is made anew by every run: ids, claims, cursors. The length stays, and with it psql's columns.
_MADE_ANEW: Final = re.compile(
    r"(?<=\b(?:sch|ntf|dlv)_)[0-7][0-9A-HJKMNP-TV-Z]{25}\b"
    r"|(?<=\bop_)[0-7][0-9A-HJKMNP-TV-Z]{25}\b"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|(?<=\b\d{16}-)[0-9a-f]{32}\b"
)


@dataclass(frozen=True)
class Block:
    """Something to run: its language, its text, its line in the document, and the lines of the output it is said to give."""

    language: str
    text: str
    line: int
    clock: datetime | None
    """What the clock shows from this block on; None leaves it as it was."""
    said: str | None
    """The output by the document; None when it gives none."""
    output: slice
    """Where that output stands, as line numbers from 0."""


def read(document: Path) -> list[Block]:
    """The blocks to run, in order."""
    lines = document.read_text().splitlines()
    found: list[Block] = []
    clock: datetime | None = None
    is_shown = False
    for language, begin, end in _fences(lines):
        for comment in map(_COMMENT.match, lines[_previous_end(lines, begin) : begin]):
            if comment and comment["at"]:
                clock = datetime.fromisoformat(comment["at"])
            is_shown |= bool(comment and comment["shown"])
        text = "\n".join(lines[begin + 1 : end])
        if language in OUTPUT and not is_shown:
            if not found or found[-1].said is not None:
                raise ValueError(f"{document.name}:{begin + 1}: an output without anything run before it")
            found[-1] = _with_output(found[-1], text, slice(begin + 1, end))
        elif language in RUN and not is_shown:
            found.append(Block(language, text, begin + 1, clock, None, slice(end, end)))
            clock = None
        is_shown = False
    return found


def rewritten(document: Path, outputs: dict[int, str]) -> str:
    """The document with these outputs, by the line of their block, in the place of those that say otherwise."""
    lines = document.read_text().splitlines()
    for block in reversed(read(document)):
        if block.said is not None and comparable(block.said) != comparable(outputs[block.line]):
            lines[block.output] = outputs[block.line].splitlines()
    return "\n".join(lines) + "\n"


def comparable(output: str) -> str:
    """An output with everything that differs from run to run made alike."""
    return "\n".join(line.rstrip() for line in _MADE_ANEW.sub(_blank, output).splitlines())


def differences(document: Path, outputs: dict[int, str]) -> str:
    """What a run showed otherwise than the document says; empty when all is as it says."""
    wrong = [
        f"{document.name}:{block.line}\n--- the document\n{block.said}\n--- the run\n{outputs[block.line]}"
        for block in read(document)
        if block.said is not None and comparable(block.said) != comparable(outputs[block.line])
    ]
    return "\n\n".join(wrong)


def play(document: Path, runners: dict[str, Callable[[str], str]], set_clock: Callable[[datetime], None]) -> dict[int, str]:
    """Run every block in order; the outputs by the line of their block."""
    outputs: dict[int, str] = {}
    ids: dict[str, str] = {}
    for block in read(document):
        if block.clock is not None:
            set_clock(block.clock)
        output = runners[block.language](_renamed(block.text, ids))
        if block.said is None and "ERROR:" in output:
            raise AssertionError(f"{document.name}:{block.line} failed: {output}")
        ids |= zip(_MADE_ANEW.findall(block.said or ""), _MADE_ANEW.findall(output), strict=False)
        outputs[block.line] = _renamed(output, {made: said for said, made in ids.items()})
    return outputs


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _MADE_ANEW.sub(lambda found: names.get(found[0], found[0]), text)


def _fences(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    begin = None
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if begin is None:
            begin, language = number, fence[1]
        else:
            yield language, begin, number
            begin = None


def _previous_end(lines: list[str], begin: int) -> int:
    while begin and not _FENCE.match(lines[begin - 1]):
        begin -= 1
    return begin


def _with_output(block: Block, said: str, output: slice) -> Block:
    return Block(block.language, block.text, block.line, block.clock, said, output)


def _blank(found: re.Match[str]) -> str:
    return "x" * len(found[0])
