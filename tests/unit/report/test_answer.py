"""The opening sentences agree with the table, whatever the summary."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.report import content
from vivavoce.report.language import speaking, with_words
from vivavoce.report.section import SECTIONS
from vivavoce.sections.results.answer import answer
from vivavoce.stats.family import describe_family
from vivavoce.stats.multiple_testing import adjusted

MEASURES = ("subjective_success", "objective_success_assigned", "objective_success_inferred")
BETTER = re.compile(r"\bbetter\b|\bmeglio\b|\bbest\b|\bmiglior")
NO_DIFFERENCE = re.compile(
    r"no difference|could be shown|mostrare una differenza|potuto mostrare", re.IGNORECASE
)
DIFFERENT = re.compile(
    r"differences remain in [1-9]|restano differenze in [1-9]|differ in|does better|fa meglio|differiscono in"
)


@st.composite
def summaries(draw: Any) -> dict[str, Any]:
    """Two to five groups, one to three measures, p values from anywhere, declared or not."""
    groups = [f"g{number}" for number in range(draw(st.integers(2, 5)))]
    measures = MEASURES[: draw(st.integers(1, 3))]
    known, is_declared = draw(st.booleans()), draw(st.booleans())
    ratio = st.integers(0, 20).map(lambda k: k / 20)
    rates = {name: {key: draw(ratio) for key in groups} for name in measures}
    chance = st.one_of(st.none(), st.floats(0, 1), st.floats(0, 0.01))
    tests = []
    for name in measures:
        for place, a in enumerate(groups):
            for b in groups[place + 1 :]:
                p, difference = draw(chance), rates[name][a] - rates[name][b]
                side = {"low": difference - 0.1, "high": difference + 0.1, "p": p, "p_adjusted": None}
                tests.append({
                    "measure": name, "a": a, "b": b, "difference": difference, "z": 0.0,
                    "unit": "participant" if known else "case", "signature": "s", "alpha": 0.05,
                    "family": "declared" if is_declared and name == measures[0] else "explored",
                    **side, "clustered": {**side, "t": 0.0},
                })  # fmt: skip
    families, results = [], []
    for kind in ("declared", "explored"):
        own = [one for one in tests if one["family"] == kind]
        for one, p in zip(own, adjusted([one["p"] for one in own], "holm"), strict=True):
            (one["clustered"] if known else one)["p_adjusted"] = p
            one["significant"] = None if p is None else p < 0.05
        if own:
            told = describe_family(kind, own, "holm", lambda one: one["p"])
            why = "Declared beforehand: nothing could be tested." if kind == "declared" else told["why"]
            families.append({**told, "why": why})
        if kind == "declared":
            results = [{**one, **one["clustered"], "p_adjusted": p, "question": "primary"} for one, p in
                       zip(own, adjusted([one["p"] for one in own], "holm"), strict=True)]  # fmt: skip
    return {
        "study": "s", "by_what": "system", "simulated": False, "tests": tests, "families": families,
        "declared": {"family": families[0], "results": results, "choices": []} if results else None,
        "model": {"name": "permutation", "why": ""},
        "all": _row("all", dict.fromkeys(measures, 0.5)),
        "by": [_row(key, {name: rates[name][key] for name in measures}) for key in groups],
    }  # fmt: skip


def _row(key: str, rates: dict[str, float]) -> dict[str, Any]:
    facts = {
        name: {"ratio": ratio, "low": 0.0, "high": 1.0, "n": 20, "successes": 1, "unit": "dialogue",
               "clustered": None}
        for name, ratio in rates.items()
    }  # fmt: skip
    return {"key": key, "dialogues": 20, "participants": 10, "measures": {}, **facts}


@given(summary=summaries(), language=st.sampled_from(["en", "it"]))
def test_the_opening_never_contradicts_its_table(summary, language):
    with speaking(language), with_words(SECTIONS.get("results").locale):
        table = content.tests_table(summary)
        said = [one for one in answer(summary) if not one.startswith(("It rests", "Si basa"))][:-1]
    assert table is not None
    bold = sum(cell.strong for row in table.rows for cell in row.cells)
    assert bold == sum(bool(one["significant"]) for one in summary["tests"])
    told = " ".join(said)
    if bold:
        assert DIFFERENT.search(told)
    else:
        assert not DIFFERENT.search(told)
        assert not BETTER.search(told)
    declared = {one["significant"] for one in summary["tests"] if one["family"] == "declared"}
    assert (True in declared) == bool(BETTER.search(told)), "only what was declared is called better"
    for family, opening in (("declared", "declared"), ("explored", "Explored")):
        own = {one["significant"] for one in summary["tests"] if one["family"] == family}
        if language == "en" and True in own and family == "explored":
            (sentence,) = [one for one in said if one.startswith(f"{opening}, not declared beforehand")]
            assert not NO_DIFFERENCE.search(sentence)


@given(summary=summaries())
def test_how_many_differ_is_counted_over_every_pair(summary):
    own = [one for one in summary["tests"] if one["family"] == "explored"]
    differing = sum(bool(one["significant"]) for one in own)
    tested = sum(one["significant"] is not None for one in own)
    said = [one for one in answer(summary) if one.startswith("Explored")]
    if differing:
        comparisons = f"{tested} comparison{'' if tested == 1 else 's'}"
        assert f"Holm over {comparisons}, differences remain in {differing}." in said[0]
    elif said:
        assert "differences remain" not in said[0]


def test_four_conditions_of_which_middle_pairs_differ_are_not_called_alike():
    """The largest gap may be between small groups: what differs may be any pair."""
    keys = {"S0A0": 0.766, "S0A1": 0.80, "S1A0": 0.778, "S1A1": 0.852}
    p_of = {("S0A1", "S1A0"): 0.0004, ("S1A0", "S1A1"): 0.0003}
    pairs = [(a, b) for a in keys for b in keys if a < b]
    tests = []
    for a, b in pairs:
        p = p_of.get((a, b), 0.4)
        side = {"low": -0.1, "high": 0.1, "p": p, "p_adjusted": None, "t": 1.0}
        tests.append({"measure": MEASURES[0], "a": a, "b": b, "difference": keys[a] - keys[b], "z": 1.0,
                      "unit": "participant", "family": "explored", "alpha": 0.05, "signature": "s",
                      **side, "clustered": side})  # fmt: skip
    for one, p in zip(tests, adjusted([one["p"] for one in tests], "holm"), strict=True):
        one["clustered"]["p_adjusted"], one["significant"] = p, p < 0.05
    summary = {
        "tests": tests, "declared": None, "by_what": "condition",
        "families": [describe_family("explored", tests, "holm", lambda one: one["p"])],
        "all": _row("all", {MEASURES[0]: 0.8}),
        "by": [_row(key, {MEASURES[0]: one}) for key, one in keys.items()],
    }  # fmt: skip
    (said, *_) = answer(summary)
    assert "over 6 comparisons, differences remain in 2." in said
    assert "S1A1 stands at 85.2%, S1A0 at 77.8%" in said
    assert "no difference" not in said.lower()
