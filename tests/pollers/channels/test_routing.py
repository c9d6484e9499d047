from importlib.metadata import EntryPoint

import pytest

from gnomon.settings import Settings
from gnomon_pollers.channels.log import LogChannel
from gnomon_pollers.channels.routing import GROUP, Senders, sender_of
from gnomon_pollers.channels.webhook import WebhookChannel

SENDERS = frozenset({"webhook", "log", "pigeon"})
WITH = Settings(webhook_url="https://example.com/hook")
WITHOUT = Settings()


@pytest.mark.parametrize(
    ("channel", "settings", "sender"),
    [
        ("webhook", WITH, "webhook"),
        ("webhook", WITHOUT, "log"),
        ("log", WITH, "log"),
        ("push", WITH, "webhook"),
        ("email", WITHOUT, "log"),
        ("pigeon", WITH, "pigeon"),
        ("pigeon", WITHOUT, "pigeon"),
    ],
)
def test_a_channel_goes_to_its_own_sender_then_downstream_then_to_the_log(
    channel: str, settings: Settings, sender: str
) -> None:
    assert sender_of(channel, senders=SENDERS, settings=settings) == sender


@pytest.mark.anyio
async def test_senders_are_found_by_entry_point_and_made_once() -> None:
    senders = Senders(WITH)
    first = await senders.open("webhook")
    assert isinstance(first, WebhookChannel)
    assert await senders.open("webhook") is first
    assert isinstance(await senders.open(senders.name_for("log")), LogChannel)
    await senders.close()


@pytest.mark.anyio
async def test_a_plugin_is_a_class_behind_an_entry_point() -> None:
    value = "gnomon_pollers.channels.log:LogChannel"
    senders = Senders(WITHOUT, found={"pigeon": EntryPoint("pigeon", value, GROUP)})
    assert isinstance(await senders.open(senders.name_for("pigeon")), LogChannel)
    await senders.close()
