"""Pictures that a system shows: only of kinds that every browser shows and that hold no program."""

import asyncio
import base64

import pytest

from vivavoce.connectors.pictures import can_be_shown, picture_at


def shown(data: bytes) -> str | None:
    address = f"data:image/any;base64,{base64.b64encode(data).decode()}"
    found = asyncio.run(picture_at(address, allow_private=False))
    return found.media_type if found is not None and found.data == data else None


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n and more", "image/png"),
        (b"\xff\xd8\xff\xe0 and more", "image/jpeg"),
        (b"GIF89a and more", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 and more", "image/webp"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt and more", None),  # sound
        (b"RIFX\x10\x00\x00\x00WEBPVP8 and more", None),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", None),
        (b"", None),
    ],
)
def test_a_picture_is_known_by_its_first_bytes_whatever_it_is_said_to_be(
    data: bytes, kind: str | None
) -> None:
    assert shown(data) == kind


@pytest.mark.parametrize(
    ("address", "may"),
    [
        ("https://bot.example/a.png", True),
        ("DATA:IMAGE/png;base64,", True),
        ("data:text/html,x", False),
        ("javascript:alert(1)", False),
        ("/a.png", False),
    ],
)
def test_only_addresses_of_the_web_and_pictures_themselves_are_shown(address: str, may: bool) -> None:
    assert can_be_shown(address) == may


@pytest.mark.parametrize("address", ["data:image/png,plain", "data:image/png;base64,@@@"])
def test_what_cannot_be_read_is_no_picture(address: str) -> None:
    assert asyncio.run(picture_at(address, allow_private=False)) is None
