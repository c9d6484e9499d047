"""The peers of a benchmark: what each needs, how its scripts are run, and under which settings it takes part."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from gnomon.bench.benchmark import Run
from gnomon.bench.installed import NodePeers, PeerFailed, Peers
from gnomon.bench.processes import ProgramEnded
from gnomon.bench.redis import SETTINGS, Redis, RedisPrograms
from gnomon.bench.rounds import Round, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One peer. The settings are those that its documentation recommends for throughput, told with every result."""

    script: str
    packages: Sequence[str]
    settings: Mapping[str, Any]
    needs_redis: bool = False

    @property
    def is_node(self) -> bool:
        """Whether it runs under node."""
        return self.script.endswith(".mjs")


_ASYNCPG: Final = ("asyncpg", "uvloop")

KINDS: Final = {
    "bullmq": Kind(
        script="bullmq.mjs",
        packages=("bullmq", "ioredis", "pg"),
        settings={"concurrency": 50, "connections": 50, "removeOnComplete": True, "redis": SETTINGS},
        needs_redis=True,
    ),
    "graphile-worker": Kind(
        script="graphile_worker.mjs",
        packages=("graphile-worker", "pg"),
        settings={
            "concurrentJobs": 24,
            "maxPoolSize": 25,
            "pollInterval_ms": 100,
            "localQueue": 500,
            "completeJobBatchDelay_ms": 0,
        },
    ),
    "pg-boss": Kind(
        script="pg_boss.mjs",
        packages=("pg-boss@10", "pg"),  # later ones want a newer node than distributions have
        settings={"batchSize": 1000, "workers": 4, "pollingIntervalSeconds": 0.5, "insert": "one statement a batch"},
    ),
    "pgqueuer": Kind(
        script="python_herd.py",
        packages=("pgqueuer", *_ASYNCPG),
        settings={"batch_size": 200, "dequeue_timeout_ms": 100, "connections": 50},
    ),
    "procrastinate": Kind(
        script="python_herd.py",
        packages=("procrastinate", "psycopg-binary", "psycopg-pool", *_ASYNCPG),
        settings={"concurrency": 50, "fetch_job_polling_interval_ms": 100, "delete_jobs": "always", "connections": 50},
    ),
    "awa-pg": Kind(
        script="python_herd.py",
        packages=("awa-pg", *_ASYNCPG),
        settings={"max_workers": 50, "poll_interval_ms": 50, "promote_interval_ms": 50, "connections": 50},
    ),
}


@dataclass(frozen=True, slots=True)
class Rival:
    """A peer that is installed."""

    name: str
    kind: Kind
    peers: Peers

    def command(self, wanted: Mapping[str, Any]) -> tuple[str, ...]:
        """What does the wanted work."""
        return self.peers.command(self.kind.script, {"peer": self.name, **wanted})

    async def run(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Do the wanted work to its end. Raises PeerFailed."""
        told: dict[str, Any] = await self.peers.run(self.kind.script, {"peer": self.name, **wanted})
        return told


class Rivals:
    """Those of a benchmark that could be installed."""

    def __init__(self) -> None:
        """Begin with none."""
        self.all: dict[str, Rival] = {}
        self.versions: dict[str, str] = {}
        self.notes: list[str] = []
        self._redis = RedisPrograms()

    @property
    def settings(self) -> dict[str, Mapping[str, Any]]:
        """Of each, to be told with the result."""
        return {name: rival.kind.settings for name, rival in self.all.items()}

    def forgiven(self, run: Run, name: str, side: Side) -> Side:
        """The same, but that a peer which breaks down ends nothing but its own part: it is said and left out."""

        async def forgiving() -> dict[str, float]:
            if name not in self.all:
                return {}
            try:
                return await side()
            except (PeerFailed, ProgramEnded, OSError, ValueError) as fault:
                self.notes.append(f"{name} is left out, it broke down: {fault}")
                run.say(self.notes[-1])
                del self.all[name]
                return {}

        return forgiving

    def kept(self, rounds: list[Round]) -> list[Round]:
        """The rounds without those that broke down in one of them."""
        return [{side: told for side, told in found.items() if all(other[side] for other in rounds)} for found in rounds]

    @asynccontextmanager
    async def redis_of(self, rival: Rival) -> AsyncIterator[Redis | None]:
        """An empty Redis for this one, if it needs any."""
        if not rival.kind.needs_redis:
            yield None
            return
        async with self._redis.server() as redis:
            yield redis

    async def install(self, run: Run, names: Sequence[str]) -> None:
        """Install these; one that cannot be is said and left out."""
        if not run.has_peers:
            self.notes.append("without peers: no ratio was judged")
            return
        for name in names:
            kind = KINDS[name]
            peers = (NodePeers if kind.is_node else Peers)(name, kind.packages)
            try:
                await peers.install(run.say)
                if kind.needs_redis:
                    await self._redis.install(run.say)
                    self.versions["redis"] = self._redis.version
            except (PeerFailed, OSError) as fault:
                self.notes.append(f"{name} is left out, it could not be installed: {fault}")
                run.say(self.notes[-1])
                continue
            self.all[name] = Rival(name, kind, peers)
            self.versions |= peers.versions
