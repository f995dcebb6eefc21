"""A stand-in of Prolific for tests: a process with records of its own, written from its published API.

It imports nothing of ours. Amounts follow the description: rewards and what it shows are minor units, bonuses
in `csv_bonuses` are major units, approving twice approves once, paying a bulk twice pays it twice. Notices of
changed submissions go, signed, to whoever subscribed and confirmed.

    python prolific_platform.py PORT STATE.json     keeps its records in the file

Control, beside the API: POST /control/faults {path, method, times, kind} with a kind of before (no effect, no
answer), after (effect, no answer), 429, 500 or 500-after; POST /control/take {participant} takes a place and
tells the address; /control/submit {submission, code}, /control/return, /control/time-out; /control/keep and
/control/restore; /control/notices {to, lose, twice}: where the hosts of subscriptions truly stand, how many
of the next notices get lost, and how many come twice; GET /control/journal, /control/studies,
/control/notices (each with the answers that it got), and /control/paid: how often each was paid what.

Source  docs.prolific.com/api-reference: studies, filters, participant groups, submissions, bonuses, hooks,
        well-known endpoints (read November 2026)
"""

import base64
import hashlib
import hmac
import json
import queue
import re
import secrets
import sys
import threading
import time
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

TOKEN = "canary-prolific-token"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
WORKSPACE = "5f0000000000000000000001"
DONE = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}
LOCK = threading.RLock()
WAITING: "queue.Queue[dict[str, Any]]" = queue.Queue()
Answer = tuple[int, Any]


class NoAnswer(Exception):
    """The connection is closed without a word."""


def identifier() -> str:
    return secrets.token_hex(12)


def now() -> str:
    return datetime.now(UTC).isoformat()


def allowed(study: dict[str, Any]) -> list[str]:
    """The groups of which people see a study; none: everybody does."""
    filters = [one for one in study.get("filters") or [] if one["filter_id"] == "participant_group_allowlist"]
    return [group for one in filters for group in one["selected_values"]]


