"""Fifty telephone calls at the same time: SIPp calls the SIP answerer with sound and key presses.

Reported  keys   share of calls of which every key came right
          gap    milliseconds from one packet to the next as sent, over all calls: median and 99th percentile,
                 the latter also as a ratio to its limit of 40 ms
          whole  share of calls whose recording is as long as the call, with sound of both in it
          load   of the machine when it began: others that work at the same time make the gaps longer
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from scenes.telephones import sipp
from vivavoce.audio.sound import Sound
from vivavoce_speech.telephony.leg import FRAME_S, RATE_HZ, PhoneLeg
from vivavoce_speech.telephony.sip import SipAnswerer
from vivavoce_speech.telephony.sip_leg import SipLeg

CALLS = 50
KEYS = "4712#"
LIMIT_MS = 40.0
TONE = Sound((8000 * np.sin(np.arange(RATE_HZ * 5) / 3)).astype(np.int16), RATE_HZ)


async def measured(folder: Path) -> dict[str, Any]:
    legs: list[PhoneLeg] = []
    sent: dict[PhoneLeg, list[float]] = {}
    send = SipLeg.send_frame

    def timed(leg: SipLeg) -> None:
        sent.setdefault(leg, []).append(asyncio.get_running_loop().time())
        send(leg)

    async def on_call(leg: PhoneLeg) -> None:
        legs.append(leg)
        leg.play(TONE)
        while (await leg.hear()).kind != "end":
            pass

    SipLeg.send_frame = timed
    answerer = SipAnswerer(on_call, at_once=CALLS)
    await answerer.start()
    try:
        await asyncio.to_thread(
            sipp, folder, answerer.port, speech=TONE, keys=KEYS, calls=CALLS, rate=25, wait_ms=2000
        )
    finally:
        await answerer.stop()
        SipLeg.send_frame = send
    gaps = np.concatenate([np.diff(times) for times in sent.values()]) * 1000
    p99 = float(np.percentile(gaps, 99))
    return {
        "calls": len(legs),
        "keys_right": sum(leg.keys == KEYS for leg in legs) / CALLS,
        "recordings_whole": sum(_whole(leg, len(sent[leg])) for leg in legs) / CALLS,
        "gap_median_ms": round(float(np.median(gaps)), 1),
        "gap_p99_ms": round(p99, 1),
        "gap_p99_to_limit": round(p99 / LIMIT_MS, 2),
        "packets": len(gaps),
    }


def _whole(leg: PhoneLeg, beats: int) -> bool:
    tracks = leg.recording()
    loud = all(np.abs(tracks.channel(party).samples).max() > 4000 for party in (0, 1))
    return loud and abs(tracks.duration_s - beats * FRAME_S) < FRAME_S / 2


def main() -> None:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="vivavoce-calls-") as folder:
        found = asyncio.run(measured(Path(folder)))
    print(json.dumps({"benchmark": "telephone_calls", **found, "load": round(load, 1)}, indent=2))


if __name__ == "__main__":
    main()
