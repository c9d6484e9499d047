"""The commands of a document: `gnomon ...` as a process, and `curl ...` against a running API, without need of curl.

    curl -s http://localhost:8080/v1/...                     a GET, the body
    curl -i -X PUT ... -H 'Content-Type: ...' -d '{...}'     with status line and headers
    ... | python3 -m json.tool                               the body, indented

The address in the text stands for wherever the API of the test answers.
"""

import http.client
import json
import os
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, Final
from urllib.parse import urlsplit

_PRETTY: Final = ["|", "python3", "-m", "json.tool"]
# They differ from run to run and from machine to machine.
_HEADERS_LEFT_OUT: Final = frozenset({"date"})


class Shell:
    """Runs the blocks of language sh of one document."""

    def __init__(self, url: str, log: IO[bytes]) -> None:
        """Work on this database; the API is started when the first curl comes, and logs there."""
        self._environment = _environment(url)
        self._serve: subprocess.Popen[str] | None = None
        self._log = log
        self._address = ""

    def run(self, text: str) -> str:
        """Run the commands of a block and return what they print."""
        commands = text.replace("\\\n", " ").splitlines()
        return "\n".join(self._run_one(shlex.split(line)) for line in commands if line.strip())

    def close(self) -> None:
        """End the API."""
        if self._serve is not None:
            self._serve.terminate()
            self._serve.communicate()

    def _run_one(self, words: list[str]) -> str:
        if words[0] == "gnomon":
            command = [sys.executable, "-m", *words]
            done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
            return (done.stdout + done.stderr).rstrip()
        if words[0] != "curl":
            raise ValueError(f"only gnomon and curl are run, not {words[0]}")
        return self._curl(words[1:])

    def _curl(self, words: list[str]) -> str:
        is_pretty = words[-len(_PRETTY) :] == _PRETTY
        asked = _PARSER.parse_args(words[: -len(_PRETTY)] if is_pretty else words)
        target = urlsplit(asked.url)
        connection = http.client.HTTPConnection(self._api(), timeout=20)
        headers = dict(header.split(": ", 1) for header in asked.header)
        method = asked.request or ("GET" if asked.data is None else "POST")
        connection.request(method, target._replace(scheme="", netloc="").geturl(), asked.data, headers)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        if is_pretty:
            return json.dumps(json.loads(body), indent=4)
        told = [f"{name}: {value}" for name, value in answer.getheaders() if name not in _HEADERS_LEFT_OUT]
        head = [f"HTTP/1.1 {answer.status} {answer.reason}", *told, ""]
        return "\n".join([*head, body] if asked.include else [body])

    def _api(self) -> str:
        if self._serve is None:
            command = [sys.executable, "-m", "gnomon", "serve", "--listen", "127.0.0.1:0", "--json"]
            self._serve = subprocess.Popen(
                command, env=self._environment, stdout=subprocess.PIPE, stderr=self._log, text=True
            )
            assert self._serve.stdout is not None
            if not (told := self._serve.stdout.readline()):
                self._log.seek(0)
                raise AssertionError(f"the API has not started: {self._log.read().decode()}")
            self._address = urlsplit(json.loads(told)["address"]).netloc
        return self._address


@contextmanager
def shell(url: str) -> Iterator[Shell]:
    """A shell as long as the block lasts."""
    with TemporaryFile() as log:
        opened = Shell(url, log)
        try:
            yield opened
        finally:
            opened.close()


def _environment(url: str) -> dict[str, str]:
    own = {"GNOMON_DATABASE_URL": url, "COLUMNS": "130", "NO_COLOR": "1"}
    others = {name: value for name, value in os.environ.items() if not name.startswith("GNOMON_")}  # noqa: TID251
    return others | own


def _parser() -> ArgumentParser:
    parser = ArgumentParser("curl", add_help=False)
    parser.add_argument("-s", action="store_true")
    parser.add_argument("-i", "--include", action="store_true")
    parser.add_argument("-X", "--request")
    parser.add_argument("-H", "--header", action="append", default=[])
    parser.add_argument("-d", "--data")
    parser.add_argument("url")
    return parser


_PARSER: Final = _parser()
