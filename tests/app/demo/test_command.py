"""The command: its exit code is the account's."""

import pytest

from gnomon import cli
from gnomon.demo import theatre
from gnomon.demo.run import Options


@pytest.mark.parametrize(("is_kept", "code"), [(True, 0), (False, 1)])
def test_a_broken_promise_is_exit_code_1(monkeypatch: pytest.MonkeyPatch, *, is_kept: bool, code: int) -> None:
    asked: list[tuple[Options, bool]] = []

    def perform(options: Options, *, as_json: bool) -> bool:
        asked.append((options, as_json))
        return is_kept

    monkeypatch.setattr(theatre, "perform", perform)
    assert cli.run(["demo", "--seconds", "15", "--rate", "100", "--calm", "--json"]) == code
    (options, as_json) = asked[0]
    assert (options.length.total_seconds(), options.rate, options.is_calm, as_json) == (15, 100, True, True)


@pytest.mark.parametrize("words", [["--seconds", "0"], ["--rate", "nan"], ["--rate", "0"], ["--loud"]])
def test_wrong_use_is_exit_code_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["demo", *words]) == 2
    assert words[0] in capsys.readouterr().err
