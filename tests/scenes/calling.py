"""A study by telephone, served with the bundled bot behind it, and what its callers do."""

import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from playwright.sync_api import Browser, Page, expect

from scenes.browser import barriers
from scenes.patience import PATIENCE_S, eventually
from scenes.telephones import Baresip, baresip
from scenes.voices import voice
from scenes.websites import Running, restaurant_bot, running
from vivavoce.audio.files import pcm16, read_tracks
from vivavoce.audio.recognition import Recogniser
from vivavoce.audio.sound import Sound
from vivavoce.audio.speech import make_recogniser
from vivavoce.audio.voice_activity import speech_intervals
from vivavoce.connectors.factory import make_connector
from vivavoce.log import events as log_events
from vivavoce.log.recordings import folder_of
from vivavoce.log.store import Log, StoredEvent
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial import codes
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.telephony.leg import PhoneLeg
from vivavoce_speech.telephony.switchboard import Switchboard

WISH = "I am looking for a cheap restaurant in the city centre"
ANY = "any kind of food will do"
QUESTION = "what is the phone number"
FAREWELL = "thank you goodbye"
SENTENCES = f"""{WISH}
{ANY}
{QUESTION}
{FAREWELL}
what is the address
i want a moderately priced pub in the north
is there an expensive coffee shop by the river
something else please
"""
TASK = """tasks:
  - id: cheap
    type: restaurant
    constraints: {pricerange: cheap, area: centre}
    requests: [phone]
    text:
      en: Find a cheap restaurant in the city centre, and its phone number.
      it: Trova un ristorante economico in centro, e il suo telefono.
"""
CALLS_FOR_A_CODE = 8
TRIES = 5
UNDERSTOOD = ("9714", "3974", "8765", "2396", "8605", "1023", "4259", "9135")
"""Codes that the reader makes out; it mishears 1 in 14 by the voice alone (repeats a digit, drops one)."""
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def said(text: str) -> Sound:
    return Sound(pcm16(voice(text, "slt")), 16_000)


def understood_code(digits: int, any_code: Callable[[int], str] = codes.earned_code) -> str:
    """A code that the reader makes out; where these are taken, or more digits are asked for, any one."""
    return random.choice(UNDERSTOOD) if digits == len(UNDERSTOOD[0]) else any_code(digits)


class Awaiting(NamedTuple):
    """A visit that waits for a call, and the number that leads to it."""

    visit_id: str
    pin: str


@dataclass
class Laboratory:
    """A study with a telephone, served."""

    pages: Running
    switchboard: Switchboard
    log: Log
    folder: Path

    def open_visit(self) -> Awaiting:
        """A participant who has come to the page with the number to call."""

        async def opened() -> Awaiting:
            engine = self.switchboard._engine
            visit_id = (await engine.open_visit(language="en")).visit_id
            await engine.give_consent(visit_id, 0, agreed=True, document="d")
            await engine.read_page(visit_id, 1)
            dialogue = (await engine.state(visit_id)).dialogue
            assert dialogue is not None and dialogue.pin is not None
            return Awaiting(visit_id, dialogue.pin)

        return self.pages.call(opened())

    def events_of(self, visit_id: str, kind: str) -> list[Any]:
        """What happened in one visit, of one kind."""
        return [one.event for one in self.log.events(visit_id) if one.event.kind == kind]

    def events(self, kind: str) -> list[StoredEvent]:
        """What happened in all visits, of one kind."""
        return [
            one
            for visit in self.log.visits("calls")
            for one in self.log.events(visit.visit_id)
            if one.event.kind == kind
        ]

    def told(self) -> list[str]:
        """The story so far, for whoever has to find out what went wrong."""
        stored = [one for visit in self.log.visits("calls") for one in self.log.events(visit.visit_id)]
        return [f"{one.event.kind} {getattr(one.event, 'text', '')}".strip() for one in stored]

    def system_turns(self) -> int:
        return len(self.events("system_turn_received"))

    @property
    def legs(self) -> list[PhoneLeg]:
        """The calls that there are now."""
        asterisk = self.switchboard.asterisk
        return [*self.switchboard.answerer._calls.values(), *(asterisk.legs if asterisk else ())]

    def quiet(self) -> bool:
        """Whether nothing is being said to any caller."""
        return bool(self.legs) and not any(leg.playing for leg in self.legs)


@contextmanager
def laboratory(
    folder: Path, number: str, way_in: str, edit: Callable[[str], str] = str
) -> Iterator[Laboratory]:
    """A study of one task, both of its systems one bot; `way_in` says where the calls come from."""
    write_study(folder, "cambridge-2011", name="calls")
    (folder / "callers.txt").write_text(SENTENCES)
    (folder / "tasks.yaml").write_text(TASK)
    file = folder / "study.yaml"
    with restaurant_bot("--domain", str(folder / "restaurants.yaml")) as bot:
        text = file.read_text().replace(":9101/", f":{bot}/").replace(":9102/", f":{bot}/")
        text = text.replace("repeat: 3..40", "repeat: 1..2").replace("generate: 200", "generate: 20")
        text = re.sub(r"(?m)^tasks:\n(?:  .*\n)+", "tasks: tasks.yaml\n", text)
        assert "gate: code" in text and "tasks: tasks.yaml" in text
        text = text.replace("gate: code", "gate: code, channel: phone") + (
            f'telephone:\n  number: "{number}"\n  {way_in}\n'
            "  recogniser: {use: pocketsphinx, sentences: callers.txt}\n"
            "  synthesiser: {use: flite, voice: rms}\n"
            "  silence_s: 60\n"
        )
        file.write_text(edit(text))
        with served(folder) as lab:
            yield lab


