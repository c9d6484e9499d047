"""POST one CloudEvent to GNOMON_WEBHOOK_URL, signed as Standard Webhooks when there is a secret.

The status decides, also when the rest of the answer does not come. Redirects are not followed: a receiver that moves must
be told by whoever runs it, and a redirect could lead past the guard of addresses.
"""

import asyncio
from datetime import timedelta
from types import SimpleNamespace
from typing import Final

import aiohttp
from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook

from gnomon.settings import SettingInvalid, Settings
from gnomon_pollers.channels.addresses import public_socket
from gnomon_pollers.channels.channel import Answer, Verdict, no_answer
from gnomon_pollers.channels.retry_after import retry_after
from gnomon_pollers.channels.status import SAYS_WHEN, verdict_of
from gnomon_pollers.claims import Claim, LeaseOver

CONTENT_TYPE: Final = "application/cloudevents+json"

LONGEST_ATTEMPT: Final = timedelta(seconds=10)
"""From the first look-up of the name to the last byte of the answer."""

_LONGEST_ANSWER: Final = 16_384
"""Bytes read of an answer; a longer one costs its connection."""

_LONGEST_REASON: Final = 200
"""Characters of a refusing answer that are kept."""

# Headers by which a receiver may name what it took, the most telling first.
_REFERENCES: Final = ("x-message-id", "x-request-id")

_LONGEST_BODY: Final = timedelta(seconds=2)
"""For the rest of an answer whose status is known."""


class WebhookChannel:
    """Sends to the one address of the settings; also stands in for channels that have no sender of their own."""

    def __init__(self, settings: Settings) -> None:
        """Read address and secret; raises SettingInvalid when the secret is no key."""
        # An attempt must fit into the lease, and a claim must be able to wait for its turn before it.
        self.timeout = min(LONGEST_ATTEMPT, settings.lease / 3)
        self._url = settings.webhook_url
        self._signer = _signer(settings.webhook_secret)
        self._may_be_private = settings.webhook_private
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        """Make the session; connections are opened as they are needed, and limited by whoever sends."""
        trace = aiohttp.TraceConfig()
        # Called right before headers and body are written in one piece; a raise closes the connection unused. Not when the
        # headers are ready: the write comes a turn of the event loop later then, with all other sends between, and a
        # process that was stopped there sent a whole batch after its lease.
        trace.on_request_chunk_sent.append(_begin)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, socket_factory=None if self._may_be_private else public_socket),
            timeout=aiohttp.ClientTimeout(total=None),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"user-agent": "gnomon", "accept-encoding": "identity", "content-type": CONTENT_TYPE},
            trace_configs=[trace],
        )

    async def send(self, claim: Claim) -> Answer:
        """POST the event and read the answer."""
        if self._session is None or self._url is None:
            return Answer(Verdict.TRANSIENT, detail="GNOMON_WEBHOOK_URL is not set")
        try:
            async with self._session.post(
                self._url,
                data=claim.event,
                headers=self._headers(claim),
                allow_redirects=False,
                trace_request_ctx=claim,
            ) as response:
                return _answer(response, await _beginning(response), claim)
        except aiohttp.ClientError as fault:
            if isinstance(fault.__cause__, LeaseOver):
                raise fault.__cause__ from None
            return no_answer(claim, str(fault) or type(fault).__name__)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _headers(self, claim: Claim) -> dict[str, str]:
        at_utc = claim.now_utc
        headers = {"webhook-id": claim.delivery_id, "webhook-timestamp": str(int(at_utc.timestamp()))}
        if self._signer is not None:
            headers["webhook-signature"] = self._signer.sign(claim.delivery_id, at_utc, claim.event.decode())
        return headers


def _answer(response: aiohttp.ClientResponse, body: bytes, claim: Claim) -> Answer:
    reference = next((response.headers[name] for name in _REFERENCES if name in response.headers), None)
    wait = retry_after(response.headers.get("retry-after"), claim.now_utc) if response.status in SAYS_WHEN else None
    verdict = verdict_of(response.status, says_when=wait is not None)
    if verdict is Verdict.SENT:
        return Answer(verdict, reference=reference)
    reason = body.decode(errors="replace").strip()[:_LONGEST_REASON]
    detail = f"HTTP {response.status}" + (f": {reason}" if reason else "")
    return Answer(verdict, detail=detail, reference=reference, retry_after=wait)


async def _beginning(response: aiohttp.ClientResponse) -> bytes:
    """Read an answer up to the limits of length and time; what is longer, or breaks off, costs its connection."""
    body = b""
    try:
        async with asyncio.timeout(_LONGEST_BODY.total_seconds()):
            while chunk := await response.content.read(_LONGEST_ANSWER):
                body += chunk
                if len(body) > _LONGEST_ANSWER:
                    response.close()
                    break
    except (aiohttp.ClientError, TimeoutError):
        response.close()
    return body


async def _begin(
    _session: aiohttp.ClientSession, context: SimpleNamespace, _params: aiohttp.TraceRequestChunkSentParams
) -> None:
    claim: Claim = context.trace_request_ctx
    claim.begin()


def _signer(secret: str | None) -> Webhook | None:
    if secret is None:
        return None
    try:
        return Webhook(secret)
    except (ValueError, EmptyWebhookSecretError) as fault:
        hint = "Use whsec_ and the key in base64, for example the output of `openssl rand -base64 32`."
        raise SettingInvalid("GNOMON_WEBHOOK_SECRET", "is no base64 key.", hint) from fault
