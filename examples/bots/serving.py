"""HTTP server that the three example bots share; standard library and PyYAML only.

    POST /chat {"text": "Where are the dinosaurs?", "conversation": "17", "language": "en"}
    -> {"text": "You will find the dinosaurs in room 4 ..."}

An empty text restarts the conversation and gets the greeting; `language` is optional (default `--language`).
"""

import argparse
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any, Final, Protocol

import yaml

LONGEST_BODY: Final = 100_000
MOST_SESSIONS: Final = 1_000  # the oldest conversation goes first


class Bot(Protocol):
    """One conversation."""

    greeting: str

    def answer(self, text: str) -> str: ...


def run(make: Callable[[dict[str, Any]], Bot], script: str, description: str | None) -> None:
    """Serve a bot until Ctrl-C; its texts stand by language in the YAML file beside the script."""
    texts = yaml.safe_load(Path(script).with_suffix(".yaml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--language", choices=sorted(texts), default="en")
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", options.port), _handler(make, texts, options.language))
    print(f"http://127.0.0.1:{server.server_port}/chat (stop with Ctrl-C)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


def _handler(
    make: Callable[[dict[str, Any]], Bot], texts: dict[str, Any], default: str
) -> type[BaseHTTPRequestHandler]:
    sessions: dict[str, Bot] = {}
    lock = Lock()

    def reply(body: dict[str, Any]) -> str:
        key, text, language = str(body["conversation"]), body["text"].strip(), body.get("language")
        with lock:
            if not text or key not in sessions:
                sessions[key] = make(texts[language if language in texts else default])
                if len(sessions) > MOST_SESSIONS:
                    del sessions[next(iter(sessions))]
            return sessions[key].answer(text) if text else sessions[key].greeting

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            received = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), LONGEST_BODY))
            try:
                status, answer = 200, {"text": reply(json.loads(received))}
            except (KeyError, TypeError, ValueError, AttributeError):
                status, answer = 400, {"error": 'send {"text": "...", "conversation": "..."}'}
            self._send(status, answer)

        def do_GET(self) -> None:
            self._send(200, {"status": "ok"})

        def _send(self, status: int, answer: dict[str, str]) -> None:
            data = json.dumps(answer, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *_: Any) -> None:
            """Print nothing for each request."""

    return Handler
