import socket
from ipaddress import ip_address

import pytest

from gnomon_pollers.channels.addresses import AddressRefused, is_public, public_socket

PRIVATE = (
    *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255"),
    *("0.0.0.0", "::", "::1", "fe80::1", "fe80::1%lo", "fc00::1", "ff02::1"),  # noqa: S104  # refused, not bound to
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::a00:1", "64:ff9b:1::1"),
)
PUBLIC = ("1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101")


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_not_everybody_reaches_is_refused(address: str) -> None:
    assert not is_public(ip_address(address))
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with pytest.raises(AddressRefused, match="not a public address"):
        public_socket((family, socket.SOCK_STREAM, 6, "", (address, 80)))


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_gets_its_socket(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    public_socket((family, socket.SOCK_STREAM, 6, "", (address, 80))).close()
