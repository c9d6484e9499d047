"""Walk cron texts with croniter or cronsim and print the seconds that each text took, as JSON.

The one argument: {"peer": ..., "time_zone": ..., "years": [...], "work": [[cron text, how many], ...]}.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib import import_module
from typing import Any
from zoneinfo import ZoneInfo


def _croniter(text: str, start: datetime) -> Callable[[], Any]:
    found = import_module("croniter").croniter(text, start)
    return lambda: found.get_next(datetime)


def _cronsim(text: str, start: datetime) -> Callable[[], Any]:
    found: Iterator[datetime] = import_module("cronsim").CronSim(text, start)
    return lambda: next(found)


def main() -> None:
    """Do the work of the argument."""
    wanted = json.loads(sys.argv[1])
    walker = {"croniter": _croniter, "cronsim": _cronsim}[wanted["peer"]]
    starts = [datetime(year, 1, 1, tzinfo=ZoneInfo(wanted["time_zone"])) for year in wanted["years"]]
    walker("0 9 * * *", starts[0])()  # what is imported and read once is not what is measured
    seconds = {}
    for text, count in wanted["work"]:
        began = time.perf_counter()
        for start in starts:
            following = walker(text, start)
            for _ in range(count):
                following()
        seconds[text] = time.perf_counter() - began
    sys.stdout.write(json.dumps(seconds))


if __name__ == "__main__":
    main()
