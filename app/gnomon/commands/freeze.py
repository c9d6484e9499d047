"""`gnomon freeze`."""

import json
from typing import Annotated

import typer

from gnomon.files import is_checkout, migrations_folder, sql_folder


def freeze(
    name: Annotated[str | None, typer.Argument(help="What the next revision is for.", show_default=False)] = None,
    *,
    is_again: Annotated[bool, typer.Option("--again", help="Freeze anew into the newest revision.")] = False,
    is_check: Annotated[bool, typer.Option("--check", help="Change nothing; fail when something is not frozen.")] = False,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Copy what changed in sql/ into a revision of its own.

    For developers, in a checkout. Finds the routines and views of sql/ that
    differ from their newest frozen copy and writes the next revision's
    folder in migrations/versions/. Steps on tables are written by hand
    into its up.sql and down.sql.

    The newest revision can be frozen again until migrations/released.txt
    names it; what was written by hand stays.

    Examples:
      gnomon freeze "true cancel"
      gnomon freeze --again
      gnomon freeze --check
    """
    from gnomon.database import freeze as freezing

    if not is_checkout():
        raise typer.BadParameter("an installed version has no history to write: this works in a checkout only.")
    if [is_again, is_check, name is not None].count(True) != 1:
        raise typer.BadParameter("say what the next revision is for, or --again for the newest one, or --check.")
    folders = (sql_folder(), migrations_folder())
    if is_check:
        freezing.check_all(*folders)
        print(json.dumps({"is_frozen": True}) if is_json else "All of sql/ is frozen.")
        return
    done = freezing.begin(name, *folders) if name else freezing.again(*folders)
    if is_json:
        print(json.dumps({"revision": done.revision, **done.routines(), "has_views": done.has_views}))
        return
    for word, routines in done.routines().items():
        for routine in routines:
            print(f"{word:<8}  {routine}")
    views = "; the views are in it" if done.has_views else ""
    print(f"Frozen in migrations/versions/{done.revision}{views}.")
