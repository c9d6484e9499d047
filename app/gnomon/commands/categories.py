"""`gnomon categories`: what the schedules that name a category have where they say nothing themselves."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.categories.shapes import Category


class CategoryUnknown(Exception):
    """No category of this name is known."""

    hint = "`gnomon categories` lists them."


def categories(
    act: Annotated[
        Literal["list", "show", "set", "drop"], typer.Argument(help="What to do: list, show, set or drop.")
    ] = "list",
    name: Annotated[str | None, typer.Argument(help="Of the category; not for list.", metavar="NAME")] = None,
    *,
    lane: Annotated[str | None, typer.Option(help="set: critical, transactional (if absent) or bulk.")] = None,
    channels: Annotated[str | None, typer.Option(help="set: push,email; else the installation's.")] = None,
    expires_in: Annotated[str | None, typer.Option(help="set: worthless so long after it is due: PT10M.")] = None,
    description: Annotated[str | None, typer.Option(help="set: for people.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """List, show, set or drop categories: lane, channels, expiry of what names one.

    set makes or replaces the whole category. Pending schedules keep their lane,
    and have the new channels and expiry from the next fire on. drop lets no new
    request name it; what is pending goes on by it. Both need gnomon_admin.

    Examples:
      gnomon categories
      gnomon categories set newsletter --lane bulk --channels email --expires-in P1D
      gnomon categories drop newsletter
    """
    import msgspec

    from gnomon.categories import calls
    from gnomon.categories.shapes import CategoryDropped, CategoryList
    from gnomon.commands.ask import ask, show_json

    words = {"lane": lane, "channels": channels, "expires_in": expires_in, "description": description}
    if act != "set" and any(word is not None for word in words.values()):
        raise typer.BadParameter("lane, channels, expiry and description go with set")
    if (act == "list") != (name is None):
        raise typer.BadParameter("list takes no NAME" if act == "list" else f"say which: gnomon categories {act} NAME")
    if act == "list" or name is None:
        found = ask(calls.categories)
        show_json(CategoryList(categories=found)) if as_json else _show(found)
        return
    known: str = name
    if act == "drop":
        if not ask(lambda pool: calls.drop_category(pool, known)):
            raise _unknown(known)
        show_json(CategoryDropped(name=known, dropped=True)) if as_json else print(f"{known} is dropped")
        return
    if act == "set":
        said = {word: given for word, given in words.items() if given is not None}
        settings = msgspec.json.encode(said | ({"channels": channels.split(",")} if channels else {})).decode()
        one: Category | None = ask(lambda pool: calls.set_category(pool, known, settings))
    else:
        one = ask(lambda pool: calls.find_category(pool, known))
    if one is None:
        raise _unknown(known)
    show_json(one) if as_json else _show([one])


def _unknown(name: str) -> CategoryUnknown:
    return CategoryUnknown(f"no category of the name {name[:64]!r} is known")


def _show(found: "Sequence[Category]") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for heading in ("category", "lane", "channels", "expires in", "description"):
        table.add_column(heading, overflow="fold")
    for one in found:
        channels = ", ".join(one.channels or ()) or "the installation's"
        table.add_row(*map(Text, (one.name, one.lane, channels, one.expires_in or "never", one.description or "")))
    Console(soft_wrap=True, highlight=False).print(table)
