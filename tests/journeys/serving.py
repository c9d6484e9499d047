"""The API as a process of its own, and short requests to it.

with running_api(folder, GNOMON_DATABASE_URL=url) as api:
    status, answer = api.ask("POST", "/v1/schedules", {...})
"""

import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.races import wait_until
from tests.support.roles import GNOMON


@dataclass(frozen=True)
class Api:
    """A running `gnomon serve`."""

    address: str
    process: subprocess.Popen[bytes]

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Status and answer of a request. Raises OSError when nobody answers."""
        return asked(self.address + path, method, body)


def asked(url: str, method: str = "GET", body: object = None) -> tuple[int, Any]:
    """Status and answer of a request of ours on loopback."""
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, sent, {"content-type": "application/json"}, method=method)  # noqa: S310  # loopback
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310  # loopback
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.loads(refused.read())


@contextmanager
def running_api(folder: Path, **environment: str) -> Iterator[Api]:
    """An API with nothing but these GNOMON_* variables, killed with the block."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GNOMON_")}  # noqa: TID251  # a child's
    out, log = folder / "api.out", folder / "api.log"
    with out.open("wb") as answers, log.open("wb") as errors:
        command = [GNOMON, "serve", "--listen", "127.0.0.1:0", "--json"]
        process = subprocess.Popen(command, env=inherited | environment, stdout=answers, stderr=errors)
    try:
        wait_until(lambda: out.stat().st_size or process.poll() is not None, "the API takes requests")
        assert process.poll() is None, log.read_text()
        yield Api(json.loads(out.read_text())["address"], process)
    finally:
        process.kill()
        process.wait()
