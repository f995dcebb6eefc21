"""One suite for every step that presents stimuli, ours and a stranger's: what people meet, and what is kept.

A new one of ours adds to EXAMPLES how a study has it and how its page is answered, or this suite fails.
"""

import asyncio
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import expect

from scenes.browser import barriers, chromium, overflow, until
from scenes.browsing import Forms, Visitor, events_of
from scenes.eliciting import commanding_study, wav
from scenes.listening import listening_study
from scenes.strangers import HERE, install, known
from scenes.transcribing import transcribing_study
from scenes.websites import running
from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.progress import progress
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.simulation.trial import run_trial
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study
from vivavoce.study.step_kind import STEPS, kind_of
from vivavoce.testing.stimulus_step import StimulusStepContract
from vivavoce.trial.engine import SessionEngine

MakeOnce = Callable[[str, Callable[[Path], object]], Path]


class Example(NamedTuple):
    """How a study has the step, and how its page is answered.

    gap      an answer that cannot be taken, and what the page says of it
    kept     what of it is still on the page
    italian  a sentence of the page
    """

    write: Callable[[Path], object]
    visit: str
    answer: dict[str, str]
    gap: dict[str, str]
    told: str
    kept: str
    italian: str


EXAMPLES = {
    "compare": Example(
        lambda folder: write_study(folder, "guerini-2018", name="city"),
        "compare: {pairs: pairs.yaml}",
        dict.fromkeys(("item-ease", "item-utility", "item-satisfaction", "item-interaction"), "left"),
        {"item-ease": "right"},
        "3 questions are still open",
        'name="item-ease" value="right" required checked',
        "Per favore leggi tutte e due le versioni fino in fondo.",
    ),
    "elicit": Example(
        commanding_study,
        "elicit: {stimuli: stimuli.yaml, by: text}",
        {"text": "boil the water"},
        {"text": "la " * 1000},
        "This is too long. Please make it shorter.",
        "la la la",
        "Che cosa deve fare il robot?",
    ),
    "listen": Example(
        listening_study,
        "listen: {clips: clips.csv, audio: clips, hearing: none}",
        {"value": "4", "plays": "1"},
        {"plays": "2"},
        "Please choose an answer.",
        'name="plays" value="2"',
        "Nel complesso, quanto suona bene questo brano?",
    ),
    "pitch": Example(
        lambda folder: folder.mkdir(),
        "pitch: {each: 5, check: false}",
        {"higher": "second", "plays": "2"},
        {"plays": "3"},
        "Please choose a tone.",
        'name="plays" value="3"',
        "Quale tono è più alto?",
    ),
    "rate": Example(
        lambda folder: write_study(folder, "guerini-2018", name="city"),
        "rate: {pairs: pairs.yaml}",
        dict.fromkeys(("item-ease", "item-utility", "item-satisfaction", "item-interaction"), "4"),
        {"item-ease": "2"},
        "3 questions are still open",
        'name="item-ease" value="2" checked',
        "Leggi questa conversazione fino in fondo.",
    ),
    "recite": Example(
        lambda folder: folder.mkdir(),
        "recite: {sentences: [Swim., Sing., Fly.], aloud: false}",
        {"text": "Seven swans swim."},
        {"text": " "},
        "Please write something first.",
        'value=" "',
        "Per favore leggi ad alta voce",
    ),
    "transcribe": Example(
        transcribing_study,
        "transcribe: {items: items.csv, audio: audio, per_participant: 5, accuracy: 0}",
        {"text": "a cheap place"},
        {"text": "la " * 1000},
        "This is too long. Please make it shorter.",
        "la la la",
        "Scrivi ogni parola come è stata detta",
    ),
    "triage": Example(
        lambda folder: shutil.copytree(HERE / "study", folder),
        "triage: {enquiries: enquiries.txt, desks: [loans, reading room], each: 4}",
        {"desk": "loans", "sure": "on"},
        {"sure": "on"},
        "Please choose a desk.",
        'name="sure" checked',
        "Quale sportello dovrebbe rispondere a questa richiesta?",
    ),
}

OURS = sorted(name for name in STEPS.names() if name in EXAMPLES)
SHORT = ("listen", "triage")  # one of ours and a stranger's; `make test-long` tries all
KILLED = "test_what_was_acknowledged_is_there_after_a_kill"
TESTS = [
    pytest.param(name, marks=pytest.mark.long if name == KILLED else ())
    for name in dir(StimulusStepContract)
    if name.startswith("test_")
]


@pytest.fixture(scope="module")
def strangers(make_once: MakeOnce) -> Iterator[None]:
    with known(make_once("strangers", install)):
        yield


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def log(tmp_path: Path, clock: ManualClock) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock) as log:
        yield log


