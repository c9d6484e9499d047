"""Which addresses a webhook may reach.

The guard sits where a socket is made, so it sees the address that will be connected to and not a name: it also stops
`0x7f000001`, `[::1]`, a name that resolves to a private address, and one that does so only the second time it is asked.
"""

import socket
from collections.abc import Callable
from errno import EACCES
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, Final, TypeAlias

_AddressInfo: TypeAlias = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]]

SocketFactory: TypeAlias = Callable[[_AddressInfo], socket.socket]

# Gateways for networks without IPv4 carry the real address in the last 32 bits.
_NAT64: Final = IPv6Network("64:ff9b::/96")

# Such gateways of one's own (RFC 8215); Pythons before 3.13 take them for public.
_LOCAL_NAT64: Final = IPv6Network("64:ff9b:1::/48")


class AddressRefused(OSError):
    """The address is not public, and GNOMON_WEBHOOK_PRIVATE does not allow private ones."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is reachable from the whole internet; an IPv4 address inside an IPv6 one is judged itself."""
    if isinstance(address, IPv6Address):
        carried = address.ipv4_mapped or address.sixtofour
        if carried is None and address in _NAT64:
            carried = IPv4Address(int(address) & 0xFFFFFFFF)
        if carried is not None:
            return is_public(carried)
        if address in _LOCAL_NAT64:
            return False
    return address.is_global and not address.is_multicast


def public_socket(address_info: _AddressInfo) -> socket.socket:
    """Make the socket for a resolved address; raises AddressRefused when it is not public."""
    family, kind, protocol, _, address = address_info
    if not is_public(ip_address(address[0])):
        message = f"{address[0]} is not a public address; GNOMON_WEBHOOK_PRIVATE=on allows it"
        # With a number, or aiohttp would drop the words.
        raise AddressRefused(EACCES, message)
    return socket.socket(family, kind, protocol)
