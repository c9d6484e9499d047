"""Channels: how a delivery leaves. Plugins of the entry point group gnomon.channels behind the protocol in channel.py."""
