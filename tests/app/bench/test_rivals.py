"""A peer that cannot be had or breaks down costs its own part of a benchmark and nobody else's."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gnomon.bench.benchmark import Run
from gnomon.bench.installed import SCRIPTS, PeerFailed, Peers
from gnomon.bench.rivals import KINDS, Rival, Rivals
from gnomon.bench.rounds import alternate


def _run(say: Callable[[str], None], *, has_peers: bool = True) -> Run:
    nothing: Any = None
    return Run(pool=nothing, url="", is_small=True, has_peers=has_peers, say=say)


def _heard(said: list[str]) -> Callable[[str], None]:
    return said.append


def test_one_that_cannot_be_installed_is_said_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def install(peers: Peers, _say: Callable[[str], None]) -> None:
        if "pgqueuer" in peers._packages:
            raise PeerFailed("the registry is away")

    monkeypatch.setattr(Peers, "install", install)
    said: list[str] = []
    rivals = Rivals()

    asyncio.run(rivals.install(_run(_heard(said)), ["pgqueuer", "awa-pg"]))

    assert list(rivals.all) == ["awa-pg"]
    assert rivals.notes == said == ["pgqueuer is left out, it could not be installed: the registry is away"]


def test_without_peers_none_is_looked_for() -> None:
    rivals = Rivals()

    asyncio.run(rivals.install(_run(print, has_peers=False), list(KINDS)))

    assert not rivals.all
    assert rivals.notes == ["without peers: no ratio was judged"]


def test_one_that_breaks_down_is_left_out_of_every_round() -> None:
    rivals, said, calls = Rivals(), list[str](), list[str]()
    rivals.all = {name: Rival(name, KINDS[name], Peers(name, ())) for name in ("awa-pg", "pgqueuer")}

    async def works() -> dict[str, float]:
        calls.append("works")
        return {"p50_ms": 1}

    async def breaks_down_later() -> dict[str, float]:
        calls.append("other")
        if calls.count("other") == 2:
            raise PeerFailed("out of breath")
        return {"p50_ms": 2}

    run = _run(_heard(said))
    sides = {
        "gnomon": works,
        "awa-pg": rivals.forgiven(run, "awa-pg", works),
        "pgqueuer": rivals.forgiven(run, "pgqueuer", breaks_down_later),
    }
    rounds = rivals.kept(asyncio.run(alternate(sides, count=3)))

    assert [list(found) for found in rounds] == [["gnomon", "awa-pg"]] * 3
    assert calls.count("other") == 2
    assert said == ["pgqueuer is left out, it broke down: out of breath"]


def test_our_own_faults_are_not_forgiven() -> None:
    rivals = Rivals()
    rivals.all = {"awa-pg": Rival("awa-pg", KINDS["awa-pg"], Peers("awa-pg", ()))}

    async def mistaken() -> dict[str, float]:
        raise KeyError("p50_ms")

    with pytest.raises(KeyError):
        asyncio.run(alternate({"awa-pg": rivals.forgiven(_run(print), "awa-pg", mistaken)}, count=1))


def test_a_failed_install_names_no_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    peers = Peers("none", ())
    monkeypatch.setattr(peers, "command", lambda *_: ("sh", "-c", "exit 4", '{"url": "postgresql://u:secret@h/d"}'))

    with pytest.raises(PeerFailed) as caught:
        asyncio.run(peers.run("any", {}))

    assert "ended with 4" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("script", sorted(path.name for path in SCRIPTS.glob("*.mjs")))
def test_scripts_for_node_are_whole(script: str) -> None:
    node = shutil.which("node") or "node"
    done = subprocess.run([node, "--check", SCRIPTS / script], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_every_script_is_there() -> None:
    assert {kind.script for kind in KINDS.values()} <= {path.name for path in SCRIPTS.iterdir()}
