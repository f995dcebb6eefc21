"""A campaign's report: what mends failures, every case in a line, how dialogues went, what a re-test left."""

import json
from pathlib import Path

import pytest

from scenes.campaigns import campaign_dataset, stress_row, transcript
from unit.report.test_campaign import ANSWERS, table, text
from vivavoce.reports.blocks import Heading
from vivavoce_campaign.document.campaign import compose_campaign
from vivavoce_campaign.document.evaluation import evaluate
from vivavoce_campaign.messages import told_changes
from vivavoce_campaign.unreachable import unreached
from vivavoce_stress.cascade import DONE_WITH_ANOTHER, MORE, WRONG_ANSWER
from vivavoce_stress.failures import answers_apart
from vivavoce_stress.releases import compare_last_runs


@pytest.mark.parametrize("kind", [WRONG_ANSWER, MORE])
def test_a_misspelling_asks_for_tolerance_of_spelling_whatever_the_system_did_instead(
    tmp_path: Path, kind: str
) -> None:
    why = json.dumps({"template": kind, "values": {"more": 2}})
    rows = [stress_row(at, 4, "fail", why=why) for at in range(3)] + [stress_row(4, 8, "fail", why=why)]
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS, {}, stress=rows)))
    told = text(document)
    assert "Usual fix: Correct spelling before understanding" in told
    assert "training examples. (3 cases)" in told
    assert "Misspelled words not recognised: “meel” for “mele” (3)." in told
    assert told.count("passives and anaphora") == 1  # the one of syntax


def test_every_case_stands_in_the_appendix_passed_or_not(tmp_path: Path) -> None:
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS, {2: "pf"})))
    lines = [[cell.main for cell in row.cells] for row in table(document, "stress_pairs").rows]
    assert sorted(line[2] for line in lines) == ["fail", "pass"]
    assert all(line[0] != line[1] for line in lines)


@pytest.mark.parametrize(
    ("verdict", "answer", "kind"),
    [
        ("clarification", "Which part?", "The system asked for a repetition"),
        ("fail", "Booked for Monday.", "The system understood or did something else"),
    ],
)
def test_a_case_stands_under_what_the_person_saw_and_not_under_what_the_rules_had_seen(
    tmp_path: Path, verdict: str, answer: str, kind: str
) -> None:
    """The rules had said the reverse of the person in either case."""
    rules = {"clarification": DONE_WITH_ANOTHER, "fail": MORE}[verdict]
    why = json.dumps({"template": rules, "values": {"more": 2, "original": "a", "variant": "b"}})
    by_rules = {"clarification": "fail", "fail": "clarification"}[verdict]
    row = stress_row(
        1,
        7,
        verdict,
        why=why,
        verdict_automatic=by_rules,
        verdict_of_person=verdict,
        transcript=transcript("due meel", answer),
    )
    told = {}
    for name, more in (("derived", {}), ("said", {"instead": "hand_over"})):
        found = evaluate(campaign_dataset(tmp_path / name, [], {}, stress=[row | more]))
        (section,) = (one for one in compose_campaign(found).sections if one.name == "reasons")
        told[name] = [block.text for block in section.blocks if isinstance(block, Heading)]
        shown = str(section)
        assert "a person decided otherwise than the rules" in shown.lower() and rules not in shown
    assert told == {"derived": [kind], "said": ["The system sent the user to a person or elsewhere"]}


def test_a_system_that_asked_first_is_not_told_to_ask_before_it_acts(tmp_path: Path) -> None:
    cures = []
    for name, answer in (("asked", "Day: Monday. Confirm?"), ("did", "Booked for Monday.")):
        why = json.dumps({"template": MORE, "values": {"more": 2}})
        row = stress_row(1, 7, "clarification", why=why, transcript=transcript("due meel", answer))
        found = evaluate(campaign_dataset(tmp_path / name, [], {}, stress=[row]))
        (section,) = (one for one in compose_campaign(found).sections if one.name == "reasons")
        cures.append("Repeat the interpretation before acting" in str(section))
    assert cures == [False, True]


