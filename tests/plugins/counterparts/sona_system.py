"""A stand-in of a school's SONA for tests: credit is a state, granted by its server-side address alone.

    python sona_system.py PORT

GET /control/credits: who has credit; POST /control/faults {kind, times}: after (credit, no answer), refused.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "canary-sona-token"
CREDITS: dict[str, int] = {}
FAULTS: list[str] = []


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        FAULTS.extend([asked["kind"]] * asked["times"])
        self.answer(200, None)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/control/credits":
            self.answer(200, CREDITS)
            return
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        fault = FAULTS.pop() if FAULTS else ""
        if parts.path != "/services/SonaAPI.svc/WebstudyCredit" or query.get("credit_token") != TOKEN:
            self.answer(403, None)
        elif fault == "refused":
            self.answer(400, None)
        else:
            CREDITS[query["survey_code"]] = int(query["experiment_id"])
            if fault != "after":
                self.answer(200, {"granted": True})

    def answer(self, status: int, found: Any) -> None:
        content = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
