"""Pairs that authors save: every version is kept, and nothing else in the file changes."""

from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce.languages.data import StrategyEdits
from vivavoce.study.load import check_study, load_study
from vivavoce.study.pairs import Pair, PairText, PairTurn, length, read_transcript
from vivavoce.study.pairs_check import Balance
from vivavoce.study.pairs_laboratory import PairChanged, PairsLaboratory
from vivavoce.study.pairs_strategies import draft_version, strategies
from vivavoce.study.scaffold import write_study


@pytest.fixture
def laboratory(tmp_path: Path) -> PairsLaboratory:
    write_study(tmp_path / "study", "guerini-2018", name="talk")
    study = load_study(tmp_path / "study")
    return PairsLaboratory(tmp_path / "study" / "pairs.yaml", study.languages, study.balance)


def unusual(pair: Pair) -> Pair:
    """With signs that YAML reads otherwise where they stand alone."""
    said = "Hm: \"yes\" # no, 'maybe' {a: b} – ünï\n- or so"
    turns = (*pair.text["en"].control, PairTurn(party="system", text=said))
    other = (*pair.text["en"].experimental, PairTurn(party="system", text=said))
    return pair.model_copy(
        update={"text": {"en": PairText(control=turns, experimental=other, outcome=("yes",))}}
    )


def test_signs_of_any_kind_are_read_as_they_were_saved(laboratory: PairsLaboratory) -> None:
    known = laboratory.pair("facing-cinema")
    assert known is not None
    laboratory.save(unusual(known), by="Ada", base=laboratory.digest("facing-cinema"))
    saved = laboratory.pair("facing-cinema")
    assert saved is not None
    assert saved.text["en"] == unusual(known).text["en"] and saved.text["it"] == known.text["it"]
    others = [one.pair for one in laboratory.pairs() if one.pair.pair_id != "facing-cinema"]
    assert others == [
        one for one in load_study(laboratory.path.parent).pairs if one.pair_id != "facing-cinema"
    ]


def test_what_would_not_be_read_back_is_refused_and_nothing_is_written(laboratory: PairsLaboratory) -> None:
    known, before = laboratory.pair("facing-cinema"), laboratory.path.read_bytes()
    assert known is not None
    with pytest.raises(InputError):
        laboratory.save(
            known.model_copy(update={"variable": ""}), by="Ada", base=laboratory.digest("facing-cinema")
        )
    assert laboratory.path.read_bytes() == before
    assert not list(laboratory.path.parent.glob(".*.new"))


def test_a_change_by_hand_is_noticed_too(laboratory: PairsLaboratory) -> None:
    base, known = laboratory.digest("empathy-plant"), laboratory.pair("empathy-plant")
    assert known is not None
    text = laboratory.path.read_text("utf-8")
    laboratory.path.write_text(text.replace("I only meant well", "I meant well"), encoding="utf-8")
    with pytest.raises(PairChanged):
        laboratory.save(known, by="Ada", base=base)


def test_a_new_pair_stands_at_the_end_and_an_unknown_version_is_told(laboratory: PairsLaboratory) -> None:
    known = laboratory.pair("empathy-plant")
    assert known is not None
    assert laboratory.save(known.model_copy(update={"pair_id": "second"}), by="Ada", base="")
    assert laboratory.pairs()[-1].pair.pair_id == "second"
    assert check_study(laboratory.path.parent) == []
    with pytest.raises(InputError, match="no version 9"):
        laboratory.restore(9, by="Ada")


def test_a_draft_keeps_facts_and_budget_and_touches_no_user() -> None:
    control = read_transcript(
        "System: Good morning, here is the desk. How may I assist you?\nUser: Certainly, I am here for tea."
        "\nSystem: Certainly. It is 4 euros, and you are welcome to sit down in the garden behind the house."
    )
    edits = strategies("en")["informality"]
    made = draft_version(control, edits, "en", Balance())
    assert made.made and made.experimental[1] == control[1] and "4 euros" in made.experimental[2].text
    tight = draft_version(control, edits, "en", Balance(changed=0.05))
    assert tight.left and tight.made < made.made


def test_empathy_waits_for_a_reason() -> None:
    edits = strategies("en")["empathy"]
    said = (
        "System: Yes?\nUser: {}\nSystem: The desk is open from 9 to 18 on all days but Sunday, also in May."
    )
    calm, upset = (read_transcript(said.format(one)) for one in ("When are you open?", "I lost my card."))
    assert draft_version(calm, edits, "en", Balance(changed=1)).made == 0
    assert "sorry" in draft_version(upset, edits, "en", Balance(changed=1)).experimental[2].text


TALK = read_transcript("S: Hello there.\nU: I lost my hat.\nS: You can go home again.\nS: Bye, you all.")


@pytest.mark.parametrize(("edits", "changed", "counts"), [
    ({"cues": ["LOST"], "openings": ["Oh dear."]}, {2: "Oh dear. You can go home again."}, (1, 0)),
    ({"cues": ["found"], "openings": ["Oh dear."]}, {}, (0, 0)),
    ({"openings": ["Oh dear."]}, {2: "Oh dear. You can go home again."}, (1, 0)),
    ({"openings": ["Oh.", "Ah."]}, {2: "Oh. You can go home again."}, (1, 0)),
    ({"replace": [["home", "back home"]]}, {2: "You can go back home again."}, (1, 0)),
    ({"replace": [[r"\byou\b", "ye"]]}, {2: "Ye can go home again.", 3: "Bye, ye all."}, (2, 0)),
    ({"replace": [["hat", "cap"]]}, {}, (0, 0)),
    ({"replace": [["home again", "to bed one two three four"]]}, {}, (0, 1)),
])  # fmt: skip
def test_a_draft_edits_the_turns_of_the_system_that_it_fits(edits, changed, counts) -> None:
    made = draft_version(
        TALK, StrategyEdits.model_validate({"levels": ["a", "b"], **edits}), "en", Balance(changed=0.4)
    )
    said = {place: turn.text for place, turn in enumerate(made.experimental)}
    assert said == {place: turn.text for place, turn in enumerate(TALK)} | changed
    assert (made.made, made.left) == counts


def test_as_much_may_change_as_the_study_says() -> None:
    """One token of thirteen is added to what the system says, fourteen then."""
    edits = StrategyEdits.model_validate({"levels": ["a", "b"], "replace": [["home", "back home"]]})
    tokens = length(TALK, "system") + 1
    for budget, made in ((1 / tokens, 1), (0.99 / tokens, 0)):
        assert draft_version(TALK, edits, "en", Balance(changed=budget)).made == made
