"""The database of a benchmark, where the caller names none: an embedded one in a folder that goes away."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gnomon.database.migrate import upgrade
from gnomon.embedded import Embedded
from gnomon.embedded.account import is_root


@contextmanager
def fresh_database() -> Iterator[str]:
    """The libpq address of a migrated database, durable as it comes. Raises what Embedded.start and upgrade raise."""
    folder = Path(tempfile.mkdtemp(prefix="gnomon-bench-")).resolve()
    try:
        if is_root():
            folder.chmod(0o755)  # the server runs as another account
        with Embedded(folder / "data") as embedded:
            upgrade(embedded.url)
            yield embedded.url
    finally:
        shutil.rmtree(folder, ignore_errors=True)