def some(names: Iterable[str]) -> list[Any]:
    """All names, of which most are tried at length only."""
    return [pytest.param(one, marks=() if one in SHORT else pytest.mark.long) for one in names]


@pytest.fixture(params=some(sorted(EXAMPLES)))
def example(request: pytest.FixtureRequest, strangers: None) -> Example:
    return EXAMPLES[request.param]


@pytest.fixture
def study(example: Example, tmp_path: Path) -> Study:
    return written(example, tmp_path / "study")


def written(example: Example, folder: Path) -> Study:
    example.write(folder)
    text = f"study: city\nlanguages: [en, it]\nvisit:\n  - {example.visit}\n"
    (folder / "study.yaml").write_text(text, "utf-8")
    return load_study(folder)


@contextmanager
def visitors(study: Study, log: Log) -> Iterator[Callable[[], Visitor]]:
    made: list[Visitor] = []
    with running(create_app(SessionEngine(study, log, {}, clock=log.clock))) as server:

        def visitor() -> Visitor:
            made.append(Visitor(server))
            return made[-1]

        yield visitor
        for one in made:
            one.client.close()


def begun(visitor: Visitor, language: str = "en") -> Visitor:
    visitor.look(f"/?lang={language}")
    visitor.press("/start")
    return visitor


def planned(study: Study, log: Log) -> list[dict[str, object]]:
    (plan,) = [one.event for one in events_of(log, "stimuli_planned")]
    return plan.stimuli


def answer(visitor: Visitor, example: Example) -> None:
    """Answer what is due, after as long as one needs to read it."""
    visitor.engine.clock.advance(3)
    visitor.press("/respond", **example.answer)


def test_every_step_that_presents_stimuli_has_an_example(strangers: None) -> None:
    assert {name for name in STEPS.names() if isinstance(STEPS.get(name), StimulusStep)} == set(EXAMPLES)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("name", some(OURS))
def test_a_step_of_ours_keeps_the_contract_to_which_packages_are_held(name: str, test: str) -> None:
    contract, example = StimulusStepContract(), EXAMPLES[name]
    contract.name, contract.languages = name, ("en", "it")
    contract.answer, contract.gap = example.answer, example.gap
    contract.write = lambda folder: written(example, folder)
    getattr(contract, test)()


def test_an_answer_that_cannot_be_taken_comes_back_as_it_was_entered(
    study: Study, example: Example, log: Log
) -> None:
    with visitors(study, log) as visitor:
        person = begun(visitor())
        person.press("/respond", **example.gap)
        assert example.told in person.html and example.kept in person.html
        assert example.kept in person.look()
        assert events_of(log, "response_given") == []
        answer(person, example)
        assert "2 of" in person.html and example.kept not in person.html


@pytest.mark.parametrize(
    ("name", "told", "kept"),
    [
        ("triage", "Please read the enquiry first.", 'value="loans" checked'),
        ("listen", "Please listen to the end before you answer.", 'value="4" required checked'),
    ],
)
def test_an_answer_that_comes_too_early_is_kept_and_not_stored(
    strangers: None, log: Log, tmp_path: Path, name: str, told: str, kept: str
) -> None:
    example = EXAMPLES[name]
    with visitors(written(example, tmp_path / "study"), log) as visitor:
        person = begun(visitor())
        person.press("/respond", **example.answer)
        assert told in person.html and kept in person.html
        assert events_of(log, "response_given") == []
        answer(person, example)
        (given,) = events_of(log, "response_given")
        assert given.event.response_s == 3


CHECKED = EXAMPLES["listen"]._replace(visit="listen: {clips: clips.csv, audio: clips}")


def tones(log: Log) -> list[int]:
    (plan,) = [one.event for one in events_of(log, "stimuli_planned")]
    return [one["tones"] for one in plan.tries]


def test_a_check_before_the_stimuli_goes_on_wherever_it_was_and_says_who_passed_it(
    log: Log, tmp_path: Path
) -> None:
    study = written(CHECKED, tmp_path / "study")
    with visitors(study, log) as visitor:
        person = begun(visitor())
        wrong, right, _ = tones(log)
        assert "Can you hear well?" in person.html and "Clip 1" not in person.html
        person.press("/respond")
        assert "Please choose a number." in person.html and events_of(log, "qualification_tried") == []
        late = Forms(person.html).forms["/respond"] | {"counted": str(wrong + 1)}
        person.press("/respond", counted=str(wrong + 1))
        assert "try 2 of 3" in person.html and "try 2 of 3" in person.client.post("/respond", data=late).text
        person.press("/language", language="it")
        assert "tentativo 2 di 3" in person.html
        cookies, page = dict(person.client.cookies), person.look()
    with visitors(study, log) as visitor:
        later = visitor()
        later.client.cookies.update(cookies)
        assert later.look() == page
        later.press("/respond", counted=str(right))
        assert "Brano 1 di 6" in later.html
        answer(later, CHECKED)
    assert [one.event.passed for one in events_of(log, "qualification_tried")] == [False, True]
    (row,) = export_dataset(log, "city", tmp_path / "data").read("listening").to_pylist()
    assert (row["hearing"], row["trial_number"], row["response_s"]) == (True, 1, 3)


