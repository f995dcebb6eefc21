"""Bots whose JSON is like nobody else's, on ports of this machine."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit


class _Bubbles(BaseHTTPRequestHandler):
    """Takes `{"prompt", "sessionId"}`, and answers in bubbles with other texts around."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "prompt" not in asked:
            self._answer(422, {"fault": "no prompt"})
            return
        words = f"The ferry office hears you: {asked['prompt']} is noted."
        self._answer(200, {"meta": {"took": "3ms"}, "result": {"bubbles": [{"markdown": words}]}})

    def do_GET(self) -> None:
        self._answer(404, {"fault": "nothing here"})

    def _answer(self, status: int, found: object) -> None:
        body = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Frases(_Bubbles):
    """Takes `{"cliente", "frase"}` and names both where they are missing; greets everybody alike."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or "null")
        if not isinstance(asked, dict) or not {"cliente", "frase"} <= asked.keys():
            self._answer(422, {"errore": "servono i campi 'cliente' e 'frase'"})
            return
        self._answer(200, {"esito": {"testo": "Good morning at the repair shop."}})


class _Desk(_Bubbles):
    """Takes `{"pratica", "parole"}` and keeps to its question until somebody says what it understands."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or "null")
        if not isinstance(asked, dict) or not {"pratica", "parole"} <= asked.keys():
            self._answer(422, {"errore": "mancano 'parole' e 'pratica'"})
            return
        understood = "arrivederci" in asked["parole"].lower() or "goodbye" in asked["parole"].lower()
        words = "Alla prossima!" if understood else f"Pratica {asked['pratica'][:8]}: che lavoro serve?"
        self._answer(200, {"banco": {"risposta_banco": words, "chiusa": understood}})


class _Counter(_Bubbles):
    """Takes `?frage=...&wer=...` by GET alone, with a header that says who asks."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(405, {"fault": "ask by GET"})

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        if self.headers.get("X-Desk") != "lost and found":
            self._answer(401, {"fault": "which desk asks?"})
        elif "frage" not in asked or asked.get("lang") != ["en"]:
            self._answer(422, {"fault": "no question"})
        else:
            self._answer(200, {"reply": {"say": f"Nobody has found your {asked['frage'][0]}."}})


def lost_property() -> AbstractContextManager[str]:
    """The address of the third."""
    return _served(_Counter)


def ferry_office() -> AbstractContextManager[str]:
    """The address of the first bot; gone when the block ends."""
    return _served(_Bubbles)


def repair_shop() -> AbstractContextManager[str]:
    """That of the second."""
    return _served(_Frases)


def service_desk() -> AbstractContextManager[str]:
    """That of the fourth."""
    return _served(_Desk)


@contextmanager
def _served(bot: type[_Bubbles]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), bot)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/ferry"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