@contextmanager
def served(folder: Path) -> Iterator[Laboratory]:
    """A study by telephone as it stands in a folder, served."""
    study = load_study(folder)
    assert study.telephone is not None
    connectors = {name: make_connector(raw, {}) for name, raw in study.systems.items()}
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, connectors)
        switchboard = Switchboard(engine, study.telephone)
        drawn = patch("vivavoce.trial.codes.earned_code", understood_code)
        with drawn, running(create_app(engine, lines={"phone": switchboard})) as pages:
            yield Laboratory(pages, switchboard, log, folder)


def code_reader(folder: Path) -> Recogniser:
    """Who hears nothing but a code being spoken."""
    (folder / "code.jsgf").write_text(
        "#JSGF V1.0;\ngrammar code;\npublic <code> = your code is <d> <d> <d> <d>;\n"
        f"<d> = {' | '.join(DIGITS)};\n"
    )
    return make_recogniser({"use": "pocketsphinx", "grammar": "code.jsgf"}, folder=folder)


def page_of_a_visit(browser: Browser, lab: Laboratory, **more: object) -> Page:
    """A participant who has come to the page with the number to call."""
    page = browser.new_context(locale="en-GB", **more).new_page()  # type: ignore[arg-type]
    page.goto(lab.pages.url)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#number")).to_be_visible()
    return page


def complete_the_visit(browser: Browser, lab: Laboratory, telephone: Baresip, reader: Recogniser) -> None:
    """A participant calls, completes the task, hears the code, types it and is asked about that very call."""
    page = page_of_a_visit(browser, lab)
    assert barriers(page) == []
    number = page.locator("#number").inner_text()
    assert lab.system_turns() == 0, "the system spoke before anybody called"
    telephone.dial(number)
    talk(lab, telephone, WISH, ANY, QUESTION, FAREWELL)
    telephone.wait_until_hung_up()
    eventually(lambda: lab.events("call_ended"), "the call was not ended")
    type_what_was_heard(page, lab, reader, telephone, number)
    (issued,) = [one.event for one in lab.events("code_issued")]
    assert isinstance(issued, log_events.CodeIssued)
    for question in page.locator("fieldset").all():
        question.locator("label").nth(1).click()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()

    (answered,) = [one.event for one in lab.events("questionnaire_answered")]
    assert answered.dialogue_id == issued.dialogue_id  # type: ignore[attr-defined]
    turns = [one.event for one in lab.events("user_turn_sent")]
    check_what_was_heard(turns, [WISH, ANY, QUESTION, FAREWELL])
    assert all(len(turn.heard) >= 1 and turn.heard[0].score for turn in turns)  # type: ignore[attr-defined]
    check_the_task(lab)
    check_the_recording(lab, issued.dialogue_id)


def talk(lab: Laboratory, telephone: Baresip, *utterances: str) -> None:
    """Say one thing after the other, each when the system has spoken; repeat what was not understood."""
    for text in utterances:
        for _ in range(TRIES):
            if not wait_for_silence(lab):
                return
            turns = len(lab.events("user_turn_sent"))
            missed = len(lab.events("speech_missed"))
            telephone.say(said(text))
            eventually(
                lambda turns=turns, missed=missed: (
                    len(lab.events("user_turn_sent")) > turns
                    or len(lab.events("speech_missed")) > missed
                    or lab.events("dialogue_ended")
                ),
                "nobody listens",
            )
            heard = [str(one.event.text) for one in lab.events("user_turn_sent")[turns:]]  # type: ignore[attr-defined]
            if any(share_of(text, one) > 0.9 for one in heard):
                break
        else:
            raise AssertionError(f"{text!r} was never understood; last heard: {heard}")


def wait_for_silence(lab: Laboratory) -> bool:
    """Until the system has answered and said nothing for a second: answers are logged, then spoken.

    Output  whether the dialogue goes on
    """
    quiet_since = None
    until = time.monotonic() + PATIENCE_S
    while quiet_since is None or time.monotonic() - quiet_since < 1:
        if lab.events("dialogue_ended"):
            return False
        answered = lab.system_turns() > len(lab.events("user_turn_sent"))
        if not (answered and lab.quiet()):
            quiet_since = None
        elif quiet_since is None:
            quiet_since = time.monotonic()
        assert time.monotonic() < until, f"the system is silent, or does not stop: {lab.told()}"
        time.sleep(0.05)
    return True


def share_of(spoken: str, heard: str) -> float:
    """The share of the words spoken that was heard."""
    wanted = set(spoken.lower().split())
    return len(wanted & set(heard.split())) / len(wanted)


