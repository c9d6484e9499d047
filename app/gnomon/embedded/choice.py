"""Which database a command works on: the user's own server, or the embedded one."""

from collections.abc import Iterator
from contextlib import contextmanager

from gnomon.embedded.server import Embedded
from gnomon.settings import Settings


@contextmanager
def database_for(settings: Settings) -> Iterator[str]:
    """The libpq address of the database to use, as long as the block lasts.

    GNOMON_DATABASE_URL when it is set, else the embedded server, started or attached to. Raises ServerTooOld,
    psycopg.OperationalError, and what Embedded.start raises.
    """
    if settings.database_url is not None:
        # Only here: the embedded server is used without any driver.
        from gnomon.database.version import require_supported

        require_supported(settings.database_url)
        yield settings.database_url
        return
    with Embedded(settings.data) as embedded:
        yield embedded.url
