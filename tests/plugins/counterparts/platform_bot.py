"""A bot for a message platform without a library: `python platform_bot.py PORT PLATFORM BASE_URL`.

It listens for its platform's events, checks their signature, and calls the platform. Knows nothing of ours.
What it is told may be a fault.
"""

import hashlib
import hmac
import json
import sys
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PLATFORM, BASE = sys.argv[2:4]
SECRET = b"hunter2secret"
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
first: dict[str, str] = {}


def call(path: str, **params: object) -> None:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer TEST"}
    request = urllib.request.Request(f"{BASE}/{path}", json.dumps(params).encode(), headers)
    OPENER.open(request, timeout=40).read()


def say(user: str, text: str) -> None:
    if PLATFORM == "slack":
        call("api/chat.postMessage", channel=user, text=text)
    elif PLATFORM == "whatsapp":
        product = {"messaging_product": "whatsapp", "to": user, "type": "text"}
        call("v26.0/100000000000001/messages", **product, text={"body": text})
    elif PLATFORM == "teams":
        call(f"v3/conversations/{user}/activities", type="message", text=text)
    else:
        call("v26.0/me/messages", recipient={"id": user}, message={"text": text})


def answer(user: str, text: str) -> None:
    if text == "silent":
        return
    if text == "slow":
        for number in range(40):
            say(user, str(number))
            time.sleep(0.05)
    say(user, f"first was {first.setdefault(user, text)}")


def said(event: dict) -> tuple[str, str]:
    """Who said what."""
    if PLATFORM == "slack":
        text = event["event"]["text"].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        return event["event"]["channel"], text
    if PLATFORM == "whatsapp":
        message = event["entry"][0]["changes"][0]["value"]["messages"][0]
        return message["from"], message["text"]["body"]
    if PLATFORM == "teams":
        return event["conversation"]["id"], event["text"]
    message = event["entry"][0]["messaging"][0]
    return message["sender"]["id"], message["message"]["text"]


class Webhook(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.reply(parse_qs(urlsplit(self.path).query)["hub.challenge"][0].encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.is_signed(body):
            self.send_response(403)
            self.end_headers()
            return
        event = json.loads(body)
        self.reply(event.get("challenge", "").encode())
        if "challenge" not in event:
            try:
                answer(*said(event))
            except OSError:
                pass

    def is_signed(self, body: bytes) -> bool:
        if PLATFORM == "teams":
            return True
        stamp = self.headers.get("X-Slack-Request-Timestamp", "").encode()
        text, header, prefix = body, "X-Hub-Signature-256", "sha256="
        if PLATFORM == "slack":
            text, header, prefix = b"v0:" + stamp + b":" + body, "X-Slack-Signature", "v0="
        return self.headers.get(header) == prefix + hmac.new(SECRET, text, hashlib.sha256).hexdigest()

    def reply(self, text: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Quiet."""


class Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


Server(("127.0.0.1", int(sys.argv[1])), Webhook).serve_forever()