def read_code(lab: Laboratory, reader: Recogniser, heard: Sound) -> set[str]:
    """Every code that a recogniser makes out in what the caller heard."""
    found: set[str] = set()
    for interval in speech_intervals(heard, pause_s=0.8)[-4:]:
        first, last = (round(at * heard.rate_hz) for at in (interval.onset_s - 0.1, interval.offset_s + 0.2))
        part = Sound(heard.samples[max(0, first) : last], heard.rate_hz)
        words = " ".join(one.text for one in lab.pages.call(reader.recognise(part, language="en"))[:1])
        if spelt := re.fullmatch(r"your code is (\w+) (\w+) (\w+) (\w+)", words):
            found.add("".join(str(DIGITS.index(word)) for word in spelt.groups()))
    return found


def welcomed(leg: PhoneLeg) -> bool:
    """Whether the caller has heard anything yet."""
    return bool(leg.recording().channel(0).samples.any())


def three_callers(lab: Laboratory, folder: Path, address: str) -> None:
    """Three dial one number at once: two key in the numbers of their visits, the third is turned away."""
    with ExitStack() as stack:
        one, two, nobody = (stack.enter_context(baresip(folder / caller, caller)) for caller in "123")
        first, second = lab.open_visit(), lab.open_visit()
        for telephone in (one, two, nobody):
            telephone.dial(address)
        eventually(lambda: len(lab.legs) == 3 and all(map(welcomed, lab.legs)), "not welcomed")
        for telephone, keys in ((one, first.pin), (two, second.pin), (nobody, "0000#1*1#2222")):
            telephone.press(f"{keys}#")
        for visit in (first, second):
            eventually(
                lambda visit=visit: lab.events_of(visit.visit_id, "system_turn_received"), "not greeted"
            )
        nobody.wait_until_hung_up()
        one.hang_up()
        eventually(lambda: lab.events_of(first.visit_id, "call_ended"), "the call goes on")
        assert not lab.events_of(second.visit_id, "call_ended"), "the other call was ended as well"
        two.hang_up()
        eventually(lambda: lab.events_of(second.visit_id, "call_ended"), "the call goes on")
    for visit in (first, second):
        (connected,), (ended,) = (
            lab.events_of(visit.visit_id, kind) for kind in ("call_connected", "call_ended")
        )
        assert (connected.joined_by, ended.by, ended.keys) == ("pin", "caller", f"{visit.pin}#")
    reasons = [getattr(one.event, "reason", "") for one in lab.log.trial_events()]
    assert reasons.count("no_visit") == 1


def type_what_was_heard(
    page: Page, lab: Laboratory, reader: Recogniser, telephone: Baresip, number: str
) -> None:
    """Type the code as it was understood; who is told that it is wrong calls again, as people do."""
    for _ in range(CALLS_FOR_A_CODE):
        for code in read_code(lab, reader, telephone.heard()):
            page.locator("#code").fill(code)
            page.get_by_role("button", name="Continue").click()
            page.wait_for_load_state()
            if page.locator("#code").count() == 0:
                return
        calls = len(lab.events("call_ended"))
        telephone.dial(number)
        telephone.wait_until_hung_up()
        eventually(lambda calls=calls: len(lab.events("call_ended")) > calls, "the call was not ended")
    raise AssertionError("the code was not understood in any call")


def check_the_task(lab: Laboratory) -> None:
    """A venue of the assigned task was offered, and its telephone number told."""
    study = lab.switchboard._engine.study
    assert study.ontology is not None
    answers = " ".join(one.event.text for one in lab.events("system_turn_received"))  # type: ignore[attr-defined]
    fitting = [venue for venue in study.ontology.venues if venue.venue_id in study.tasks[0].venues]
    digits = re.sub(r"\D", "", answers)
    told = [
        venue.name
        for venue in fitting
        if venue.name in answers and re.sub(r"\D", "", venue.slots["phone"]) in digits
    ]
    assert told, f"no venue of the task with its number: {answers}"


def check_what_was_heard(turns: list[log_events.Event], spoken: list[str]) -> None:
    """Most of the words, in the order in which they were said: a busy machine loses packets and words."""
    texts = [str(turn.text) for turn in turns]  # type: ignore[attr-defined]
    assert len(texts) >= len(spoken), texts
    words, heard = " ".join(spoken).lower().split(), " ".join(texts).split()
    found = SequenceMatcher(None, words, heard, autojunk=False).get_matching_blocks()
    assert sum(block.size for block in found) >= 0.8 * len(words), texts


def check_the_recording(lab: Laboratory, dialogue_id: str) -> None:
    """One file, a party a channel, as long as the call, with speech of both."""
    (recording,) = lab.log.recordings()
    ended = lab.events("call_ended")[0].event
    assert recording.dialogue_id == dialogue_id
    tracks = read_tracks(folder_of(lab.log).file(recording.file))
    assert tracks.channels == 2
    assert abs(tracks.duration_s - ended.duration_s) < 0.5  # type: ignore[attr-defined]
    assert all(np.abs(tracks.channel(party).samples).max() > 2000 for party in (0, 1))