def test_whoever_fails_every_try_of_the_check_goes_on_and_is_told_apart(log: Log, tmp_path: Path) -> None:
    with visitors(written(CHECKED, tmp_path / "study"), log) as visitor:
        person = begun(visitor())
        for count in tones(log):
            person.press("/respond", counted=str(count + 1))
        answer(person, CHECKED)
    (row,) = export_dataset(log, "city", tmp_path / "data").read("listening").to_pylist()
    assert row["hearing"] is False


def test_sounds_come_with_their_type_and_only_while_they_are_due(log: Log, tmp_path: Path) -> None:
    with visitors(written(CHECKED, tmp_path / "study"), log) as visitor:
        person = begun(visitor())
        found: list[str] = []
        for _ in range(2):
            found += re.findall(r'src="(/presented/[0-9a-f]+)"', person.html)
            sound = person.client.get(found[-1])
            assert (sound.headers["content-type"], sound.content[:4]) == ("audio/wav", b"RIFF")
            person.press("/respond", counted=str(tones(log)[0]))
        assert len(set(found)) == 2 and person.client.get(found[0]).status_code == 404


def test_a_stranger_may_check_first_play_sounds_and_end_early(
    strangers: None, log: Log, tmp_path: Path
) -> None:
    example = EXAMPLES["pitch"]._replace(visit="pitch: {each: 5}")
    with visitors(written(example, tmp_path / "study"), log) as visitor:
        person = begun(visitor())
        (plan,) = events_of(log, "stimuli_planned")
        for one in plan.event.tries:
            assert "How many beeps do you hear?" in person.html
            person.press("/respond", count=str(2 + one["count"] % 3))
        for number in range(1, 4):
            assert "Which tone is higher?" in person.html and f"{number} of 5" in person.html
            sound = re.search(r'src="(/presented/[0-9a-f]+)"', person.html)
            assert sound is not None and person.client.get(sound[1]).content[:4] == b"RIFF"
            person.press("/respond", higher="first")
            assert "Please listen to the end before you answer." in person.html
            log.clock.advance(3)  # type: ignore[attr-defined]
            person.press("/respond", higher="first", plays="2")
        assert "Thank you" in person.html
    (finished,) = events_of(log, "step_finished")
    assert finished.event.flags == ["tone_deaf"]
    rows = export_dataset(log, "city", tmp_path / "data").read("pitches").to_pylist()
    assert [(row["hears"], row["plays"]) for row in rows] == [(False, 2)] * 3


def test_a_stranger_may_record_responses_and_let_them_be_given_anew(
    strangers: None, log: Log, tmp_path: Path
) -> None:
    example = EXAMPLES["recite"]._replace(visit="recite: {sentences: [Seven swans swim., They sing.]}")
    with visitors(written(example, tmp_path / "study"), log) as visitor:
        person = begun(visitor())
        sent = {"step": 0, "position": 0, "key": "first-key"}
        for key, seconds in (("first-key", 0.5), ("first-key", 0.5), ("other-key", 0.75)):
            sent |= {"key": key}
            answered = person.client.post("/respond/recording", params=sent, content=wav(seconds))
            assert answered.status_code == 200
        assert "Read the last one again" in person.look() and "2 of 2" in person.html
        person.press("/respond", text="They sing.")
        assert "Thank you" in person.html
    data = export_dataset(log, "city", tmp_path / "data", audio=True)
    rows = data.read("recitals").to_pylist()
    assert [(row["duration_s"], row["typed"]) for row in rows] == [(0.75, None), (None, "They sing.")]
    assert (data.folder / rows[0]["recording"]).read_bytes() == wav(0.75)
    assert [one["content"] for one in data.read("recordings").to_pylist()] == ["response", "response"]


