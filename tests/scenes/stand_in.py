"""Bot that answers at once: `python tests/scenes/stand_in.py PORT`."""

import json
import sys
from typing import Any

import uvicorn

ANSWER = json.dumps({"text": "There are three cheap pubs in the centre. Which one do you want?"}).encode()
HEAD = [(b"content-type", b"application/json"), (b"content-length", str(len(ANSWER)).encode())]


async def app(_: Any, receive: Any, send: Any) -> None:
    """The same answer to every turn."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": HEAD})
    await send({"type": "http.response.body", "body": ANSWER})


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", lifespan="off", timeout_keep_alive=75)
