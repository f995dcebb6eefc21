"""The report on one system of a campaign: figures from raw answers and verdicts, parts as IDIAL had them."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import vivavoce_campaign
from scenes.campaigns import campaign_dataset, stress_row, transcript
from unit.report.test_pdf import text_of
from vivavoce.core.errors import InputError
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.questionnaires.instrument import INSTRUMENTS, load_wording
from vivavoce.reports.blocks import Document, Heading, TableOfText
from vivavoce.reports.drawing import Figure
from vivavoce.reports.html import page, save
from vivavoce.reports.language import MISSING, say, speaking
from vivavoce.reports.pdf import pdf
from vivavoce_campaign.document.campaign import TITLES, compose_campaign
from vivavoce_campaign.document.evaluation import Evaluation, evaluate, figures
from vivavoce_stress import blocks, failures
from vivavoce_stress.base import NOT_PROPOSED, NOT_REVIEWED, REJECTED

ITEMS = [f"q{number}" for number in range(1, 11)]

# Ten users. Items 3, 7 and 10 as answered, item 4 mirrored (4 - code), give 81 over 40: 2.025, printed 2.03.
EFFECTIVE = [
    (3, 2, 2, 1),
    (2, 2, 2, 2),
    (3, 1, 2, 2),
    (2, 2, 2, 2),
    (2, 2, 3, 2),
    (2, 2, 2, 2),
    (1, 2, 2, 3),
    (2, 2, 2, 2),
    (2, 3, 1, 2),
    (2, 2, 2, 2),
]
ANSWERS = [
    {**dict.fromkeys(ITEMS, 3), "q1": 4, "q2": 2, "q3": three, "q4": 4 - four, "q7": seven, "q10": ten}
    for three, four, seven, ten in EFFECTIVE
]
# Groups: 7 of 11, 4 of 7 and 5 of 9 passed; their mean is .5878, and 16 of 27 are .5926.
VERDICTS = {
    1: "ppf",
    2: "ppf",
    3: "ppf",
    4: "pf",
    5: "ppf",
    6: "pf",
    7: "pf",
    8: "ppf",
    9: "pf",
    10: "pc",
    11: "pf",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    return evaluate(campaign_dataset(tmp_path_factory.mktemp("d"), ANSWERS, VERDICTS))


def text(document: Document) -> str:
    """Every word of the document; figures are not drawn for it."""
    return "\n".join(_words((document.lead, document.answer, document.before, document.sections)))


def _words(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Figure):
        yield from (part.alternative, part.caption)
    elif is_dataclass(part):
        yield from _words([getattr(part, one.name) for one in fields(part)])
    elif isinstance(part, tuple | list):
        for one in part:
            yield from _words(one)


def table(document: Document, name: str) -> TableOfText:
    return next(one for one in document.blocks(TableOfText) if one.name == name)


def test_effectiveness_comes_from_raw_answers_and_is_rounded_half_up_as_in_the_paper(
    found: Evaluation,
) -> None:
    assert sum(sum(user) for user in EFFECTIVE) == 81
    assert [one.mean for one in found.aspects] == [3.0, pytest.approx(81 / 40), 3.0]
    assert "mean 2.03 of 4" in text(compose_campaign(found))
    assert "media 2,03 su 4" in text(compose_campaign(found, words="it"))


def test_stress_tests_are_given_both_ways_and_stand_under_effectiveness_alone(found: Evaluation) -> None:
    stress = figures(found).stress
    assert (stress.passed, stress.applied) == (16, 27)
    assert stress.mean_of_groups == pytest.approx((7 / 11 + 4 / 7 + 5 / 9) / 3)
    summary = compose_campaign(found).sections[0]
    headings = [block.text for block in summary.blocks if block.kind == "heading"]
    assert headings == ["Task completion", "Effectiveness of the dialogue", "User satisfaction"]
    lines = [block.items for block in summary.blocks if block.kind == "bullets"]
    assert [len(one) for one in lines] == [1, 3, 1]
    assert "16 of 27 passed, 59.3% (95% CI 40.7% to 75.5%)" in lines[1][1]
    groups = re.findall(r"(\w+) ([\d.]+%) \((\d+) cases; [\d.]+% to [\d.]+%\)", lines[1][2])
    assert groups == [("spelling", "63.6%", "11"), ("words", "57.1%", "7"), ("syntax", "55.6%", "9")]
    assert lines[1][2].endswith("Unweighted mean of groups: 58.8%.")


def test_the_other_reading_and_item_four_as_it_stands_change_the_figure(tmp_path: Path) -> None:
    defined = campaign_dataset(
        tmp_path / "a", ANSWERS, {}, settings={"questionnaire": {"mapping": "definition"}}
    )
    effect = sum(three + four + 6 for three, four, _, _ in EFFECTIVE) / 40
    assert evaluate(defined).aspects[1].mean == pytest.approx(effect)
    plain = campaign_dataset(
        tmp_path / "b", ANSWERS, {}, settings={"questionnaire": {"reverse_item_4": False}}
    )
    naive = sum(three + (4 - four) + seven + ten for three, four, seven, ten in EFFECTIVE) / 40
    assert evaluate(plain).aspects[1].mean == pytest.approx(naive)
    assert "not reverse-scored" in text(compose_campaign(evaluate(plain)))


def test_the_figures_of_the_paper_have_their_counterparts(found: Evaluation) -> None:
    drawn = [one.name for one in compose_campaign(found).blocks(Figure)]
    assert drawn == ["campaign-aspects", "likert-1", "likert-2", "likert-3", "campaign-stress"]


def test_each_failure_is_told_in_words_with_both_transcripts(found: Evaluation) -> None:
    document = compose_campaign(found)
    tables = [one for one in document.blocks(TableOfText) if re.fullmatch(r"stress_\d+", one.name)]
    assert len(tables) == 27 - 16
    assert [cell.main for cell in tables[0].rows[0].cells] == ["due mele", "due meel"]
    told = text(document)
    headings = [one.text for one in document.blocks(Heading)]
    assert "1. Confused words" in headings
    served = r"“due mele( \d+)?” became “due meel\1”\. The system did not serve the user as before\."
    assert re.search(served, told)
    assert "only after a clarification or a repetition" in told


def test_expected_and_actual_time_and_intents_that_nobody_tried(found: Evaluation) -> None:
    document = compose_campaign(found)
    meal, day = table(document, "campaign_time").rows
    assert [cell.main for cell in meal.cells] == ["30", "–", "2:00", "2:00", "3:00", "66.7%"]
    assert [cell.main for cell in day.cells] == ["0", "–", "5:00", "–", "–", "–"]
    told = text(document)
    assert "Intents tested: 1 of 2 declared." in told and "Untested intents: count a day." in told


def test_users_and_how_long_each_part_took(found: Evaluation) -> None:
    rows = table(compose_campaign(found), "campaign_durations").rows
    assert [(row.heading, row.cells[0].main) for row in rows] == [
        ("Briefing", "5:00"),
        ("Tasks", "5:00"),
        ("Feedback and questionnaire", "5:00"),
        ("Whole visit", "15:00"),
    ]


def test_a_report_of_programs_says_so_and_one_of_too_few_users_too(tmp_path: Path) -> None:
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS[:4], VERDICTS, simulated=True)))
    assert document.mark == "SIMULATED"
    assert any("Users were simulated." in one for one in document.before)
    assert not any("planned users" in one for one in document.before)  # nobody ran away
    people = compose_campaign(evaluate(campaign_dataset(tmp_path / "p", ANSWERS[:4], VERDICTS)))
    assert "4 of 10 planned users finished." in people.before


def test_words_of_teams_are_never_markup_and_the_address_of_the_system_stays_out(found: Evaluation) -> None:
    document = compose_campaign(found)
    written = page(document)
    assert "Team &amp; &lt;Co&gt;" in written and "<Co>" not in written
    assert "bot.example" not in written
    # small screens have the columns of a table below each other; seven of them scroll, with a shadow
    assert '<table class="numbers stacks" id="table-campaign_quality">' in written
    assert '<td data-head="95% CI">' in written
    assert '<table class="numbers" id="table-campaign_time">' in written


def test_systems_of_the_same_domain_stand_side_by_side_unranked(tmp_path: Path, found: Evaluation) -> None:
    better = campaign_dataset(
        tmp_path / "b", [dict.fromkeys(ITEMS, 4)] * 10, VERDICTS, submission="zeta", title="Zeta"
    )
    document = compose_campaign(evaluate(better), beside=[found])
    beside = table(document, "campaign_beside")
    assert [cell.main for cell in beside.columns] == ["Aspect", "Counter", "Zeta"]
    alone = compose_campaign(found)
    assert "beside" not in [one.name for one in alone.sections]


def test_without_answers_and_tests_the_report_says_what_is_missing(tmp_path: Path) -> None:
    told = text(compose_campaign(evaluate(campaign_dataset(tmp_path, [], {}))))
    assert "No questionnaire answers." in told and "No stress test verdicts for this system." in told
    assert "No user answered all items of this aspect." in told


def test_it_is_printed_in_both_languages(found: Evaluation) -> None:
    for words in ("en", "it"):
        assert pdf(compose_campaign(found, words=words)).startswith(b"%PDF")


def test_a_dataset_of_no_campaign_is_refused(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        other = writer.close()
    with pytest.raises(InputError, match="campaign run"):
        evaluate(other)


def test_while_verdicts_wait_the_first_page_says_so_and_no_share_stands_there(tmp_path: Path) -> None:
    found = evaluate(campaign_dataset(tmp_path, ANSWERS, {2: "ppuf", 5: "pu"}))
    stress = figures(found).stress
    assert stress is not None and stress.ratio is None
    assert (stress.worst, stress.best) == (3 / 6, 5 / 6)
    document = compose_campaign(found)
    assert "2 stress tests wait for a person's verdict" in document.before[0]  # not folded away
    assert "Give verdicts on the study's dashboard: Stress tests, Give verdicts." in document.before[0]
    assert "127.0.0.1" not in text(document)  # whoever reads a customer's report cannot come there
    assert any(
        "1 failed, 2 without a verdict; share passed between 50.0% and 83.3%." in one
        for one in document.answer
    )
    both = (
        r"spelling 50.0% to 75.0% \(4 cases; .*?\) and words 50.0% to 100.0% \(2 cases; .*?\)\. Unweighted "
    )
    both += "mean of groups: 50.0% to 87.5%."  # (.5 + .5) / 2; (.75 + 1) / 2
    assert re.search(f"Share passed by group: {both}", text(document))
    italian = compose_campaign(found, words="it")
    assert "2 senza verdetto; quota superata fra 50,0% e 83,3%." in " ".join(italian.answer)
    assert any("2 stress test aspettano il verdetto" in line for line in italian.before)


SPOKEN_TO_IT = {
    "template": "the system says that it did not understand: “{words}”",
    "values": {"words": "Eh?"},
}
REPEATED = {
    "template": "{said}; it did not serve the user after that either",
    "values": {"said": SPOKEN_TO_IT},
}


def with_reasons(folder: Path) -> Evaluation:
    """Three cases that were not understood, one that ended elsewhere, one without an answer."""
    gone = {"template": "the system gave no answer: {failure}", "values": {"failure": "500"}}
    other = {
        "template": "the system understood or did something else: {difference}",
        "values": {"difference": "x"},
    }
    silent = json.dumps([{"party": "user", "text": "due meel", "injected": True}])
    rows = [
        stress_row(0, 4, "fail", why=json.dumps(SPOKEN_TO_IT), transcript=transcript("due meel", "Eh?")),
        stress_row(1, 4, "clarification", why=json.dumps(REPEATED)),
        stress_row(2, 9, "fail", why=json.dumps(SPOKEN_TO_IT)),
        stress_row(3, 5, "fail", why=json.dumps(other)),
        stress_row(4, 5, "fail", why=json.dumps(gone), transcript=silent),
    ]
    return evaluate(campaign_dataset(folder, ANSWERS, {}, stress=rows))


EXAMPLE = {
    "en": "Example: the system replied to “due mele” with “Ok” and to “due meel” with “Eh?”.",
    "it": "Esempio: a «due mele» il sistema ha risposto «Ok»; a «due meel» ha risposto «Eh?».",
}
KINDS = {
    "en": [
        "The system said that it did not understand",
        "The system understood or did something else",
        "The system gave no answer",
    ],
    "it": [
        "Il sistema ha detto di non aver capito",
        "Il sistema ha capito o fatto un'altra cosa",
        "Il sistema non ha risposto",
    ],
}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "en",
            [
                "Frequency: 3 of 5 failed cases. By test: Character swapping (2) and Order of nouns",
                "Example: “due mele 4” got a reply, “due meel 4” did not.",
                "Usual fix: Correct spelling before understanding",
            ],
        ),
        (
            "it",
            [
                "Frequenza: 3 su 5 casi non superati. Per test: Scambio di caratteri (2)",
                "Esempio: «due mele 4» ha avuto risposta, «due meel 4» no.",
                "Rimedio consueto: Correggere l'ortografia",
            ],
        ),
    ],
)
def test_kinds_of_failure_are_told_with_how_often_an_example_and_what_mends_them(
    tmp_path: Path, words: str, told: list[str]
) -> None:
    document = compose_campaign(with_reasons(tmp_path), words=words)
    (section,) = (one for one in document.sections if one.name == "reasons")
    assert [block.text for block in section.blocks if block.kind == "heading"] == KINDS[words]
    lines = "\n".join(line for block in section.blocks if block.kind == "bullets" for line in block.items)
    assert [text for text in (*told, EXAMPLE[words]) if text not in lines] == []


def test_releases_are_compared_case_by_case(tmp_path: Path) -> None:
    before = [stress_row(at, 2, "pass" if at < 2 else "fail", run_id="a", release="1.0") for at in range(4)]
    now = [stress_row(at, 2, "fail" if at == 0 else "pass", run_id="b", release="1.1") for at in range(4)]
    found = evaluate(campaign_dataset(tmp_path, ANSWERS, {}, stress=[*before, *now]))
    changes = table(compose_campaign(found), "campaign_changes")
    assert [(title, len(rows)) for title, rows in changes.groups()] == [
        ("Passed with release 1.0, failed with release 1.1", 1),
        ("Failed with release 1.0, passed with release 1.1", 2),
    ]
    assert [cell.main for cell in changes.columns[2:]] == ["release 1.0", "release 1.1"]
    assert [cell.under for cell in changes.rows[0].cells[1:]] == [("passed",), ("not passed",)]
    told = text(compose_campaign(found, words="it"))
    assert "3 su 4 casi, con la versione 1.0 erano 2; guadagnati: 2, persi: 1." in told


def test_statements_are_named_in_the_words_that_users_read(tmp_path: Path, found: Evaluation) -> None:
    """A validated or printed wording stands in the organiser's own file, and is shown as it stands."""
    drawn = [one for one in compose_campaign(found).blocks(Figure) if one.name.startswith("likert")]
    assert drawn and all(not re.search(r"\bq\d", one.alternative) for one in drawn)
    assert "Using the system takes no effort." in drawn[1].alternative
    instrument = INSTRUMENTS.get("idial")
    printed = load_wording(instrument, "it").model_copy(
        update={
            "items": {item: f"Frase stampata {item[1:]}." for item in ITEMS},
            "origin": "file",
            "source": "Rossi 2020",
        }
    )
    own = evaluate(campaign_dataset(tmp_path, ANSWERS, {}, wordings={"idial": {"it": printed}}))
    for words in ("it", "en"):
        document = compose_campaign(own, words=words)
        items = table(document, "campaign_items")
        assert items.rows[0].heading == "1. Frase stampata 1." and "Rossi 2020" in items.note
        assert "Using the system" not in text(document)