def test_forms_that_were_open_at_an_update_still_count(log: Log, tmp_path: Path) -> None:
    with visitors(written(CHECKED, tmp_path / "study"), log) as visitor:
        person = begun(visitor())
        counted = {"step": "0", "attempt": "0", "counted": str(tones(log)[0])}
        assert "Clip 1 of 6" in person.client.post("/hearing", data=counted).text
        log.clock.advance(3)  # type: ignore[attr-defined]
        judged = {"step": "0", "position": "0", "plays": "1", "value": "5"}
        assert "Clip 2 of 6" in person.client.post("/judged", data=judged).text
    (given,) = events_of(log, "response_given")
    assert given.event.response == {"value": 5, "choice": None, "plays": 1}


def test_a_transcript_from_a_page_that_was_open_at_an_update_still_counts(log: Log, tmp_path: Path) -> None:
    with visitors(written(EXAMPLES["transcribe"], tmp_path / "study"), log) as visitor:
        person = begun(visitor())
        sent = {"step": "0", "position": "0", "text": "", "unclear": "1"}
        assert "Recording 2 of 5" in person.client.post("/transcript", data=sent).text
    (given,) = events_of(log, "response_given")
    assert given.event.response["text"] is None


def test_a_page_can_be_read_in_the_other_language_and_keeps_its_place(
    study: Study, example: Example, log: Log
) -> None:
    with visitors(study, log) as visitor:
        person = begun(visitor())
        english = person.html
        person.press("/language", language="it")
        assert example.italian in person.html and example.italian not in english
        answer(person, example)
        assert "2 di" in person.html
        (given,) = events_of(log, "response_given")
        assert given.event.language == "it"


def test_nobody_reads_the_stimuli_of_another(study: Study, log: Log) -> None:
    with visitors(study, log) as visitor:
        begun(visitor())
        stranger = visitor()
        for path in ("/presented/" + "0" * 32, f"/step/{study.visit[0].kind}/page.js"):
            assert stranger.client.get(path, follow_redirects=False).status_code != 200


def test_the_dashboard_reads_answers_to_a_step_that_the_study_has_no_more(
    study: Study, example: Example, log: Log, tmp_path: Path
) -> None:
    with visitors(study, log) as visitor:
        person = begun(visitor())
        answer(person, example)
        answer(person, example)
    other = EXAMPLES["compare" if study.visit[0].kind == "rate" else "rate"]
    seen = Board(written(other, tmp_path / "changed"), log).see(progress)
    assert {work.noun for work in seen.work if work.pieces} == {kind_of(study.visit[0]).counted}


def test_programs_draw_plans_of_their_own(study: Study, log: Log, tmp_path: Path) -> None:
    async def run() -> None:
        engine = SessionEngine(study, log, {}, clock=log.clock)
        await engine.start()
        try:
            await run_trial(engine, 3, seed=1)
            await engine.open_visit(language="en")
        finally:
            await engine.stop()

    asyncio.run(run())
    plans = [one.event for one in events_of(log, "stimuli_planned")]
    assert [one.slot for one in plans] == [0, 1, 2, 0] and plans[-1].stimuli
    assert {one.outcome for one in log.visits("city") if one.simulated} == {"completed"}
    kind = kind_of(study.visit[0])
    assert isinstance(kind, StimulusStep)
    dataset = export_dataset(log, "city", tmp_path / "data")
    if kind.table is not None:
        rows = dataset.read(kind.table.name).to_pylist()
        assert rows and all(row["simulated"] for row in rows)


@pytest.mark.long  # each of ours has a journey of its own besides
@pytest.mark.browser
def test_the_page_is_for_everybody_and_keeps_what_was_entered_over_a_reload(
    study: Study, example: Example, log: Log
) -> None:
    with chromium() as browser, running(create_app(SessionEngine(study, log, {}, clock=log.clock))) as server:
        page = browser.new_context(viewport={"width": 320, "height": 700}, locale="en-GB").new_page()
        page.goto(server.url)
        page.get_by_role("button", name="Start").click()
        assert (overflow(page), barriers(page)) == (0, [])
        for number in range(page.locator("audio").count()):
            page.evaluate(f"document.querySelectorAll('audio')[{number}].play()")
            until(page, f"document.querySelectorAll('audio')[{number}].ended")
        name, value = next(iter(example.answer.items()))
        if (field := page.locator(f'textarea[name="{name}"], input[name="{name}"]:not([type])')).count():
            field.fill(value)
            page.reload()
            expect(field).to_have_value(value)
        else:
            choice = page.locator(f'[name="{name}"][value="{value}"]')
            expect(choice).to_be_enabled()
            choice.check(force=True)
            page.reload()
            expect(choice).to_be_checked()
        page.get_by_role("button", name="Continue").click()
        assert (overflow(page), barriers(page)) == (0, [])
