"""JSON read strictly: what two readers could understand differently is refused, not interpreted.

The text itself goes to the database (jsonb keeps every digit of a number); this reading decides only whether it may.
Refused: duplicate names (readers disagree which one counts), NaN and Infinity, numbers beyond a double, NUL and lone
surrogates in text (PostgreSQL cannot store them), nesting deeper than any request needs.
"""

import json
import re
from typing import Any, Final, NoReturn

from gnomon.errors import RequestInvalid

_KINDS: Final = {dict: "an object", list: "an array", str: "text", bool: "a boolean", int: "a number", float: "a number"}

# Deeper than any params we have seen; the decoder's own limit lies near 1,000 and depends on who called it.
DEPTH_LIMIT: Final = 100

# Characters; no double has more digits before its point.
_LONGEST_NUMBER: Final = 310

_UNSTORABLE: Final = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def strict_object(text: str) -> dict[str, Any]:
    """The object in this JSON text. Raises RequestInvalid with the position of what is wrong."""
    value = _decoded(text)
    if not isinstance(value, dict):
        raise RequestInvalid(f"the request is {_KINDS.get(type(value), 'null')}, not an object", pointer="")
    return value


def utf8_text(body: bytes) -> str:
    """The text of a body. Raises RequestInvalid."""
    try:
        return body.decode()
    except UnicodeDecodeError as fault:
        raise RequestInvalid(f"the request is not UTF-8 at byte {fault.start}", pointer="") from fault


def _decoded(text: str) -> object:
    try:
        value = _DECODER.decode(text)
        # Both walks over the value are paid only by the few texts that could hold what they look for.
        if text.count("{") + text.count("[") > DEPTH_LIMIT and _depth(value) > DEPTH_LIMIT:
            _refuse_depth()
        if _UNSTORABLE.search(text):
            _refuse_unstorable(value, "")
    except json.JSONDecodeError as fault:
        where = f"line {fault.lineno}, column {fault.colno}"
        raise RequestInvalid(f"the request is not JSON at {where}: {fault.msg}", pointer="") from fault
    except RecursionError:
        _refuse_depth()
    return value


def _refuse_depth() -> NoReturn:
    raise RequestInvalid(f"the request is nested deeper than {DEPTH_LIMIT} levels", pointer="")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise RequestInvalid(f"{twice!r} is given twice", pointer=f"/{escaped(twice)}")
    return found


def _no_constant(name: str) -> NoReturn:
    raise RequestInvalid(f"{name} is not JSON", pointer="")


def _bounded_float(digits: str) -> float:
    value = float(digits)
    if value in {float("inf"), float("-inf")}:
        raise RequestInvalid(f"the number {digits[:40]} is out of range", pointer="")
    return value


def _bounded_int(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise RequestInvalid(f"the number {digits[:40]}... is out of range", pointer="")
    return int(digits)


def _refuse_unstorable(value: object, pointer: str) -> None:
    if isinstance(value, str):
        if "\0" in value:
            raise RequestInvalid("the text contains a NUL character", pointer=pointer)
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise RequestInvalid("the text contains half of a surrogate pair", pointer=pointer)
    elif isinstance(value, dict):
        for name, member in value.items():
            _refuse_unstorable(name, pointer)
            _refuse_unstorable(member, f"{pointer}/{escaped(name)}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            _refuse_unstorable(member, f"{pointer}/{index}")


def _depth(value: object) -> int:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if members is None else 1 + max(map(_depth, members), default=0)


def escaped(name: str) -> str:
    """A member name as a token of a JSON pointer (RFC 6901)."""
    sayable = name.encode("utf-8", "backslashreplace").decode()
    return sayable.replace("~", "~0").replace("/", "~1")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_no_constant,
    parse_float=_bounded_float,
    parse_int=_bounded_int,
)
