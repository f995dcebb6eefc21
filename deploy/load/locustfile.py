"""Locust users that take part in a running study: `make load ARGS="--users 50 --run-time 2m"`.

Serve a copy of the study with an empty log, because every user counts as a participant. In its `limits`
raise `visits_per_hour`, `user_turns` and `dialogue_minutes`. To leave out the bot's own delay, replace the
systems by a bot that answers at once, such as examples/bots/museum.py.

Each user walks through the pages' forms to the first dialogue, keeps a long poll open, and sends a turn every
`--pause` seconds on average. A turn that was not taken is sent again with the same key, as the page does.

Rows of the result:
  page    pages before the dialogue
  turn    from sending a turn to its acknowledgement, when it is on disk
  answer  from sending a turn to the system's answer
  news    the long poll; ignore its durations
"""

import random
import time
import uuid
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import gevent
from gevent.event import Event
from locust import HttpUser, events, task
from locust.exception import StopUser

FORMS = ("/start", "/consent", "/read", "/answers", "/dialogue/next")
MOST_PAGES = 40
RETRY_S = 0.5
POLL_S = 25
PATIENCE_S = 60


@events.init_command_line_parser.add_listener
def add_options(parser: Any) -> None:
    parser.add_argument("--pause", type=float, default=10.0, help="Mean seconds between two turns of a user.")
    parser.add_argument("--link", default="/", help="First page; {number} is another number for each user.")


class Forms(HTMLParser):
    """The forms of a page with their preset answers, and the dialogue on it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []
        self.dialogue = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        name, value, kind = facts.get("name", ""), facts.get("value", ""), facts.get("type", "")
        if tag == "form":
            self.forms.append((facts.get("action", ""), {}))
        elif name == "dialogue_id":
            self.dialogue = value
        elif not self.forms or tag not in ("input", "textarea"):
            return
        elif kind == "range":
            self.forms[-1][1][facts.get("id", "")] = value
        elif name:  # of radio buttons the last one counts
            self.forms[-1][1][name] = value or ("nothing" if tag == "textarea" else "")


class Participant(HttpUser):
    """One participant with their own cookies."""

    def wait_time(self) -> float:
        return self.environment.parsed_options.pause * random.uniform(0.5, 1.5)

    def on_start(self) -> None:
        self.after, self.sent_s, self.free, self.over = 0, 0.0, Event(), False
        self.dialogue = self.walk()
        self.listener = gevent.spawn(self.listen)

    def on_stop(self) -> None:
        if hasattr(self, "listener"):
            self.listener.kill()

    def walk(self) -> str:
        """Go from the first page to the first dialogue; stop the user where there is none."""
        link = self.environment.parsed_options.link.replace("{number}", uuid.uuid4().hex)
        page = self.client.get(link, name="page")
        for _ in range(MOST_PAGES):
            found = Forms(page.text)
            if found.dialogue:
                return found.dialogue
            known = [form for end in FORMS for form in found.forms if form[0].endswith(end)]
            if not known:
                break
            action, fields = known[0]
            if action.endswith("/consent"):
                fields["answer"] = "agree"
            page = self.client.post(urljoin(page.url, action), data=fields, name="page")
        self.report("page", 0.0, LookupError(f"no dialogue behind {page.url} (HTTP {page.status_code})"))
        raise StopUser

    @task
    def say(self) -> None:
        if self.over:
            raise StopUser
        if not self.free.wait(PATIENCE_S):
            self.report("answer", PATIENCE_S, TimeoutError(f"no answer within {PATIENCE_S} s"))
        self.free.clear()
        key = uuid.uuid4().hex
        turn = {"key": key, "dialogue_id": self.dialogue, "text": f"I am looking for a cheap pub {key}"}
        self.sent_s = time.monotonic()
        while not self.over:
            with self.client.post("/turns", json=turn, name="turn", catch_response=True) as answer:
                if answer.status_code not in (0, 409, 429) and answer.status_code < 500:
                    return
                answer.failure(f"HTTP {answer.status_code}, sent again")
            gevent.sleep(RETRY_S)

    def listen(self) -> None:
        while not self.over:
            asked = {"after": self.after, "wait": POLL_S, "dialogue_id": self.dialogue}
            answer = self.client.get("/events", params=asked, name="news")
            if answer.status_code != 200:
                gevent.sleep(RETRY_S)
                continue
            news = answer.json()
            self.after, self.over = news["seq"], not news["running"]
            kinds = {event["kind"] for event in news["events"]}
            if self.sent_s and kinds & {"system", "failure"}:
                failure = RuntimeError("the system failed") if "failure" in kinds else None
                self.report("answer", time.monotonic() - self.sent_s, failure)
                self.sent_s = 0.0
            if not news["waiting"] and not self.sent_s:
                self.free.set()

    def report(self, name: str, seconds: float, error: Exception | None) -> None:
        self.environment.events.request.fire(
            request_type="",
            name=name,
            response_time=1000 * seconds,
            response_length=0,
            exception=error,
            context={},
        )
