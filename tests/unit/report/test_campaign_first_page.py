"""The first page of a campaign's report: what is wrong with the system, with an example."""

import json
from pathlib import Path
from typing import Any

import pytest

from scenes.campaigns import campaign_dataset, stress_row
from unit.report.test_campaign import table, text
from vivavoce.reports.blocks import Document
from vivavoce_campaign.document.campaign import compose_campaign
from vivavoce_campaign.document.evaluation import evaluate
from vivavoce_stress.cascade import DONE_OTHERWISE, MORE

ASKED = "voglio un campo da squash per sabato"


def held(said: str, *turns: str) -> str:
    told = [{"party": "user", "text": said, "injected": True}]
    parties = ("system", "user")
    told += [{"party": parties[at % 2], "text": text, "injected": False} for at, text in enumerate(turns)]
    return json.dumps(told)


def booked(case: int, wrong: str, **more: Any) -> dict[str, Any]:
    """Squash was asked for with a slip, tennis confirmed and booked; then the user asks anew."""
    said = ASKED.replace("squash", wrong)
    why = {"template": DONE_OTHERWISE, "values": {"words": "Prenotato: tennis, sabato."}}
    right, other = (("Campo da {0}, sabato. Confermo?", "sì", "Prenotato: {0}, sabato.") for _ in "12")
    again = (ASKED, "Campo da squash, sabato. Confermo?", "sì", "Prenotato: squash, sabato.")
    return (
        stress_row(case, 4, "fail", original=ASKED, text=said, why=json.dumps(why))
        | {
            "clean_transcript": held(ASKED, *(one.format("squash") for one in right)),
            "transcript": held(said, *(one.format("tennis") for one in other), *again),
        }
        | more
    )


def document_of(folder: Path, stress: list[dict[str, Any]], words: str = "en", **more: Any) -> Document:
    return compose_campaign(
        evaluate(campaign_dataset(folder, [], {2: "pp"}, stress=stress, **more)), words=words
    )


HEAD = {
    "en": """\
In 3 of 5 cases of stress tests the system did something wrong and reported it as done.
Example: with “sqaush” for “squash” it replied “Prenotato: tennis, sabato”. It used “tennis” instead \
of “squash”. It had not signalled a misunderstanding. It had asked for confirmation""",
    "it": """\
In 3 di 5 casi di stress test il sistema ha fatto una cosa sbagliata e l'ha data per fatta.
Esempio: con «sqaush» invece di «squash» ha risposto «Prenotato: tennis, sabato». \
Ha usato «tennis» invece di «squash». Non aveva segnalato di non aver capito. Aveva chiesto conferma""",
}


@pytest.mark.parametrize("words", HEAD)
def test_what_was_booked_wrongly_heads_the_report_with_an_example(tmp_path: Path, words: str) -> None:
    stress = [booked(at, "sqaush", case_id=f"b{at}") for at in range(3)]
    document = document_of(tmp_path, stress, words)
    first, example = HEAD[words].splitlines()
    assert document.answer[0] == first
    assert document.answer[1].startswith(example)
    assert len(document.answer) <= 6


def test_a_booking_that_a_person_alone_called_wrong_heads_it_too(tmp_path: Path) -> None:
    """The rules had told it as served after more turns; by its own words the system had booked."""
    why = json.dumps({"template": MORE, "values": {"more": 2}})
    by = {"why": why, "verdict_automatic": "clarification", "verdict_of_person": "fail"}
    intents = [{"id": "meal", "text": "un campo", "minutes": 2, "done": "Prenotato"}]
    facts = {"intents": intents, "domain": "campi"}
    told = document_of(tmp_path / "a", [booked(7, "sqaush", **by)], **facts).answer
    assert told[0].startswith("In 1 of 3 cases of stress tests the system did something wrong")
    refused = document_of(tmp_path / "b", [booked(7, "sqaush", **by, instead="refuse")], **facts).answer
    assert refused[0] == "In 1 of 3 cases of stress tests the system said that it cannot do or find this."


def test_after_a_re_test_the_first_page_tells_of_the_later_release(tmp_path: Path) -> None:
    runs = {"a": "1.0", "b": "2.0"}
    stress = [
        booked(at, "sqaush", run_id=run, release=release, case_id=f"b{at}")
        for run, release in runs.items()
        for at in range(1 if run == "b" else 2)
    ]
    stress.append(stress[1] | {"run_id": "b", "release": "2.0", "verdict": "pass"})
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, [], {}, stress=stress)))
    assert document.answer[0].startswith(
        "More cases passed with release 2.0: 1 of 2 cases, compared with 0 with release 1.0; none lost."
    )
    assert document.answer[1].startswith(
        "With release 2.0: in 1 of 2 cases of stress tests the system did something wrong "
        "and reported it as done. Example: with “sqaush” for “squash”"
    )


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        (("clarification", "fail"), "Worse with release 2.0: wrong in 1 case"),
        (("fail", "clarification"), "Better with release 2.0, but still failed: the system asks"),
    ],
)
def test_a_re_test_tells_what_failed_both_times_but_otherwise(
    tmp_path: Path, verdicts: tuple[str, str], told: str
) -> None:
    """A silent wrong booking that is new is no leftover; one that became a question is mended in part."""
    stress = [
        booked(0, "sqaush", run_id=run, release=release, case_id="b0", verdict=verdict)
        for run, release, verdict in zip("ab", ("1.0", "2.0"), verdicts, strict=True)
    ]
    assert told in " ".join(document_of(tmp_path, stress).answer[:2])


