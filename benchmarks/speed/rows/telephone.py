"""Fifty telephone calls at once: SIPp calls the SIP answerer with sound and key presses."""

import asyncio
import sys
from pathlib import Path

import numpy as np
from benchmarks.speed.row import Measured, Row, limited, workplace

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))

from scenes.telephones import sipp
from vivavoce.audio.sound import Sound
from vivavoce_speech.telephony.leg import FRAME_S, RATE_HZ, PhoneLeg
from vivavoce_speech.telephony.sip import SipAnswerer
from vivavoce_speech.telephony.sip_leg import SipLeg

CALLS, QUICK_CALLS, KEYS, LIMIT_MS = 50, 5, "4712#", 40.0
TONE = Sound((8000 * np.sin(np.arange(RATE_HZ * 5) / 3)).astype(np.int16), RATE_HZ)


async def _calls(folder: Path, calls: int) -> tuple[list[PhoneLeg], dict[PhoneLeg, list[float]]]:
    """The calls, and when each packet of them was sent."""
    legs, sent, send = list[PhoneLeg](), dict[PhoneLeg, list[float]](), SipLeg.send_frame

    def timed(leg: SipLeg) -> None:
        sent.setdefault(leg, []).append(asyncio.get_running_loop().time())
        send(leg)

    async def on_call(leg: PhoneLeg) -> None:
        legs.append(leg)
        leg.play(TONE)
        while (await leg.hear()).kind != "end":
            pass

    SipLeg.send_frame = timed
    answerer = SipAnswerer(on_call, at_once=calls)
    await answerer.start()
    try:
        options = {"speech": TONE, "keys": KEYS, "calls": calls, "rate": 25, "wait_ms": 2000}
        await asyncio.to_thread(sipp, folder, answerer.port, **options)
    finally:
        await answerer.stop()
        SipLeg.send_frame = send
    return legs, sent


def _whole(leg: PhoneLeg, beats: int) -> bool:
    """The recording is as long as the call, with sound of both sides."""
    tracks = leg.recording()
    loud = all(np.abs(tracks.channel(party).samples).max() > 4000 for party in (0, 1))
    return loud and abs(tracks.duration_s - beats * FRAME_S) < FRAME_S / 2


def measure(quick: bool) -> Measured:
    calls = QUICK_CALLS if quick else CALLS
    with workplace() as folder:
        legs, sent = asyncio.run(_calls(folder, calls))
    gaps = 1000 * np.concatenate([np.diff(times) for times in sent.values()])
    keys, whole = (
        sum(found)
        for found in ([leg.keys == KEYS for leg in legs], [_whole(leg, len(sent[leg])) for leg in legs])
    )
    note = f"{calls} calls, {keys} with all keys, {whole} recordings whole, median {np.median(gaps):.1f} ms"
    p99 = float(np.percentile(gaps, 99))
    return Measured([limited("p99 from packet to packet", [p99], LIMIT_MS, unit="ms", note=note)])


ROW = Row("telephone", "50 telephone calls at once", "limit: 40 ms", measure, limit_s=120)
