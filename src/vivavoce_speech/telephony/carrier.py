"""What a carrier of Twilio's shape signs and is answered: its requests, its callers' numbers, its orders.

Source  Twilio documentation: "Webhooks security" (signature), "TwiML for Voice: Stream" and "Reject"
"""

import hmac
import re
from base64 import b64encode
from collections.abc import Iterable
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

Fields = Iterable[tuple[str, str]]

# what a withheld number is replaced by: anonymous, restricted, blocked, unknown, unavailable on a keypad
_WITHHELD: Final = {"266696687", "7378742833", "2562533", "8656696", "86282452253"}
_NUMBER: Final = re.compile(r"\+?\d+")


def signature(token: str, url: str, fields: Fields = ()) -> str:
    """What the carrier writes beside a request: address and sorted form fields under a shared token."""
    signed = url + "".join(name + value for name, value in sorted(set(fields)))
    return b64encode(hmac.digest(token.encode(), signed.encode(), "sha1")).decode()


def is_signed(given: str, token: str, urls: Iterable[str], fields: Fields = ()) -> bool:
    """Whether a signature fits one of the forms that the same address may have been written in."""
    fields = list(fields)
    expected = [signature(token, url, fields).encode() for url in urls]
    return any(hmac.compare_digest(given.encode(), one) for one in expected)


def number_of(address: str) -> str:
    """A telephone number, or the name in a SIP address; "" where it is withheld."""
    if address.startswith(("sip:", "sips:")):
        return address.partition(":")[2].partition("@")[0]
    plain = address.strip()
    return plain if _NUMBER.fullmatch(plain) and plain.lstrip("+") not in _WITHHELD else ""


def order_to_stream(url: str, ticket: str) -> str:
    """The answer that makes the carrier open a WebSocket for a call; when it closes, the call is over."""
    response = Element("Response")
    stream = SubElement(SubElement(response, "Connect"), "Stream", url=url)
    SubElement(stream, "Parameter", name="ticket", value=ticket)
    SubElement(response, "Hangup")
    return _written(response)


def order_to_reject() -> str:
    """The answer to a call for which no line is free."""
    response = Element("Response")
    SubElement(response, "Reject", reason="busy")
    return _written(response)


def _written(response: Element) -> str:
    return tostring(response, "unicode", xml_declaration=True)
