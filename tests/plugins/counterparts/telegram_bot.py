"""A Telegram bot without a library: `python telegram_bot.py BASE_URL`. Knows nothing of ours.

It goes on asking when nobody listens. What it is told may be a fault.
"""

import json
import sys
import time
import urllib.request

BASE = f"{sys.argv[1]}/bot4242:TEST"
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
first: dict[int, str] = {}


def call(method: str, **params: object) -> object:
    request = urllib.request.Request(f"{BASE}/{method}", headers={"Content-Type": "application/json"})
    request.data = json.dumps(params).encode()
    return json.load(OPENER.open(request, timeout=40))["result"]


def answer(chat: int, text: str) -> None:
    if text in ("silent", "/start"):
        return
    if text == "huge":
        call("sendMessage", chat_id=chat, text="x" * 5_000_000)
    if text == "garbage":
        OPENER.open(urllib.request.Request(f"{BASE}/sendMessage", data=b"\x00{"), timeout=5)
    if text == "slow":
        for number in range(40):
            call("sendMessage", chat_id=chat, text=str(number))
            time.sleep(0.05)
    call("sendMessage", chat_id=chat, text=f"first was {first.setdefault(chat, text)}")


offset = 0
while True:
    try:
        for update in call("getUpdates", offset=offset, timeout=20):
            offset = update["update_id"] + 1
            try:
                answer(update["message"]["chat"]["id"], update["message"]["text"])
            except OSError:
                pass
    except (OSError, ValueError):
        time.sleep(0.05)
