"""A bot written with fbmessenger: `python messenger_fb_bot.py PORT`. It calls graph.facebook.com."""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from fbmessenger import BaseMessenger
from fbmessenger.elements import Button, Text
from fbmessenger.quick_replies import QuickReplies, QuickReply

first: dict[str, str] = {}


class Bot(BaseMessenger):
    def message(self, message):
        text = message["message"]["text"]
        picked = message["message"].get("quick_reply")
        if picked:
            self.send(Text(f"picked {picked['payload']} ({text})").to_dict())
        elif text == "where":
            replies = QuickReplies([QuickReply("North", "n"), QuickReply("South", "s")])
            self.send(Text("Where to?", quick_replies=replies).to_dict())
        elif text == "menu":
            buttons = [
                Button("postback", "Soup", payload="soup").to_dict(),
                Button("web_url", "Card", url="https://x.example").to_dict(),
            ]  # by hand: the library's templates need a Python of before 3.10
            payload = {"template_type": "button", "text": "What to eat?", "buttons": buttons}
            self.send({"attachment": {"type": "template", "payload": payload}})
        elif text == "late":
            self.send_action("typing_on")
            time.sleep(1.2)
            self.send(Text("here").to_dict())
            self.send(Text("at last").to_dict())
        else:
            name = self.get_user(fields="first_name")["first_name"]
            said = first.setdefault(self.get_user_id(), text)
            self.send(Text(f"{name}, first was {said}").to_dict())

    def postback(self, message):
        self.send(Text(f"chosen {message['postback']['payload']}").to_dict())


bot = Bot("TEST", app_secret="hunter2secret")


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        bot.handle(payload)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


HTTPServer(("127.0.0.1", int(sys.argv[1])), Webhook).serve_forever()
