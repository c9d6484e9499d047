"""Logs: JSON for machines, on standard error only."""

import json
import subprocess
import sys

_SPEAK = """
import logging
from gnomon import log
log.start_log("poll")
log.logger("gnomon.x").info("leased", shards=[1, 2])
logging.getLogger("psycopg.pool").info("chatter")
logging.getLogger("library").warning("of %s", "others")
token = "sec" + "ret"
try:
    1 / 0
except ZeroDivisionError:
    log.logger("gnomon.x").exception("failed")
"""


def test_every_line_is_one_json_object_with_its_role() -> None:
    done = subprocess.run([sys.executable, "-c", _SPEAK], capture_output=True, text=True, check=True)
    leased, foreign, failed = map(json.loads, done.stderr.splitlines())
    assert done.stdout == ""
    assert (leased["event"], leased["role"], leased["level"], leased["shards"]) == ("leased", "poll", "info", [1, 2])
    assert leased["timestamp"].endswith("Z")
    assert (foreign["event"], foreign["role"], foreign["logger"]) == ("of others", "poll", "library")
    assert failed["exception"][0]["exc_type"] == "ZeroDivisionError"
    assert "secret" not in done.stderr, "local variables of a traceback are logged"
