"""A study by voice with an open microphone, and the bundled bot; a microphone that a test speaks into."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

from scenes.browser import until
from scenes.voices import voice
from scenes.websites import Running, restaurant_bot, running
from vivavoce.audio.files import encode_sound, pcm16
from vivavoce.audio.sound import Sound, joined, silence
from vivavoce.connectors.factory import make_connector
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine

WISH = "I am looking for a cheap restaurant in the city centre"
QUESTION = "what is the phone number"
FAREWELL = "thank you goodbye"
SENTENCES = (
    f"{WISH}\n{QUESTION}\n{FAREWELL}\nwhat is the address\ni want a moderately priced pub in the north\n"
)
# A microphone whose sound is what `speak` is given, and silence else; only the device is replaced.
MICROPHONE = """
(() => {
  let context = null;
  let into = null;
  if (!navigator.mediaDevices) return;
  navigator.mediaDevices.getUserMedia = async () => {
    context ??= new AudioContext();
    await context.resume();
    into = context.createMediaStreamDestination();
    return into.stream;
  };
  window.speak = async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (one) => one.charCodeAt(0));
    const source = context.createBufferSource();
    source.buffer = await context.decodeAudioData(bytes.buffer);
    source.connect(into);
    const over = new Promise((done) => (source.onended = done));
    source.start();
    window.speaking = true;
    over.then(() => (window.speaking = false));
  };
})();
"""
# A browser that hands a microphone only to contexts of its own rate, so that the page must resample.
OWN_RATE_ONLY = """
(() => {
  const really = AudioContext.prototype.createMediaStreamSource;
  AudioContext.prototype.createMediaStreamSource = function (stream) {
    if (this.sampleRate === 16000) throw new DOMException("another rate", "NotSupportedError");
    window.hearing = this;
    return really.call(this, stream);
  };
})();
"""


@dataclass
class Parlour:
    """The study, served."""

    pages: Running
    engine: SessionEngine
    log: Log
    folder: Path

    def events(self, kind: str) -> list[Any]:
        """What happened in all visits, of one kind."""
        return [
            one.event
            for visit in self.log.visits("talks")
            for one in self.log.events(visit.visit_id)
            if one.event.kind == kind
        ]

    def turns(self, kind: str) -> Callable[[int], bool]:
        return lambda count: len(self.events(kind)) >= count


@contextmanager
def talking_study(folder: Path, *, voice_settings: str = "") -> Iterator[Path]:
    """The study in a folder, both of its systems the bundled bot, which runs."""
    write_study(folder, "cambridge-2011", name="talks")
    (folder / "sentences.txt").write_text(SENTENCES)
    file = folder / "study.yaml"
    with restaurant_bot("--domain", str(folder / "restaurants.yaml")) as bot:
        text = file.read_text().replace(":9101/", f":{bot}/").replace(":9102/", f":{bot}/")
        text = text.replace("repeat: 3..40", "repeat: 1..2").replace("generate: 200", "generate: 20")
        assert "gate: code" in text
        text = re.sub("gate: code", "gate: dialogue, channel: voice", text) + (
            "voice:\n  microphone: open\n"
            "  recogniser: {use: pocketsphinx, sentences: sentences.txt}\n"
            "  synthesiser: {use: flite, voice: rms}\n  silence_s: 60\n" + voice_settings
        )
        file.write_text(text)
        yield folder


@contextmanager
def served(folder: Path, log_file: Path, port: int | None = None) -> Iterator[Parlour]:
    """The study as it stands in a folder, served; the log may know it already."""
    study = load_study(folder)
    connectors = {name: make_connector(raw, {}) for name, raw in study.systems.items()}
    with Log.open(f"sqlite:///{log_file}") as log:
        engine = SessionEngine(study, log, connectors)
        with running(create_app(engine), port) as pages:
            yield Parlour(pages, engine, log, folder)


def into_the_dialogue(context: BrowserContext, url: str, *, start: str = "Start") -> Page:
    """From the first page to the check of the microphone."""
    for text in (WISH, QUESTION, FAREWELL):
        voice(text, "slt")  # made now, for the program waits for nobody who is to interrupt it
    page = context.new_page()
    page.goto(url)
    page.get_by_role("button", name=start, exact=True).click()
    page.wait_for_load_state()
    while not page.locator("#check").is_visible():
        page.locator("main form button.primary").first.click()
        page.wait_for_load_state()
    expect(page.locator("#say")).to_be_hidden()
    return page


def checked(page: Page) -> None:
    """The microphone is checked and the dialogue begun."""
    page.locator("#check").click()
    until(page, "Number(document.getElementById('voice').dataset.soFar) > 0")
    speak(page, "Hello.")
    page.locator("#check").click()
    until(page, "document.getElementById('check-listen').readyState > 0")
    page.locator("#ready").click()
    expect(page.locator("#open-talking")).to_be_visible()


def doing(page: Page, *states: str) -> None:
    """Wait until the page shows that the program does this."""
    wanted = " || ".join(f"document.getElementById('voice').dataset.doing === '{one}'" for one in states)
    until(page, wanted)


def speak(page: Page, text: str) -> None:
    """Say something into the microphone; returns when it was said and has reached the page."""
    wav = encode_sound(joined([Sound(pcm16(voice(text, "slt")), 16_000), silence(0.3, 16_000)], 16_000))
    page.evaluate("(encoded) => window.speak(encoded)", b64encode(wav).decode())
    until(page, "window.speaking === false")