def test_users_of_a_spoken_system_are_shown_what_they_were_asked_and_nothing_of_writing(
    tmp_path: Path,
) -> None:
    spoken = evaluate(campaign_dataset(tmp_path, ANSWERS, {}, channel="spoken"))
    for words, said, written in (
        ("en", "When I said something", "When I wrote"),
        ("it", "Quando ho detto qualcosa", "Quando ho scritto"),
    ):
        told = text(compose_campaign(spoken, words=words))
        assert said in told and written not in told


def test_service_stands_apart_from_experience(found: Evaluation) -> None:
    quality = table(compose_campaign(found), "campaign_quality")
    groups = {title: [row.heading for row in rows] for title, rows in quality.groups()}
    assert groups["Quality of experience (user answers)"] == [
        "Task completion",
        "Effectiveness of the dialogue",
        "User satisfaction",
    ]
    service = groups["Quality of service (system behaviour)"]
    assert service[:3] == ["Goals reached", "Within the expected time", "Stress tests passed"]
    values = {row.heading: row.cells[0].main for row in quality.rows}
    assert (values["Goals reached"], values["Within the expected time"]) == ("unknown", "66.7%")


def test_the_time_of_simulated_users_is_held_against_the_expected_one_nowhere(tmp_path: Path) -> None:
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS, {2: "ppf"}, simulated=True)))
    (quality,) = (
        row for row in table(document, "campaign_quality").rows if row.heading == "Within the expected time"
    )
    told = [quality.cells[0], *(row.cells[-1] for row in table(document, "campaign_time").rows)]
    assert {cell.main for cell in told} == {MISSING} and len(told) > 1


