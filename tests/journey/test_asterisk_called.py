"""Our calls through a real Asterisk: it asks who we are, puts us through, or says why not.

`make telephony` installs Asterisk and runs these tests; they are no part of `make test`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from scenes import asterisk as scene
from scenes.asterisk import RealAsterisk, real_asterisk
from scenes.patience import PATIENCE_S, eventually_there
from vivavoce.audio.sound import Sound
from vivavoce_speech.telephony.leg import RATE_HZ
from vivavoce_speech.telephony.sip_auth import Credentials
from vivavoce_speech.telephony.sip_caller import NotAnswered, SipCaller, SipLine

pytestmark = [pytest.mark.telephony, pytest.mark.long]

ECHO, BUSY, SILENT = "7000", "7001", "7002"
PASSWORD = 'open, "says" me'
EXTENSIONS = f"""
[laboratory]
exten => {ECHO},1,Answer()
 same => n,Echo()
exten => {BUSY},1,Hangup(17)
exten => {SILENT},1,Ringing()
 same => n,Wait(600)
"""


def account(name: str, kind: str) -> str:
    return (
        f"[{name}](caller)\ncontext = laboratory\nauth = {name}\n"
        f"[{name}](telephone-auth)\n{kind}\nusername = {name}\npassword = {PASSWORD}\n"
    )


class AskingAsterisk(RealAsterisk):
    """The exchange of the deployed files, and numbers beside its dial plan that we call with a password."""

    def _configure(self, root: Path, inside: Path) -> None:
        super()._configure(root, inside)
        for file, more in (
            ("extensions_local.conf", EXTENSIONS),
            ("modules.conf", "load = app_echo.so\n"),
            (
                "pjsip_local.conf",
                account("md5", "") + account("sha", "auth_type = digest\nsupported_algorithms_uas = SHA-256"),
            ),
        ):
            path = self._folder / file
            path.write_text(path.read_text() + more)


@pytest.fixture(scope="module")
def asterisk() -> Iterator[RealAsterisk]:
    with asking() as running:
        yield running


@contextmanager
def asking() -> Iterator[RealAsterisk]:
    with patch.object(scene, "RealAsterisk", AskingAsterisk), real_asterisk() as running:
        yield running


def calling(work: Callable[[SipCaller], Awaitable[None]]) -> None:
    async def run() -> None:
        caller = SipCaller()
        await caller.start()
        try:
            await asyncio.wait_for(work(caller), 2 * PATIENCE_S)
        finally:
            await caller.stop()

    asyncio.run(run())


def line(asterisk: RealAsterisk, name: str = "md5", password: str = PASSWORD) -> SipLine:
    return SipLine(f"127.0.0.1:{asterisk.port}", name, Credentials(name, password))


@pytest.mark.parametrize("name", ["md5", "sha"])
def test_a_call_with_a_password_goes_through_with_sound_and_keys(name: str, asterisk: RealAsterisk) -> None:
    async def work(caller: SipCaller) -> None:
        leg = await caller.call(ECHO, line(asterisk, name))
        times = np.arange(RATE_HZ * 2) / RATE_HZ
        leg.play(Sound((9000 * np.sin(2 * np.pi * 440 * times)).astype(np.int16), RATE_HZ))
        await leg.played()
        leg.press("19#")
        await eventually_there(lambda: leg.keys == "19#", "the keys did not come back")
        heard = leg.recording().channel(1).samples.astype(float)
        spectrum = np.abs(np.fft.rfft(heard))
        assert float(np.argmax(spectrum) * RATE_HZ / len(heard)) == pytest.approx(440, abs=5)
        await leg.hang_up()
        assert leg.bye_answered.is_set()
        await eventually_there(lambda: "0 active calls" in asterisk.ask("core show channels"), "it goes on")

    calling(work)


@pytest.mark.parametrize(
    ("number", "password", "outcome"),
    [
        (BUSY, PASSWORD, "busy"),
        ("7999", PASSWORD, "unreachable"),
        (ECHO, "wrong", "refused"),
        (SILENT, PASSWORD, "no_answer"),
    ],
)
def test_what_asterisk_refuses_has_a_name(
    number: str, password: str, outcome: str, asterisk: RealAsterisk
) -> None:
    async def work(caller: SipCaller) -> None:
        with pytest.raises(NotAnswered) as caught:
            await caller.call(number, line(asterisk, password=password), ring_s=2)
        assert caught.value.outcome == outcome
        await eventually_there(lambda: "0 active calls" in asterisk.ask("core show channels"), "it rings on")

    calling(work)


def test_asterisk_answers_the_question_whether_it_is_there(asterisk: RealAsterisk) -> None:
    async def work(caller: SipCaller) -> None:
        assert await caller.ask(ECHO, line(asterisk)) in (200, 401, 404)

    calling(work)
