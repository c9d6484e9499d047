"""`gnomon up`: everything on this machine."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from gnomon.settings import Settings

_SQL: Final = "select * from gnomon.schedule_in('u_1', 'hello', interval '5 s')"


def up(
    *,
    listen: Annotated[
        str | None, typer.Option(help="Address of the API; GNOMON_LISTEN, else 127.0.0.1:8080.", metavar="HOST:PORT")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder of the embedded database; GNOMON_DATA, else this account's.")
    ] = None,
) -> None:
    """Run API, poller and worker, until Ctrl-C.

    The database is the embedded one unless GNOMON_DATABASE_URL names another; it is migrated first. A process that ends
    is started again. A second Ctrl-C kills what has not ended yet.

    Example: GNOMON_WEBHOOK_URL=https://example.com/hook gnomon up --listen 127.0.0.1:8080
    """
    import uvloop
    from rich.console import Console

    from gnomon.database.migrate import upgrade
    from gnomon.embedded import database_for
    from gnomon.log import start_log
    from gnomon.settings import read_settings, variables
    from gnomon.web.access import check_address

    given = variables()
    given |= {name: str(value) for name, value in (("GNOMON_LISTEN", listen), ("GNOMON_DATA", data)) if value is not None}
    settings = read_settings(given)
    check_address(settings)
    console = Console(highlight=False)
    start_log("up")
    with database_for(settings) as url:
        upgrade(url)
        is_killed = uvloop.run(_up(settings, given | {"GNOMON_DATABASE_URL": url}, console))
    if is_killed:
        raise typer.Exit(1)


async def _up(settings: "Settings", told: dict[str, str], console: "Console") -> bool:
    """Run it all; whether it had to be killed in the end."""
    import asyncio

    from gnomon.children.child import Child, ChildEnded
    from gnomon.children.house import House
    from gnomon.children.telling import Drawn, Logged
    from gnomon.database.pool import open_pool
    from gnomon.database.renewal import Renewal
    from gnomon.settings import surroundings

    telling = Drawn(console) if console.is_terminal else Logged()
    environment = surroundings() | told

    def child(name: str, *words: str, is_heard: bool = console.is_terminal) -> Child:
        return Child(name, ["-m", "gnomon", *words], environment, telling.heard if is_heard else None)

    # Without a terminal only the API is listened to, for its address; the others write where we do.
    house = House(
        child("api", "serve", "--json", is_heard=True), [child("poller", "poll"), child("worker", "work")], telling.say
    )
    url = told["GNOMON_DATABASE_URL"]
    async with open_pool(url, min_size=1, max_size=1, application_name="gnomon up") as pool:
        watching: asyncio.Task[None] | None = None
        renewing = asyncio.create_task(Renewal(pool).go_on_looking())
        try:
            address = await house.open()
            _show_use(console, settings, address, url)
            watching = asyncio.create_task(telling.watch(house, pool, address))
            await house.run()
        except ChildEnded:
            if not house.is_asked:
                raise
        finally:
            await house.close()
            tasks = [task for task in (watching, renewing) if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return house.is_killed


def _show_use(console: "Console", settings: "Settings", address: str, url: str) -> None:
    from rich.text import Text

    token = ' -H "authorization: Bearer $TOKEN"' if settings.api_tokens else ""
    where = "GNOMON_DATABASE_URL" if settings.database_url else url
    data = f"GNOMON_DATA={settings.data} " if settings.data and not settings.database_url else ""
    to = settings.webhook_url or "this terminal (set GNOMON_WEBHOOK_URL to have them posted)"
    lines = (
        ("API         ", f"{address}  (what it takes: {address}/schema)"),
        ("database    ", where),
        ("deliveries  ", to),
        ("", ""),
        ("by HTTP     ", f"curl {address}/v1/notifications/schedule -H content-type:application/json{token} \\"),
        ("            ", """  -d '{"user_id":"u_1","template_id":"hello","schedule_at":"in 5 seconds"}'"""),
        ("by SQL      ", f'{data}gnomon psql -c "{_SQL}"'),
        ("", ""),
    )
    for name, text in lines:
        console.print(Text.assemble((name, "dim"), text), soft_wrap=True)
