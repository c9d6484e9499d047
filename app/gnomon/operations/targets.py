"""What a mass operation is about: a label, a user or a template."""

from dataclasses import dataclass
from typing import Literal

from gnomon.errors import NotAvailable, RequestInvalid
from gnomon.operations.shapes import TargetRequest


@dataclass(frozen=True, slots=True)
class Target:
    """One of three scopes, and the words that name the one meant: of a label its name and value."""

    scope: Literal["label", "user", "template"]
    words: tuple[str, ...]


def target_of(asked: TargetRequest) -> Target:
    """The target that a request names. Raises RequestInvalid unless it is exactly one, NotAvailable for a campaign."""
    given = [name for name in TargetRequest.__struct_fields__ if getattr(asked, name) is not None]
    if len(given) != 1:
        raise RequestInvalid(
            "name exactly one of label, user_id and template_id", hint=f"given: {', '.join(given) or 'none'}"
        )
    if asked.label is not None:
        return Target("label", (asked.label.name, asked.label.value))
    if asked.user_id is not None:
        return Target("user", (asked.user_id,))
    if asked.template_id is not None:
        return Target("template", (asked.template_id,))
    raise NotAvailable("campaigns are not available in this version", pointer="/campaign_id")
