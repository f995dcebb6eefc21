"""Digest authentication: the published examples, and challenges of all kinds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_speech.telephony.sip_auth import Credentials, authorization

MUFASA = Credentials("Mufasa", "Circle of Life")
NONCE = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
CLIENT_NONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
COMMON = (
    f'realm="http-auth@example.org", qop="auth, auth-int", nonce="{NONCE}", opaque="FQhe/qaU925kfnzjCev0"'
)


def responded(header: str | None) -> str:
    found = re.search(r'\bresponse="([0-9a-f]+)"', header or "")
    assert found is not None, header
    return found[1]


@pytest.mark.parametrize(
    ("algorithm", "response"),
    [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ],
)
def test_the_examples_of_rfc_7616_come_out(algorithm: str, response: str) -> None:
    challenge = f"Digest {COMMON}, algorithm={algorithm}"
    header = authorization([challenge], MUFASA, "GET", "/dir/index.html", client_nonce=CLIENT_NONCE)
    assert responded(header) == response
    assert header is not None
    assert "qop=auth, nc=00000001" in header
    assert f"algorithm={algorithm}" in header
    assert 'opaque="FQhe/qaU925kfnzjCev0"' in header


def test_an_exchange_of_old_gets_the_short_form() -> None:
    """RFC 2069 as corrected by its errata: no quality of protection."""
    challenge = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"'
    who = Credentials("Mufasa", "CircleOfLife")
    header = authorization([challenge], who, "GET", "/dir/index.html")
    assert responded(header) == "1949323746fe6a43ef61f9606e7febea"
    assert "cnonce" not in (header or "")


def test_the_first_challenge_that_we_know_is_answered() -> None:
    challenges = [
        'Basic realm="a"',
        'Digest realm="a", nonce="n", algorithm=SHA-512-256, qop="auth"',
        'Digest realm="a", nonce="n", qop="auth-int"',
        'Digest realm="b", nonce="n", algorithm=SHA-256, qop="auth"',
        'Digest realm="c", nonce="n", algorithm=MD5',
    ]
    header = authorization(challenges, MUFASA, "INVITE", "sip:a@b")
    assert header is not None
    assert 'realm="b"' in header
    assert authorization(challenges[:3], MUFASA, "INVITE", "sip:a@b") is None


def test_a_password_is_never_in_the_header() -> None:
    header = authorization([f"Digest {COMMON}"], MUFASA, "INVITE", "sip:a@b")
    assert header is not None
    assert "Circle of Life" not in header


@given(
    st.lists(
        st.one_of(st.text(max_size=80), st.text(max_size=60).map(lambda one: f"Digest {one}")), max_size=4
    )
)
def test_whatever_an_exchange_asks_the_header_is_one_line_or_none(challenges: list[str]) -> None:
    challenges += ['Digest realm="r", nonce="a\\"b\r\nX: y"']
    header = authorization(challenges, MUFASA, "INVITE", "sip:a@b")
    assert header is None or "\n" not in header