def test_every_phrase_of_the_report_stands_in_the_readers_language() -> None:
    folder = Path(vivavoce_campaign.__file__).parent
    files = [*(folder / "document").glob("*.py"), Path(failures.__file__), Path(blocks.__file__)]
    said: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("say", "N_") and node.args:
                said |= {node.args[0].value} if isinstance(node.args[0], ast.Constant) else set()
    said |= {title for pair in TITLES.values() for title in pair}
    assert len(said) > 100
    with speaking("it"):
        same = {one for one in said if say(one) == one and re.search("[a-z]{3}", re.sub(r"{.*?}", "", one))}
    assert same <= {"Stress tests", "Test"}, same


def test_the_first_page_says_whether_rules_alone_decided_or_people_judged_and_agreed(tmp_path: Path) -> None:
    alone = compose_campaign(evaluate(campaign_dataset(tmp_path / "a", ANSWERS, {2: "ppf"})))
    assert "Rules decided all cases; no human verdicts." in alone.before
    given = {"verdict_of_person": "pass", "judges": 1, "rung": "person"}
    rules = ("fail", "pass", "unsure")
    stress = [stress_row(at, 2, "pass", verdict_automatic=said, **given) for at, said in enumerate(rules)]
    judged = evaluate(campaign_dataset(tmp_path / "b", ANSWERS, {}, stress=stress))
    told = " ".join(compose_campaign(judged).before)
    assert "People judged 3 cases of 3 and overruled the rules in 1 of these." in told
    assert "rules and people on pass or fail: 1 of 2 (95% CI 9.5% to 90.5%)" in told
    italian = " ".join(compose_campaign(judged, words="it").before)
    assert "Le persone hanno giudicato 3 casi su 3 e corretto le regole in 1 di questi" in italian
    assert "regole e persone su superato o no: 1 su 2" in italian


