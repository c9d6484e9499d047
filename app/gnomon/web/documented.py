"""What a route says about itself for /schema, kept beside the route so that neither can change alone.

Routes read their bodies and queries themselves (strictly), so nothing could be derived from their signatures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

OPT: Final = "documented"


@dataclass(frozen=True, slots=True)
class Query:
    """One query parameter: its name, what it means, and the JSON Schema of its value."""

    name: str
    meaning: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Documented:
    """One call. `problems` are the codes of the contract it can answer beside those that every call can."""

    summary: str
    answer: Any
    answer_example: object
    statuses: Sequence[int] = (200,)
    answer_type: str = "application/json"
    answer_headers: Mapping[str, str] | None = None
    body: Any = None
    body_examples: Mapping[str, object] | None = None
    body_types: Sequence[str] = ("application/json",)
    query: Sequence[Query] = ()
    is_conditional: bool = False
    may_be_conditional: bool = False
    problems: Sequence[str] = ()


def documented(**what: Any) -> dict[str, Any]:  # noqa: ANN401  # the fields of Documented
    """The opt of a route that holds its documentation; takes the fields of Documented."""
    return {OPT: Documented(**what)}
