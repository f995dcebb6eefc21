"""Language models that give out their answers piece by piece, as the test hands them over."""

import json
import queue
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from scenes.patience import PATIENCE_S


class StreamingModels(ThreadingHTTPServer):
    """OpenAI-compatible chat completions, streamed; what a model says next is put into its queue.

    A text is a piece, None ends the answer, an Exception ends the connection in the middle of it.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Completions)
        self.pieces: dict[str, queue.Queue[Any]] = defaultdict(queue.Queue)
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def system(self, model: str) -> Mapping[str, object]:
        """The system of a study that is this model."""
        return {"connect": "openai", "url": self.url, "model": model, "allow_private": True}

    def say(self, model: str, *pieces: str | Exception | None) -> None:
        for piece in pieces:
            self.pieces[model].put(piece)


class _Completions(BaseHTTPRequestHandler):
    server: StreamingModels  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(body)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        pieces = self.server.pieces[body["model"]]
        while isinstance(piece := pieces.get(timeout=PATIENCE_S), str):
            self._event({"choices": [{"index": 0, "delta": {"content": piece}}]})
        if piece is None:
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, chunk: Mapping[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None: ...


@contextmanager
def streaming_models() -> Iterator[StreamingModels]:
    with StreamingModels() as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def write_chat(folder: Path, system: Mapping[str, object], more: str = ", answers: streamed") -> Path:
    """A study of one dialogue with one system; its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(
        f"study: city\nlanguages: [en, it]\nsystems: {json.dumps({'model': system})}\n"
        f"visit:\n  - dialogue: {{gate: none{more}}}\n",
        encoding="utf-8",
    )
    return folder