def waits_for_variants(test: int, reason: str = NOT_PROPOSED) -> dict[str, Any]:
    """A test whose variants nobody has proposed, or reviewed."""
    row = stress_row(0, test, "pass", case_id=None, status="not_applicable", reason=reason)
    return row | dict.fromkeys(("verdict", "verdict_automatic", "rung", "transcript", "first_score"))


def test_tests_that_wait_for_variants_are_not_called_inapplicable(tmp_path: Path) -> None:
    stress = [
        waits_for_variants(5),
        waits_for_variants(5),
        waits_for_variants(8, NOT_REVIEWED),
        waits_for_variants(3, "no candidate was certain"),
        waits_for_variants(11, REJECTED),
        stress_row(7, 9, "fail", status="not_admitted"),
    ]
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS, {2: "ppf"}, stress=stress)))
    front = " ".join(document.before)
    assert "Tried 1 of 6 stress tests: misspelled words." in front
    assert "2 stress tests were not tried: no approved variants yet." in front
    rows = {row.heading: [cell.main for cell in row.cells] for row in table(document, "campaign_stress").rows}
    assert rows["ST-5"] == rows["ST-8"] == ["–", "–", "not tried", "–"]
    assert rows["ST-3"][:2] == ["0", "1"] and rows["All tests"][:2] == ["3", "1"]
    assert rows["ST-11"] == ["0", "–", "not tried", "–"] and rows["ST-9"][2] == "not tried"
    told = text(document)
    for why in (
        "all proposed variants were rejected: Order of verbal modifiers.",
        "the originals failed: Order of nouns and adjectives.",
        "their rules are not yet accepted often enough",
    ):
        assert f"Not tried because {why}" in told
    assert "no variants are approved yet: Less frequent synonyms and Active and passive." in told
    assert "Next step: on the study's dashboard, under Stress tests, propose variants" in told


