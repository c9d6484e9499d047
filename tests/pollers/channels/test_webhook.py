import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web
from standardwebhooks.webhooks import Webhook

from gnomon.settings import SettingInvalid, Settings
from gnomon_pollers import claims
from gnomon_pollers.channels import webhook
from gnomon_pollers.channels.channel import Answer, Verdict
from gnomon_pollers.channels.webhook import WebhookChannel
from gnomon_pollers.claims import Claim, LeaseOver, steady
from tests.pollers.test_claims import a_claim

pytestmark = pytest.mark.anyio

SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EVENT = b'{"id":"dlv_1","data":{"params":{"n":12345678901234567890.125,"t":"h\xc3\xa4"}}}'

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def receiver(handler: Handler) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    finally:
        await runner.cleanup()


def fresh_claim(**fields: Any) -> Claim:
    now = steady()
    return a_claim(asked_at=now, ends_at=now + timedelta(seconds=30), event=EVENT, **fields)


async def send(url: str | None, claim: Claim, **settings: Any) -> Answer:
    channel = WebhookChannel(Settings(**({"webhook_url": url, "webhook_private": True} | settings)))
    await channel.open()
    try:
        async with asyncio.timeout(5):
            return await channel.send(claim)
    finally:
        await channel.close()


def answering(status: int, body: bytes = b"", **headers: str) -> Handler:
    async def handler(_request: web.Request) -> web.Response:
        return web.Response(
            status=status, body=body, headers={name.replace("_", "-"): text for name, text in headers.items()}
        )

    return handler


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (200, Verdict.SENT),
        (202, Verdict.SENT),
        (204, Verdict.SENT),
        (301, Verdict.TRANSIENT),
        (307, Verdict.TRANSIENT),
        (400, Verdict.REFUSED),
        (401, Verdict.UNAUTHORISED),
        (403, Verdict.UNAUTHORISED),
        (404, Verdict.TRANSIENT),
        (407, Verdict.UNAUTHORISED),
        (408, Verdict.TRANSIENT),
        (410, Verdict.GONE),
        (413, Verdict.REFUSED),
        (422, Verdict.REFUSED),
        (425, Verdict.TRANSIENT),
        (429, Verdict.THROTTLED),
        (500, Verdict.TRANSIENT),
        (503, Verdict.TRANSIENT),
        (599, Verdict.TRANSIENT),
    ],
)
async def test_the_status_decides(status: int, verdict: Verdict) -> None:
    async with receiver(answering(status, b"because", x_request_id="r-1")) as url:
        answer = await send(url, fresh_claim())
    assert answer.verdict is verdict
    assert answer.reference == "r-1"
    assert answer.retry_after is None
    if verdict is not Verdict.SENT:
        assert answer.detail is not None
        assert answer.detail.startswith(f"HTTP {status}")


@pytest.mark.parametrize(
    ("status", "verdict", "says"),
    [
        (429, Verdict.THROTTLED, True),
        (503, Verdict.THROTTLED, True),
        (500, Verdict.TRANSIENT, False),
        (301, Verdict.TRANSIENT, False),
        (401, Verdict.UNAUTHORISED, False),
    ],
)
async def test_429_and_503_say_when(status: int, verdict: Verdict, says: bool) -> None:  # noqa: FBT001  # a part of the case
    async with receiver(answering(status, retry_after="7")) as url:
        answer = await send(url, fresh_claim())
    assert answer.verdict is verdict
    assert answer.retry_after == (timedelta(seconds=7) if says else None)


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("0", 0, 0),
        ("31536000", 86_400, 86_400),
        ("9" * 400, 86_400, 86_400),
        ("{soon}", 28, 30),
        ("{past}", 0, 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400, 86_400),
    ],
)
async def test_any_retry_after_is_read_within_bounds(header: str, least: float, most: float) -> None:
    claim = fresh_claim(claimed_at_utc=datetime(2027, 3, 1, 12, tzinfo=UTC))
    at = {
        name: format_datetime(claim.claimed_at_utc + timedelta(seconds=s), usegmt=True)
        for name, s in (("soon", 30), ("past", -9))
    }
    async with receiver(answering(503, retry_after=header.format(**at))) as url:
        answer = await send(url, claim)
    assert answer.verdict is Verdict.THROTTLED
    assert answer.retry_after is not None
    assert least <= answer.retry_after.total_seconds() <= most


@pytest.mark.parametrize("header", ["", "soon", "-5", "1.5", "0x10", "Fri, 99 Foo 2027"])
async def test_a_503_that_cannot_be_read_to_say_when_says_nothing(header: str) -> None:
    async with receiver(answering(503, retry_after=header)) as url:
        answer = await send(url, fresh_claim())
    assert (answer.verdict, answer.retry_after) == (Verdict.TRANSIENT, None)


async def test_a_redirect_is_not_followed() -> None:
    asked = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=308, headers={"location": "/elsewhere"})

    async with receiver(handler) as url:
        await send(url, fresh_claim())
    assert asked == ["/hook"]


async def test_the_receiver_gets_the_event_as_it_is_signed_and_named() -> None:
    got: dict[str, Any] = {}

    async def handler(request: web.Request) -> web.Response:
        got.update(body=await request.read(), headers=dict(request.headers.items()), method=request.method)
        return web.Response(status=204)

    claim = fresh_claim(claimed_at_utc=datetime.fromtimestamp(1_800_000_000, UTC))
    async with receiver(handler) as url:
        await send(url, claim, webhook_secret=SECRET)
    headers = {name.lower(): text for name, text in got["headers"].items()}
    assert got["method"] == "POST"
    assert got["body"] == EVENT
    assert headers["content-type"] == "application/cloudevents+json"
    assert headers["webhook-id"] == claim.delivery_id
    assert headers["webhook-timestamp"] in {"1800000000", "1800000001"}  # the database's clock, not this machine's
    signed = Webhook(SECRET).sign(claim.delivery_id, claim.claimed_at_utc, EVENT.decode())
    assert headers["webhook-signature"] == signed
    assert json.loads(got["body"])["id"] == "dlv_1"


