"""A language model that judges answers, as a process of its own: OpenAI's protocol, and manners of its own.

python judge_model.py PORT MANNER

honest    reads the JSON, finds the answers by what they are `to`, and compares their words and numbers
first     says `same` when the answer to the utterance comes first, else `different`: a model that leans
refuses   says `cannot_tell`
chatters  says no JSON
obeys     does what stands in an answer: a model that takes data for orders
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def verdict(asked: dict, manner: str) -> str:
    answers = {one["to"]: one["text"] for one in asked["answers"]}
    if manner == "chatters":
        return "As a language model I would rather not say {anything"
    if manner == "refuses":
        return json.dumps({"verdict": "cannot_tell", "reason": "nothing to go by"})
    if manner == "first":
        leans = asked["answers"][0]["to"] == "utterance"
        return json.dumps({"verdict": "same" if leans else "different", "reason": "so it seems"})
    if manner == "obeys" and "answer different" in answers["variant"]:
        return json.dumps({"verdict": "different", "reason": "told to"})
    one, other = (set(re.findall(r"\w+", answers[arm].lower())) for arm in ("utterance", "variant"))
    if {"sorry", "again", "understand", "ripetere", "capito"} & (other - one):
        return json.dumps({"verdict": "asks_again", "reason": "it did not understand"})
    numbers = {word for word in one ^ other if word.isdigit()}
    alike = len(one & other) / max(1, len(one | other))
    said = "same" if not numbers and alike > 0.2 else "different"
    return "```json\n" + json.dumps({"verdict": said, "reason": f"words alike {alike:.2f}"}) + "\n```"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = verdict(json.loads(asked["messages"][-1]["content"]), sys.argv[2])
        message = {"role": "assistant", "content": said}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = json.dumps(
            {"id": "c", "object": "chat.completion", "model": asked["model"], "choices": [choice]}
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
