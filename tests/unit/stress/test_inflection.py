"""Italian inflection by rule: irregular verbs by their endings, and genders that an ending hides."""

import pytest

from vivavoce.stress.italian.morphology import RULES


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("raggiungere", "raggiunta"), ("condividere", "condivisa"), ("venire", "venuta"),
        ("vivere", "vissuta"),
        ("scendere", "scesa"), ("vendere", "venduta"), ("produrre", "prodotta"), ("cogliere", "colta"),
        ("rompere", "rotta"), ("dirigere", "diretta"), ("credere", "creduta"), ("finire", "finita"),
    ],
)  # fmt: skip
def test_participles_follow_the_family_of_the_verb(verb: str, expected: str) -> None:
    assert RULES.participle(verb, "f", "s") == expected


@pytest.mark.parametrize(
    ("verb", "form", "expected"),
    [
        ("ottenere", "3s", "ottiene"), ("ottenere", "v1s", "otterrei"), ("mangiare", "v1s", "mangerei"),
        ("cominciare", "v3s", "comincerebbe"), ("pagare", "v1s", "pagherei"),
        ("prenotare", "v1s", "prenoterei"),
        ("proporre", "c3s", "proponga"), ("produrre", "3p", "producono"), ("investire", "3s", "investe"),
        ("finire", "3s", "finisce"), ("riempire", "3s", "riempie"), ("inseguire", "3s", "insegue"),
        ("raccogliere", "c3s", "raccolga"), ("rimanere", "1s", "rimango"),
    ],
)  # fmt: skip
def test_tenses_follow_the_family_of_the_verb(verb: str, form: str, expected: str) -> None:
    assert RULES.verb(verb, form) == expected


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("problema", "problemi"), ("energia", "energie"), ("spiaggia", "spiagge"), ("amica", "amiche"),
     ("città", "città"), ("bar", "bar"), ("parco", "parchi")],
)  # fmt: skip
def test_plurals_go_by_gender_and_sound(noun: str, expected: str) -> None:
    assert RULES.plural(noun) == expected
