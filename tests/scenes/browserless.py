"""A participant without a browser: walks pages by their forms, talks as the page's script does."""

import asyncio
from html.parser import HTMLParser
from urllib.parse import urljoin

import httpx


class Forms(HTMLParser):
    """The forms of a page: action, hidden and preset fields, buttons, radio groups."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[dict] = []
        self.data: dict[str, str] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append({"action": facts.get("action", ""), "fields": {}, "buttons": [], "radios": {}})
        elif not self.forms:
            return
        elif tag == "input" and facts.get("type") == "radio":
            self.forms[-1]["radios"].setdefault(facts["name"], []).append(facts["value"])
        elif tag == "input" and facts.get("name"):
            self.forms[-1]["fields"][facts["name"]] = facts.get("value", "")
        elif tag == "button" and facts.get("name"):
            self.forms[-1]["buttons"].append((facts["name"], facts.get("value", "")))
        if tag != "form" and "data-dialogue" in facts:
            self.data["dialogue"] = facts["data-dialogue"]

    def to(self, path: str) -> dict:
        """The form that posts to a path."""
        return next(form for form in self.forms if form["action"].endswith(path))

    def has(self, path: str) -> bool:
        return any(form["action"].endswith(path) for form in self.forms)


async def patiently(call, *arguments, **options) -> httpx.Response:
    """Make a request until the server answers and is not busy: what a page does."""
    while True:
        try:
            response = await call(*arguments, **options)
            if response.status_code < 500 and not (response.status_code == 409 and '"busy"' in response.text):
                return response
        except httpx.HTTPError:
            pass
        await asyncio.sleep(0.05)


async def submit(client: httpx.AsyncClient, page: httpx.Response, path: str, **more: str) -> httpx.Response:
    """Submit the page's form to this path, with every radio group answered by its last value."""
    form = Forms(page.text).to(path)
    fields = {**form["fields"], **{name: values[-1] for name, values in form["radios"].items()}, **more}
    return await patiently(client.post, urljoin(str(page.url), form["action"]), data=fields)


async def into_chat(client: httpx.AsyncClient) -> str:
    """From the information page into the first dialogue; returns the dialogue's key."""
    return dialogue_of(await to_the_dialogue(client))


async def to_the_dialogue(client: httpx.AsyncClient) -> httpx.Response:
    """From the information page to the page of the first dialogue."""
    page = await patiently(client.get, "/")
    page = await submit(client, page, "/start")
    page = await submit(client, page, "/consent", answer="agree")
    return await submit(client, page, "/read")


def dialogue_of(page: httpx.Response) -> str:
    return Forms(page.text).to("/dialogue/end/form")["fields"]["dialogue_id"]