class Records:
    """Studies, submissions, bulks, and what was paid; on disk after every change."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.studies: dict[str, dict[str, Any]] = {}
        self.submissions: dict[str, dict[str, Any]] = {}
        self.groups: dict[str, list[str]] = {}
        self.bulks: dict[str, list[tuple[str, int]]] = {}
        self.paid: list[tuple[str, str, int]] = []
        self.faults: list[dict[str, Any]] = []
        self.journal: list[str] = []
        self.secret = ""
        self.subscriptions: dict[str, dict[str, Any]] = {}
        self.notices: list[dict[str, Any]] = []
        self.delivery: dict[str, Any] = {"to": "", "lose": 0, "twice": 0}
        self.kept = ""
        if file.exists():
            self.__dict__.update(json.loads(file.read_text(encoding="utf-8")))

    def facts(self) -> dict[str, Any]:
        return {name: one for name, one in self.__dict__.items() if name not in ("file", "kept")}

    def save(self) -> None:
        self.file.write_text(json.dumps(self.facts()), encoding="utf-8")

    def fault(self, method: str, path: str) -> str:
        """What goes wrong with this request; "" where nothing does."""
        for one in self.faults:
            if one["times"] > 0 and one.get("method", method) == method and re.search(one["path"], path):
                one["times"] -= 1
                return one["kind"]
        return ""

    def create(self, body: dict[str, Any]) -> Answer:
        lacking = [
            name
            for name in (
                "name",
                "description",
                "external_study_url",
                "prolific_id_option",
                "completion_codes",
                "estimated_completion_time",
                "reward",
                "total_available_places",
            )
            if name not in body
        ]
        if lacking or not isinstance(body["reward"], int):
            detail = ", ".join(f"{name}: This field is required." for name in lacking)
            return 400, {"error": {"status": 400, "title": "Bad request", "detail": detail}}
        if any(group not in self.groups for group in allowed(body)):
            return 400, {"error": {"status": 400, "detail": "filters: no such participant group"}}
        study = {**body, "id": identifier(), "status": "UNPUBLISHED"}
        self.studies[study["id"]] = study
        return 201, study

    def group(self, body: dict[str, Any]) -> Answer:
        if not body.get("name") or body.get("workspace_id") != WORKSPACE:
            return 400, {"error": {"status": 400, "detail": "name, and a workspace of yours: required"}}
        key = identifier()
        self.groups[key] = list(body.get("participant_ids", []))
        return 201, {"id": key, "name": body["name"], "participant_count": len(self.groups[key])}

    def transition_study(self, study: dict[str, Any], body: dict[str, Any]) -> Answer:
        ends = {
            ("PUBLISH", "UNPUBLISHED"): "ACTIVE",
            ("PAUSE", "ACTIVE"): "PAUSED",
            ("START", "PAUSED"): "ACTIVE",
            ("STOP", "ACTIVE"): "AWAITING REVIEW",
            ("STOP", "PAUSED"): "AWAITING REVIEW",
        }
        change = (str(body.get("action")), study["status"])
        if change not in ends:
            return 400, {"message": "Invalid transition", "detail": f"{study['status']}: {body}"}
        study["status"] = ends[change]
        return 200, study

    def set_places(self, study: dict[str, Any], body: dict[str, Any]) -> Answer:
        if body["total_available_places"] < study["total_available_places"]:
            return 400, {"error": {"status": 400, "detail": "total_available_places can only grow"}}
        study.update(body)
        return 200, study

    def transition(self, one: dict[str, Any], body: dict[str, Any]) -> Answer:
        action, wrong = body.get("action"), ""
        if action not in DONE:
            wrong = "only APPROVE and REJECT here"
        elif action == "REJECT" and (
            len(body.get("message", "")) < 100 or not body.get("rejection_category")
        ):
            wrong = "message: at least 100 characters; rejection_category: required"
        elif one["status"] == "AWAITING REVIEW":
            if action == "APPROVE":
                self.paid.append((one["id"], "reward", self.studies[one["study_id"]]["reward"]))
            self.change(one, DONE[action])
        elif one["status"] != DONE[action]:
            wrong = f"submission is {one['status']}"
        return (400, {"error": {"status": 400, "detail": wrong}}) if wrong else (200, one)

    def ask_back(self, one: dict[str, Any], body: dict[str, Any]) -> Answer:
        if not body.get("request_return_reasons"):
            return 400, {"error": {"status": 400, "detail": "request_return_reasons: required"}}
        one["return_requested"] = now()
        return 200, one

    def screen_out(self, study: dict[str, Any], body: dict[str, Any]) -> Answer:
        if not study.get("is_custom_screening"):
            return 400, {"error": {"status": 400, "detail": "this study has no custom screening"}}
        for key in body["submission_ids"]:
            one, minor = self.submissions[key], round(Decimal(str(body["bonus_per_submission"])) * 100)
            one["bonus_payments"].append(float(minor))
            self.paid.append((key, "screen-out", minor))
            self.change(one, "SCREENED OUT")
        return 200, {"message": "queued"}

    def change(self, one: dict[str, Any], status: str, **more: Any) -> None:
        """A submission stands otherwise; whoever subscribed is told."""
        one.update(status=status, **more)
        body = {
            "resource_id": one["id"],
            "event_type": "submission.status.change",
            "participant_id": one["participant_id"],
            "status": status,
        }
        for hook in self.subscriptions.values():
            if not hook["is_enabled"]:
                continue
            notice = {
                "id": identifier(),
                "at": time.time(),
                "body": json.dumps(body),
                "answers": [],
                "target": hook["target_url"],
                "ticket": one["id"],
            }
            self.notices.append(notice)
            if self.delivery["lose"] > 0:
                self.delivery["lose"] -= 1
                continue
            WAITING.put(notice)
            if self.delivery["twice"] > 0:
                self.delivery["twice"] -= 1
                WAITING.put(notice)

    def subscribe(self, body: dict[str, Any]) -> Answer:
        if body["workspace_id"] != WORKSPACE or not body["target_url"].startswith("https://"):
            return 400, {"error": {"status": 400, "detail": "target_url: must be https"}}
        hook = {**body, "id": identifier(), "is_enabled": False, "word": identifier()}
        self.subscriptions[hook["id"]] = hook
        return 201, hook

    def confirm(self, hook: dict[str, Any], body: dict[str, Any]) -> Answer:
        if body.get("secret") != hook["word"]:
            return 400, {"error": {"status": 400, "detail": "secret: wrong"}}
        hook["is_enabled"] = True
        return 200, hook

    def set_up(self, body: dict[str, Any]) -> Answer:
        rows: list[tuple[str, int]] = []
        for line in body["csv_bonuses"].splitlines():
            whom, _, amount = line.partition(",")
            mine = [one for one in self.submissions.values() if one["study_id"] == body["study_id"]]
            found = [one for one in mine if whom in (one["id"], one["participant_id"])]
            if not found:
                return 400, {"error": {"status": 400, "detail": f"unknown {whom}"}}
            rows.append((found[0]["id"], int(Decimal(amount) * 100)))
        bulk = identifier()
        self.bulks[bulk] = rows
        amount = sum(minor for _, minor in rows)
        fees = amount // 3
        return 201, {
            "id": bulk,
            "study": body["study_id"],
            "amount": amount,
            "fees": fees,
            "vat": fees // 5,
            "total_amount": amount + fees + fees // 5,
        }

    def pay(self, bulk: str) -> Answer:
        if bulk not in self.bulks:
            return 404, {"error": {"status": 404, "detail": "no such bulk"}}
        for submission, minor in self.bulks[bulk]:
            self.submissions[submission]["bonus_payments"].append(float(minor))
            self.paid.append((submission, bulk, minor))
        return 202, None

    def take(self, body: dict[str, Any]) -> Answer:
        """A participant takes a place; the address to which they are sent, with its signed token."""
        study = next((one for one in self.studies.values() if one["status"] == "ACTIVE"), None)
        if study is None:
            return 404, {"message": "no study takes participants"}
        person, ticket = body.get("participant") or identifier(), identifier()
        groups = allowed(study)
        if groups and not any(person in self.groups[group] for group in groups):
            return 404, {"message": "this study is not shown to them"}
        self.submissions[ticket] = {
            "id": ticket,
            "participant_id": person,
            "study_id": study["id"],
            "status": "ACTIVE",
            "started_at": now(),
            "completed_at": None,
            "study_code": None,
            "bonus_payments": [],
            "ip": "192.0.2.7",
        }
        sent = {"PROLIFIC_PID": person, "STUDY_ID": study["id"], "SESSION_ID": ticket}
        address = study["external_study_url"]
        for name, value in sent.items():
            address = address.replace("{{%" + name + "%}}", value)
        parts = urlsplit(address)
        claims = {
            "iss": "https://www.prolific.com",
            "aud": f"{parts.scheme}://{parts.netloc}",
            "sub": ticket,
            "iat": int(time.time()),
            "exp": int(time.time()) + body.get("seconds", 600),
            "prolific": {**sent, "workspace_id": "w"},
        }
        token = jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": "test-key"})
        address = f"{address}&prolific_token={token}"
        return 200, {"submission": ticket, "participant": person, "address": address}

    def end(self, what: str, body: dict[str, Any]) -> Answer:
        one = self.submissions[body["submission"]]
        if one["status"] != "ACTIVE":
            return 409, {"message": f"submission is {one['status']}"}
        ends = {"submit": "AWAITING REVIEW", "return": "RETURNED", "time-out": "TIMED-OUT"}
        self.change(one, ends[what], study_code=body.get("code"), completed_at=now())
        return 200, one


def deliver(records: Records) -> None:
    """Send notices, one after the other, for as long as the process lives."""
    while True:
        notice = WAITING.get()
        with LOCK:
            key, to = records.secret.encode(), records.delivery["to"]
        stamp, content = str(int(time.time())), notice["body"].encode()
        signature = base64.b64encode(hmac.digest(key, stamp.encode() + content, hashlib.sha256)).decode()
        headers = {
            "content-type": "application/json",
            "x-prolific-request-signature": signature,
            "x-prolific-request-timestamp": stamp,
            "x-event-id": notice["id"],
            "x-timestamp": f"{notice['at']:.6f}",
        }
        target = urlsplit(notice["target"])
        request = Request(f"{to or 'https://' + target.netloc}{target.path}", content, headers, method="POST")
        try:
            with urlopen(request, timeout=30) as answer:
                status = answer.status
        except HTTPError as error:
            status = error.code
        except OSError as error:
            status = str(error)
        with LOCK:
            notice["answers"].append(status)
        WAITING.task_done()


class Handler(BaseHTTPRequestHandler):
    records: Records
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""

    def do_GET(self) -> None:
        self.serve()

    def do_POST(self) -> None:
        self.serve()

    def do_PATCH(self) -> None:
        self.serve()

    def serve(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        try:
            with LOCK:
                status, answer = self.answered(body)
                self.records.save()
        except NoAnswer:
            with LOCK:
                self.records.save()
            self.close_connection = True
            return
        content = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        if isinstance(answer, dict) and "word" in answer:
            self.send_header("x-hook-secret", answer["word"])
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def answered(self, body: dict[str, Any]) -> Answer:
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if parts.path.startswith("/control/"):
            return self.control(parts.path.removeprefix("/control/"), body)
        if parts.path == "/.well-known/study/jwks.json":
            key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
            return 200, {"keys": [{**key, "kid": "test-key", "alg": "RS256", "use": "sig"}]}
        self.records.journal.append(f"{self.command} {self.path}")
        fault = self.records.fault(self.command, parts.path)
        if fault == "before":
            raise NoAnswer
        if fault in ("429", "500"):
            return int(fault), {"error": {"status": int(fault), "title": "later"}}
        if self.headers.get("authorization") != f"Token {TOKEN}":
            return 401, {"error": {"status": 401, "detail": "Invalid token."}}
        status, answer = self.api(parts.path.removeprefix("/api/v1"), query, body)
        if fault == "after":
            raise NoAnswer
        return (500, {"error": {"status": 500}}) if fault == "500-after" else (status, answer)

    def api(self, path: str, query: dict[str, str], body: dict[str, Any]) -> Answer:
        records, words = self.records, path.strip("/").split("/")
        match self.command, words:
            case "GET", ["studies"]:
                return self.page(list(records.studies.values()), query)
            case "POST", ["studies"]:
                return records.create(body)
            case "GET", ["studies", key] if key in records.studies:
                return 200, records.studies[key]
            case "POST", ["studies", key, "transition"] if key in records.studies:
                return records.transition_study(records.studies[key], body)
            case "PATCH", ["studies", key] if key in records.studies:
                return records.set_places(records.studies[key], body)
            case "POST", ["studies", key, "screen-out-submissions"] if key in records.studies:
                return records.screen_out(records.studies[key], body)
            case "POST", ["participant-groups"]:
                return records.group(body)
            case "POST", ["hooks", "secrets"]:
                records.secret = secrets.token_hex(16)
                return 201, {"id": identifier(), "value": records.secret, **body}
            case "GET", ["hooks", "subscriptions"]:
                shown = [
                    {k: v for k, v in one.items() if k != "word"} for one in records.subscriptions.values()
                ]
                return self.page(shown, query)
            case "POST", ["hooks", "subscriptions"]:
                return records.subscribe(body)
            case "POST", ["hooks", "subscriptions", key] if key in records.subscriptions:
                return records.confirm(records.subscriptions[key], body)
            case "GET", ["submissions"]:
                mine = [one for one in records.submissions.values() if one["study_id"] == query["study"]]
                return self.page([{k: v for k, v in one.items() if k != "study_id"} for one in mine], query)
            case "GET", ["submissions", key] if key in records.submissions:
                one = dict(records.submissions[key])
                one["participant"], one["entered_code"] = one.pop("participant_id"), one.pop("study_code")
                return 200, one
            case "POST", ["submissions", "bonus-payments"]:
                return records.set_up(body)
            case "POST", ["submissions", key, "transition"] if key in records.submissions:
                return records.transition(records.submissions[key], body)
            case "POST", ["submissions", key, "request-return"] if key in records.submissions:
                return records.ask_back(records.submissions[key], body)
            case "POST", ["bulk-bonus-payments", key, "pay"]:
                return records.pay(key)
        return 404, {"error": {"status": 404, "title": "Not found", "detail": path}}

    def page(self, found: list[Any], query: dict[str, str]) -> Answer:
        number, size = int(query.get("page", "1")), min(int(query.get("page_size", "20")), 20)
        if number > 1 and (number - 1) * size >= len(found):
            return 404, {"error": {"status": 404, "detail": "Invalid page."}}
        more = f"http://prolific/?page={number + 1}" if number * size < len(found) else None
        links = {"self": {"href": self.path}, "next": {"href": more}}
        rows = found[(number - 1) * size : number * size]
        return 200, {"results": rows, "_links": links, "meta": {"count": len(found)}}

    def control(self, what: str, body: dict[str, Any]) -> Answer:
        match what:
            case "faults":
                self.records.faults.append(body)
                return 200, None
            case "take":
                return self.records.take(body)
            case "submit" | "return" | "time-out":
                return self.records.end(what, body)
            case "notices" if self.command == "POST":
                self.records.delivery.update(body)
                return 200, None
            case "notices":
                return 200, self.records.notices
            case "keep":
                self.records.kept = json.dumps(self.records.facts())
                return 200, None
            case "restore":
                self.records.__dict__.update(json.loads(self.records.kept))
                return 200, None
            case "journal":
                return 200, self.records.journal
            case "studies":
                return 200, list(self.records.studies.values())
            case "paid":
                return 200, self.records.paid
        return 404, None


if __name__ == "__main__":
    Handler.records = Records(Path(sys.argv[2]))
    threading.Thread(target=deliver, args=(Handler.records,), daemon=True).start()
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