def test_what_programs_answered_neither_heads_the_report_nor_is_said_of_people(tmp_path: Path) -> None:
    found = evaluate(campaign_dataset(tmp_path, ANSWERS, {2: "ppf"}, simulated=True))
    for words, invented, people in (
        ("en", "answered the questionnaire at random", "user answers"),
        ("it", "hanno risposto al questionario a caso", "risposte degli utenti"),
    ):
        document = compose_campaign(found, words=words)
        assert "stress test" in document.answer[0]
        assert not re.search("satisfaction|soddisfazione", " ".join(document.answer))
        assert invented in text(document) and people not in text(document)
        assert not re.search(r"2[.,]03", text(document)), "an invented mean is shown"
        shown = [block.name for one in document.sections for block in one.blocks if block.kind == "table"]
        assert "campaign_quality" in shown and not {"campaign_background", "campaign_durations"} & set(shown)
    document = compose_campaign(found)
    assert "10 simulated users" in document.lead and "participant" not in document.lead


def test_few_sentences_behind_many_cases_are_told(tmp_path: Path) -> None:
    stress = [stress_row(at, 2, "pass", original=f"mele {at % 2}") for at in range(5)]
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS, {}, stress=stress)))
    told = "These 5 cases change only 2 different sentences, so the CI is wider"
    assert told in text(document) and not any(told in line for line in document.answer)
    cells = {row.heading: row.cells[-1] for row in table(document, "campaign_stress").rows}
    assert cells["ST-2"].under == ("over 2 different sentences",)


