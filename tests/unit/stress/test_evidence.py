"""A bot that only speaks can fail: what it says against itself decides, where it said so of no original."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unit.stress.conftest import RunCases, case
from unit.stress.test_cascade import replayed
from vivavoce_stress.cascade import admit, judge, judge_texts
from vivavoce_stress.evidence import evidence
from vivavoce_stress.replay import Replayed

HERE = "unit.stress.test_evidence"
LENT = "Ho messo da parte Emma a suo nome."


def town_hall(text: str, session: dict[str, Any]) -> Iterator[str]:
    """A bot of a town hall that answers in words alone."""
    if "carta" in text:
        yield "La carta d'identità si fa il martedì allo sportello 4."
    elif "residenza" in text:
        yield "Per la residenza serve il modulo R2."
    elif "?" not in text and len(text) > 40:
        yield "La metto in comunicazione con l'ufficio anagrafe."
    else:
        yield "Non credo di aver capito bene. Può dirlo in altre parole?"


def test_a_bot_that_only_speaks_fails_by_its_own_words(run_cases: RunCases) -> None:
    cases = [
        case("ST-2", "it", "vorrei la carta d'identità", "vorrei la karta d'identità"),
        case("ST-4", "it", "come cambio residenza", "come cambio resiednza"),
        case(
            "ST-4",
            "it",
            "devo fare il cambio di residenza per tutta la famiglia",
            "devo fare il cambio di resiednza per tutta la famiglia",
        ),
        case("ST-4", "it", "mi serve la carta", "mi srve la carta"),
    ]
    rows = run_cases(f"{HERE}:town_hall", cases)
    assert [row["verdict"] for row in rows] == ["clarification", "clarification", "fail", "pass"]
    assert [row["rung"] for row in rows] == ["evidence"] * 3 + ["exact_match"]
    assert "“Non credo di aver capito bene.”" in rows[0]["reason"]
    assert "“La metto in comunicazione con l'ufficio anagrafe.”" in rows[2]["reason"]


def test_every_kind_is_read_in_both_languages_and_keeps_the_words() -> None:
    for language, kind, said in [
        ("it", "not_understood", "Scusa, non ti seguo."),
        ("it", "not_understood", "Temo di non aver compreso la richiesta."),
        ("it", "ask_again", "Può riformulare la domanda?"),
        ("it", "ask_again", "Prova a dirlo con parole diverse."),
        ("it", "refuse", "Di questo non mi occupo."),
        ("it", "refuse", "Mi dispiace, in questo non posso esserle d'aiuto."),
        ("it", "refuse", "Mi dispiace, non ho trovato nulla."),
        ("it", "unknown", "Stazione non servita: Mliano."),
        ("it", "unknown", "Non conosco questo tipo di bici."),
        ("it", "menu", "Come posso aiutarla?"),
        ("it", "hand_over", "Le passo un collega."),
        ("it", "trouble", "Si è verificato un errore imprevisto."),
        ("en", "not_understood", "Sorry, I didn't quite catch that."),
        ("en", "not_understood", "I'm not sure I understand."),
        ("en", "ask_again", "Could you please rephrase?"),
        ("en", "ask_again", "Try to say it in other words."),
        ("en", "refuse", "I'm afraid I can't help with that."),
        ("en", "refuse", "That is not something we do here."),
        ("en", "unknown", "No such station: Mikan."),
        ("en", "unknown", "I do not know that kind of bike."),
        ("en", "unknown", "Class not recognised."),
        ("en", "menu", "How can I help you?"),
        ("en", "hand_over", "I will put you through to a colleague."),
        ("en", "trouble", "Something went wrong on our side."),
    ]:
        found = {one.kind: one.words for one in evidence(said, language)}
        assert found.get(kind) == said
        assert judge_texts(["15 euro."], said, language).verdict in ("fail", "clarification")


def test_answers_that_serve_say_nothing_against_the_system() -> None:
    for language, said in [
        ("it", "La sua ricetta ripetibile è pronta al banco."),
        ("it", "Il treno per Lecce parte alle 9:12 dal binario 3."),
        ("it", "Il corso di nuoto si ripete ogni giovedì."),
        ("en", "Your repeat prescription is ready at the counter."),
        ("en", "The 9:12 to Leeds leaves from platform 3."),
        ("en", "You cannot get a refund after 30 days."),
    ]:
        assert evidence(said, language) == []


def test_what_the_system_says_of_the_original_too_decides_nothing() -> None:
    found = judge_texts(["We don't have that medicine."], "We do not sell it, sorry.", "en")
    assert found.verdict == "unsure"
    shy = judge_texts(["There is no class on Sunday."], "I can't find a class on Sunday.", "en")
    assert shy.verdict == "unsure", "the original was answered with no, too"
    lost = judge_texts(["We don't have that medicine."], "Sorry, I did not understand.", "en")
    assert (lost.verdict, lost.rung) == ("clarification", "evidence")


def test_one_of_several_originals_that_was_not_understood_either_leaves_the_case_to_a_person() -> None:
    clean = [replayed((LENT, None)), replayed(("Scusi, non ho capito.", None))]
    assert judge(clean, replayed(("Scusi, non ho capito bene.", None)), "it").verdict == "unsure"


def asked(question: str, answer: str) -> Replayed:
    turns = [
        {"party": "system", "text": question, "acts": None, "understood": None},
        {"party": "user", "text": "u"},
        {"party": "system", "text": answer, "acts": None, "understood": None},
    ]
    return Replayed(turns, 1)


def test_a_question_put_again_is_evidence_in_any_language_and_silence_too() -> None:
    clean = asked("Jen la skatoloj. Kiun koloron?", "Ruĝa, bone.")
    again = judge([clean], asked("Jen la skatoloj. Kiun koloron?", "Hm. Kiun koloron?"), "eo")
    assert (again.verdict, again.rung) == ("fail", "evidence") and "“Kiun koloron?”" in str(again.reason)
    assert judge([clean], asked("Kiun koloron?", " "), "eo").verdict == "fail"


def test_a_question_that_ends_every_answer_is_no_evidence() -> None:
    clean = asked("Hello. What else?", "It costs 3 euros. What else?")
    assert judge([clean], asked("Hello. What else?", "3 euros. What else?"), "en").verdict == "unsure"


def test_an_original_that_is_answered_by_a_hand_over_is_admitted_and_one_not_understood_is_not() -> None:
    assert admit(replayed(("Le passo l'ufficio prestiti.", None)), "it") is None
    assert "did not understand" in str(admit(replayed(("Scusi, non l'ho capita.", None)), "it"))


def test_a_language_of_a_package_brings_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vivavoce.languages import base

    (tmp_path / "replies.yaml").write_text("not_understood: ['mi ne komprenis']\n", encoding="utf-8")
    monkeypatch.setattr(base, "language_of", lambda tag: base.Language("xeo", "Esperanto", tmp_path))
    found = judge_texts(["Bone."], "Pardonu, mi ne komprenis.", "xeo")
    assert (found.verdict, found.rung) == ("clarification", "evidence")
