"""Pairs that authors save: every version is kept, and nothing else in the file changes."""

from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce.dashboard.pairs_laboratory import PairChanged, PairsLaboratory
from vivavoce.study.load import check_study, load_study
from vivavoce.study.pairs import Pair, PairText, PairTurn
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
