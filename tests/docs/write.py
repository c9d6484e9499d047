"""Plays documents and writes the outputs into them: `python -m tests.docs.write docs/pills.md`. Read the difference then.

Without a name it writes all documents that are run, and those that are generated.
"""

import sys
from pathlib import Path

from tests.docs import blocks
from tests.docs.documents import TOP, played
from tests.support import cluster


def main(names: list[str]) -> None:
    """Write each of the documents anew."""
    with cluster.running_server() as server:
        template = cluster.load_template(server)
        for name in names:
            document = Path(TOP, name)
            with server.database(template, time_zone="UTC") as url:
                document.write_text(blocks.rewritten(document, played(document, url)))


if __name__ == "__main__":
    main(sys.argv[1:])
