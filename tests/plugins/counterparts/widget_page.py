"""A web site whose bot lives in a chat widget: `python widget_page.py PORT`. Knows nothing of ours.

/ shows the widget open, /closed behind a button, /framed in an iframe, /shadow in a web component,
/status/404 an error. The bot tells the first thing said in the page; `menu` offers buttons, `slow` writes bit
by bit, `photo` shows a picture, `bye` ends, `both` says two things, `what` tells what was said before; the
widget greets after a moment where the address has ?greet.
"""

import asyncio
import json
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

SCRIPT = """
const session = crypto.randomUUID();
function widget(root) {
  const log = root.querySelector('.log'), field = root.querySelector('textarea');
  const show = (kind, text) => {
    const bubble = document.createElement('p');
    bubble.className = kind; bubble.style.whiteSpace = 'pre-wrap'; bubble.textContent = text;
    log.append(bubble);
    return bubble;
  };
  async function say(text) {
    root.querySelectorAll('.offer').forEach(one => one.remove());
    show('me', text);
    const typing = show('typing', '…');
    const asked = {method: 'POST', body: JSON.stringify({session, text})};
    const answer = await (await fetch('/answer', asked)).json();
    for (const message of answer.messages) {
      const bubble = show('bot', '');
      for (const piece of message.pieces) {
        bubble.textContent += piece;
        await new Promise(done => setTimeout(done, message.pause));
      }
    }
    if (answer.picture) {
      const bubble = show('bot', ''), image = document.createElement('img');
      image.src = answer.picture; bubble.append(image);
    }
    typing.remove();
    for (const title of answer.offers) {
      const button = document.createElement('button');
      button.className = 'offer'; button.textContent = title;
      button.onclick = () => say('pressed ' + title); log.append(button);
    }
    if (answer.over) show('over', 'The chat has ended.');
  }
  const send = () => { const text = field.value; field.value = ''; if (text) say(text); };
  field.addEventListener('keydown', event => {
    if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); send(); }
  });
  root.querySelector('.send').onclick = send;
  if (location.search === '?greet') setTimeout(() => show('bot', 'Welcome!'), 300);
}
"""
INSIDE = "<div class=log></div><textarea></textarea><button class=send>Send</button>"
PAGES = {
    "open": f"<main id=chat>{INSIDE}</main><script>{SCRIPT} widget(document.querySelector('#chat'))</script>",
    "closed": f"<button id=launch>Chat with us</button><main id=chat hidden>{INSIDE}</main><script>{SCRIPT}"
    "document.querySelector('#launch').onclick = () => {"
    "const chat = document.querySelector('#chat'); chat.hidden = false; widget(chat) }</script>",
    "framed": "<h1>Shop</h1><iframe id=help src=/ width=400 height=400></iframe>",
    "shadow": f"<h1>Shop</h1><x-chat></x-chat><script>{SCRIPT} customElements.define('x-chat', class extends "
    "HTMLElement { connectedCallback() { const root = this.attachShadow({mode: 'open'});"
    f"root.innerHTML = `<main id=chat>{INSIDE}</main>`; widget(root.querySelector('#chat')) }} }})</script>",
}
first: dict[str, str] = {}
last: dict[str, str] = {}


async def page(request: Request) -> Response:
    name = request.path_params.get("name", "open")
    head = "<!doctype html><meta charset=utf-8><link rel=icon href=data:,><title>Shop</title>"
    return HTMLResponse(head + PAGES[name])


async def answer(request: Request) -> Response:
    asked = json.loads(await request.body())
    text = asked["text"]
    await asyncio.sleep(0.02)
    said = [f"first was {first.setdefault(asked['session'], text)}"]
    if text == "what":
        said = [f"before was {last[asked['session']]}"]
    last[asked["session"]] = text
    if text == "both":
        said = ["one thing", "another"]
    messages = [{"pieces": [one], "pause": 0} for one in said]
    if text == "slow":
        messages = [{"pieces": ["bit ", "by ", "bit"], "pause": 1500}]
    return JSONResponse(
        {
            "messages": [] if text == "photo" else messages,
            "over": text == "bye",
            "offers": ["North", "South"] if text == "menu" else [],
            "picture": "/pixel.png" if text == "photo" else None,
        }
    )


async def refused(request: Request) -> Response:
    return HTMLResponse("No.", status_code=request.path_params["code"])


app = Starlette(
    routes=[
        Route("/", page),
        Route("/answer", answer, methods=["POST"]),
        Route("/status/{code:int}", refused),
        Route("/{name}", page),
    ],
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