@pytest.mark.parametrize(
    ("words", "invalid", "remark", "left"),
    [
        (
            "en",
            "invalid variant",
            "note: “nobody says that”",
            "Not compared: a person judged the variant invalid in the previous run",
        ),
        (
            "it",
            "variante non valida",
            "nota: «nobody says that»",
            "Non confrontato: nella prova precedente una persona ha giudicato non valida la variante",
        ),
    ],
)
def test_what_a_person_wrote_stands_beside_the_case_and_an_invalid_variant_is_called_so(
    tmp_path: Path, words: str, invalid: str, remark: str, left: str
) -> None:
    by = {"verdict_of_person": "invalid_variant", "verdict_automatic": "fail", "remark": "nobody says that"}
    called = stress_row(8, 5, "invalid_variant", status="invalid", release="1.0", **by)
    told = stress_row(9, 5, "fail", release="1.0", remark="a wrong day", verdict_of_person="fail")
    first = document_of(tmp_path / "a", [called, told], words)
    (row,) = (one for one in table(first, "stress_pairs").rows if one.cells[0].main == "due mele 8")
    assert row.cells[2].main == invalid and row.cells[2].under[-1] == remark
    assert "Note: “a wrong day”" in text(first) or "Nota: «a wrong day»" in text(first)
    anew = called | {"run_id": "z", "release": "2.0", "status": "applied", "verdict": "fail", "remark": None}
    later = document_of(tmp_path / "b", [called, anew | {"verdict_of_person": None}], words)
    (change,) = table(later, "campaign_changes").rows
    assert change.group == left
    assert invalid in change.cells[1].under and remark in change.cells[1].under
    assert not {"no verdict", "senza verdetto"} & set(change.cells[1].under)


def test_the_report_is_called_as_somebody_called_the_study_of_a_system_without_a_title(
    tmp_path: Path,
) -> None:
    facts: dict[str, Any] = {"title": None, "settings": {"campaign": "spring"}}
    found = evaluate(campaign_dataset(tmp_path, [], {2: "pp"}, **facts))
    called = {}
    for title in ("spring", "{it: Sportello, en: Counter desk}"):
        found.dataset.manifest["study"]["file"] = f"study: ch\ntitle: {title}\n"
        called[title] = [compose_campaign(found, words=words).study for words in ("en", "it")]
    assert list(called.values()) == [["ch", "ch"], ["Counter desk", "Sportello"]]


@pytest.mark.parametrize(
    ("words", "begins", "example"),
    [
        (
            "en",
            "The original fails with release 2.0 in 1 case",
            "to “voglio un campo da squash per sabato” is “Prenotato: squash, lunedì”; it was",
        ),
        (
            "it",
            "L'originale non è superato con la versione 2.0 in 1 caso",
            "è «Prenotato: squash, lunedì»; era «Campo da squash, sabato",
        ),
    ],
)
def test_what_a_release_no_longer_does_as_it_is_asked_is_said_first(
    tmp_path: Path, words: str, begins: str, example: str
) -> None:
    """Before, the worst of a release, plain orders booked for another day, stood on its ninth page."""
    was = booked(1, "sqaush", run_id="a", release="1.0", verdict="pass", case_id="b1")
    now = was | {
        "run_id": "b",
        "release": "2.0",
        "status": "not_admitted",
        "verdict": None,
        "clean_transcript": held(ASKED, "Prenotato: squash, lunedì."),
    }
    kept = [
        booked(2, "sqausj", run_id=run, release=release, verdict="pass", case_id="b2")
        for run, release in (("a", "1.0"), ("b", "2.0"))
    ]
    head, more, *_ = document_of(tmp_path, [was, kept[0], now, kept[1]], words).answer
    assert head.startswith(begins) and example in more


def test_a_release_that_never_answered_is_compared_with_nothing(tmp_path: Path) -> None:
    was = booked(1, "sqaush", run_id="a", release="1.0", verdict="pass", case_id="b1")
    down = was | {"run_id": "b", "release": "2.0", "status": "outage", "verdict": None}
    later = was | {"run_id": "c", "release": "2.1", "verdict": "fail"}
    said = document_of(tmp_path / "down", [was, down]).answer[0]
    assert said.startswith("No comparison possible: 1 case with release 2.0")
    said = document_of(tmp_path / "later", [was, down, later]).answer[0]
    assert said.startswith(
        "Fewer cases passed with release 2.1: 0 of 1 case, compared with 1 with release 1.0"
    )