async def test_without_a_secret_nothing_is_signed() -> None:
    names: set[str] = set()

    async def handler(request: web.Request) -> web.Response:
        names.update(name.lower() for name in request.headers)
        return web.Response()

    async with receiver(handler) as url:
        await send(url, fresh_claim())
    assert "webhook-id" in names
    assert "webhook-signature" not in names


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0x7f000001", "2130706433", "[::ffff:127.0.0.1]"])
async def test_a_private_address_is_refused_before_anything_is_sent(host: str) -> None:
    asked = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response()

    async with receiver(handler) as url:
        claim = fresh_claim()
        answer = await send(url.replace("127.0.0.1", host), claim, webhook_private=False)
    assert answer.verdict is Verdict.TRANSIENT
    assert not claim.has_begun
    assert not asked


async def test_a_refused_address_says_how_to_allow_it() -> None:
    answer = await send("http://127.0.0.1:9/", fresh_claim(), webhook_private=False)
    assert answer.detail is not None
    assert "GNOMON_WEBHOOK_PRIVATE" in answer.detail


async def test_nobody_there_is_no_unclear_end() -> None:
    async with receiver(answering(200)) as url:
        pass
    claim = fresh_claim()
    answer = await send(url, claim)
    assert answer.verdict is Verdict.TRANSIENT
    assert not claim.has_begun


async def test_a_connection_that_breaks_after_the_request_is_an_unclear_end() -> None:
    async def handler(request: web.Request) -> web.Response:
        await request.read()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async with receiver(handler) as url:
        answer = await send(url, fresh_claim())
    assert answer.verdict is Verdict.UNCLEAR
    assert answer.detail


@asynccontextmanager
async def raw_receiver(answer: bytes, *, hangs: bool = False) -> AsyncIterator[str]:
    """Reads a request and writes these bytes, whatever they are; then closes, or hangs."""
    gate = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(EVENT)
        writer.write(answer)
        await writer.drain()
        if hangs:
            await gate.wait()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
        gate.set()


@pytest.mark.parametrize(
    "garbage", [b"", b"what?\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x00" * 64, b"HTTP/1.1 200 OK\r\nbroken", b"SSH-2.0-x\r\n"]
)
async def test_an_answer_that_cannot_be_read_is_an_unclear_end(garbage: bytes) -> None:
    async with raw_receiver(garbage) as url:
        answer = await send(url, fresh_claim())
    assert answer.verdict is Verdict.UNCLEAR
    assert answer.detail


@pytest.mark.parametrize(
    ("status", "verdict"),
    [(b"200", Verdict.SENT), (b"500", Verdict.TRANSIENT), (b"401", Verdict.UNAUTHORISED)],
)
@pytest.mark.parametrize("hangs", [False, True])
async def test_the_status_counts_also_when_the_rest_does_not_come(
    monkeypatch: pytest.MonkeyPatch,
    status: bytes,
    verdict: Verdict,
    hangs: bool,  # noqa: FBT001  # a part of the case
) -> None:
    """A 200 whose body breaks off was taken: an unclear end would send it twice, or lose count of it in bulk."""
    monkeypatch.setattr(webhook, "_LONGEST_BODY", timedelta(milliseconds=50))
    async with raw_receiver(b"HTTP/1.1 " + status + b" So\r\nContent-Length: 1000\r\n\r\nonly", hangs=hangs) as url:
        answer = await send(url, fresh_claim())
    assert answer.verdict is verdict


async def test_no_byte_leaves_when_the_lease_ran_out_on_the_way_to_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response()

    claim = fresh_claim()
    async with receiver(handler) as url:
        monkeypatch.setattr(claims, "steady", lambda: claim.ends_at)
        with pytest.raises(LeaseOver):
            await send(url, claim)
    assert not asked
    assert not claim.has_begun


async def test_the_bytes_leave_in_the_turn_that_looked_at_the_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    begin, got = Claim.begin, []

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def look(claim: Claim) -> None:
            begin(claim)
            loop.call_soon(arrived)

        def arrived() -> None:
            # The next turn: a process that is stopped between two turns and woken after its lease sends nothing more.
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(0)
                got.append(connection.recv(65_536))
                connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")

        monkeypatch.setattr(Claim, "begin", look)
        answer = await send(f"http://127.0.0.1:{listener.getsockname()[1]}/hook", fresh_claim())
    assert answer.verdict is Verdict.SENT
    [request] = got
    assert request.startswith(b"POST /hook ")
    assert request.endswith(EVENT)


async def test_an_endless_answer_is_read_to_the_limit_only() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=200)
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65_536)

    async with receiver(handler) as url:
        assert (await send(url, fresh_claim())).verdict is Verdict.SENT


async def test_a_secret_that_is_no_key_is_refused_at_the_start() -> None:
    with pytest.raises(SettingInvalid, match="GNOMON_WEBHOOK_SECRET"):
        WebhookChannel(Settings(webhook_secret="whsec_ä"))
    with pytest.raises(SettingInvalid):
        WebhookChannel(Settings(webhook_secret="whsec_"))


async def test_an_attempt_fits_three_times_into_the_lease() -> None:
    assert WebhookChannel(Settings(lease=timedelta(seconds=6))).timeout == timedelta(seconds=2)
    assert WebhookChannel(Settings()).timeout == timedelta(seconds=10)