def test_shares_of_other_cases_are_no_change_and_each_figure_has_its_release(tmp_path: Path) -> None:
    one, two = {"run_id": "a", "release": "1.0"}, {"run_id": "b", "release": "2.0"}
    first = [stress_row(at, 2, verdict, **one) for at, verdict in enumerate(("pass", "fail"))]
    again = [row | two | {"verdict": "pass"} for row in first]
    left = stress_row(7, 2, "", original="pere", status="not_admitted", **two) | {"verdict": None}
    other = [*again, stress_row(5, 2, "pass", **two), left]
    found = [
        evaluate(campaign_dataset(tmp_path / name, ANSWERS, {}, stress=rows))
        for name, rows in (("same", [*first, *again]), ("moved", [*first, *other]), ("alone", first))
    ]
    same, moved, alone = map(compose_campaign, found)
    told = "The runs had different cases: 1 of 2 passed before, 3 of 3 now; cases in both: 2."
    assert [any(told in line for line in one.before) for one in (same, moved, alone)] == [False, True, False]
    assert same.answer[0] == (
        "More cases passed with release 2.0: 2 of 2 cases, compared with 1 with release 1.0; none lost."
    )
    assert not any("none lost" in line for line in moved.answer)
    assert same.answer[1] == "With release 2.0 no stress tests fail."
    (released,) = (line for line in same.before if line.startswith("Only the stress tests used"))
    assert released.endswith("are from release 1.0.") and "release 2.0" not in text(alone)
    run = found[1].stress
    assert run and run["whole"]["originals"] == 3  # the fourth did not pass


def test_languages_that_nobody_tried_and_the_noise_of_programs_are_told(tmp_path: Path) -> None:
    said = [("due mele", "due mele"), ("Due mele!", "due mele"), ("due mele", "due miele"), ("ciao", "")]
    turns = [
        {"dialogue_id": "u0-0", "turn_index": at, "party": "user", "reference": meant, "text": heard}
        for at, (meant, heard) in enumerate(said)
    ]
    facts: dict[str, Any] = {
        "turns": turns,
        "languages": ["it", "en"],
        "settings": {"languages": ["it", "en"]},
    }
    played = campaign_dataset(tmp_path / "a", ANSWERS, {2: "ppf"}, simulated=True, **facts)
    document = compose_campaign(evaluate(played))
    assert "Declared languages without dialogues: English. All figures are for Italian." in document.before
    assert dict(document.cover)["Languages"] == "Italian (1 dialogue) and English (not tried)"
    noise = "Simulated recognition errors changed 2 of 4 user turns."
    assert any(line.startswith(noise) for line in document.before)
    people = evaluate(campaign_dataset(tmp_path / "b", ANSWERS, {2: "ppf"}, **facts))
    assert "recognition errors" not in text(compose_campaign(people))


def test_the_first_page_of_the_print_is_filled_and_speaks_of_no_next_page(tmp_path: Path) -> None:
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS, {2: "ppf"}, simulated=True)))
    assert len(document.before) > document.foremost
    first = text_of(save(document, tmp_path / "report.pdf"))[0]
    assert document.before[-1].split()[0] in first and "The system as submitted" in first
    assert "next page" not in first