SAID = {
    "d1": [
        "u:un biglietto per Torino",
        "s:Non ho capito.",
        "u:Un biglietto per Torino!",
        "s:Fatto.",
        "u:grazie",
    ],
    "d2": ["u:un biglietto per Roma", "s:Che giorno?", "u:lunedì", "s:Che giorno?", "u:lunedì", "s:Fatto."],
    "d3": ["u:un biglietto per Milano", "s:Fatto."],
}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "en",
            [
                "user turns per dialogue: 3 (1 to 3; 3 dialogues).",
                "The system did not understand in 1 dialogue (1 of all its 6 turns).",
                "in 2 dialogues (2 of their 7 turns), and repeated their first request in 1 of these.",
            ],
        ),
        (
            "it",
            [
                "turni dell'utente per dialogo: 3 (da 1 a 3; 3 dialoghi).",
                "non ha capito in 1 dialogo (1 di tutti i suoi 6 turni)",
            ],
        ),
    ],
)
def test_the_first_page_says_how_the_dialogues_themselves_went(
    tmp_path: Path, words: str, told: list[str]
) -> None:
    """Five of ten were not understood at first, and the goal was reached in all: nothing else would tell."""
    said = [(f"u0-{at}", lines) for at, lines in enumerate(SAID.values())]
    turns = [
        {
            "dialogue_id": key,
            "turn_index": at,
            "party": {"u": "user", "s": "system"}[line[0]],
            "text": line[2:],
        }
        for key, lines in said
        for at, line in enumerate(lines)
    ]
    dialogues = campaign_dataset(tmp_path, ANSWERS[:1], {2: "p"}, turns=turns)
    document = compose_campaign(evaluate(dialogues), words=words)
    bullets = (
        line for block in document.sections[0].blocks if block.kind == "bullets" for line in block.items
    )
    line = next(line for line in bullets if "edian" in line)
    lost = {
        "en": "The system did not understand in 1 dialogue",
        "it": "non ha capito in 1 dialogo",
    }
    assert lost[words] in " ".join(document.answer)
    assert [one for one in told if one not in line] == []
    cells = [[cell.main for cell in row.cells] for row in table(document, "campaign_conversations").rows]
    assert cells[0][1] == "3" and cells[3][1].startswith("1 of 3" if words == "en" else "1 su 3")


def test_who_begins_anew_is_asked_everything_anew_and_that_is_no_question_put_twice(tmp_path: Path) -> None:
    said = {
        "u0-0": [
            "u:vorrei un biglietto per Asti",
            "s:Classe?",
            "u:annulla",
            "s:Annullato.",
            "u:voglio un biglietto per Asti",
            "s:Classe?",
            "u:ciao",
        ],
        "u0-1": ["u:vorrei un biglietto per Roma", "s:Classe?", "u:seconda", "s:Classe?", "u:ciao"],
    }
    turns = [
        {
            "dialogue_id": key,
            "turn_index": at,
            "party": "user" if line[0] == "u" else "system",
            "text": line[2:],
        }
        for key, lines in said.items()
        for at, line in enumerate(lines)
    ]
    dataset = campaign_dataset(tmp_path, ANSWERS[:1], {}, turns=turns)
    (missed,) = unreached(dataset, dict.fromkeys(said, False))
    assert (missed.missed, missed.again) == (2, [("Classe?", 1)])


def test_a_case_that_a_re_test_leaves_out_is_named_with_the_reason(tmp_path: Path) -> None:
    before = [stress_row(at, 2, "pass", run_id="b", release="1.1") for at in range(2)]
    before[0] |= {"verdict": "clarification", "verdict_of_person": "clarification"}
    first = [stress_row(at, 2, "pass", run_id="a", release=None) for at in range(2)]
    now = [stress_row(at, 2, "pass", run_id="c", release="2.0") for at in range(2)]
    dataset = campaign_dataset(tmp_path, ANSWERS, {}, stress=[*first, *before, *now])
    document = compose_campaign(evaluate(dataset))
    reason = (
        "Not compared: a person overruled the rules with release 1.1, and no person judged it "
        "with release 2.0"
    )
    (row,) = table(document, "campaign_changes").rows
    assert row.group == reason
    assert [cell.under for cell in row.cells[1:]] == [("not passed", "by a person"), ("passed",)]
    compared = compare_last_runs(dataset, "ch")
    assert compared is not None
    printed = list(told_changes("ch", compared))
    assert any(reason in line for line in printed) and f"ch: {' '.join(document.answer[:2])}" == printed[0]
    assert "are from the first release (unnamed)." in " ".join(document.before)


@pytest.mark.parametrize(
    ("more", "told"),
    [(1, "served the user only after another turn."), (3, "served the user only after 3 more turns.")],
)
def test_after_how_many_more_turns_a_user_was_served_is_told(tmp_path: Path, more: int, told: str) -> None:
    turns = json.loads(transcript("due meel", "Come?"))
    turns += [{"party": "user", "text": "due mele", "injected": False}, {**turns[1], "text": "Ok."}] * more
    row = stress_row(0, 4, "clarification", transcript=json.dumps(turns))
    assert told in text(compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS, {}, stress=[row]))))


def test_an_example_shows_the_answers_that_differ_where_both_began_alike() -> None:
    def held(*answers: str) -> str:
        turns = [{"party": "user", "text": "Vorrei un campo da squash", "injected": True}]
        for one in answers:
            turns += [{"party": "system", "text": one, "injected": False}, {**turns[0], "injected": False}]
        return json.dumps(turns)

    original, variant = held("A che ora?", "Prenotato: squash."), held("A che ora?", "Prenotato: tennis.")
    assert answers_apart(original, variant) == ("Prenotato: squash.", "Prenotato: tennis.")
    assert answers_apart(original, held("Quale campo?")) == ("A che ora?", "Quale campo?")
    assert answers_apart(original, held()) == ("A che ora?", None)
