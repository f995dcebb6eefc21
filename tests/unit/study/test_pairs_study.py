"""A study's pairs: each kind of broken pair fails the check with its reason; the shipped ones pass."""

from pathlib import Path

import pytest

from vivavoce.study.load import check_study, load_study
from vivavoce.study.pairs import length
from vivavoce.study.pairs_study import comparison_warnings
from vivavoce.study.scaffold import write_study
from vivavoce.study.step_kind import kind_of

STUDY = """\
study: talk
visit:
  - compare: {pairs: pairs.yaml%s}
"""
PAIRS = """\
pairs:
  - id: first
    variable: empathy
    change: insertion
    text:
      en:
        outcome: 18:05
        control: |
          System: Good afternoon, where would you like to go?
          User: I missed the train to Lindwood.
          System: The next train to Lindwood leaves at 18:05 from platform 3.
          User: Thanks.
        experimental: |
          System: Good afternoon, where would you like to go?
          User: I missed the train to Lindwood.
          System: Oh no! The next train to Lindwood leaves at 18:05 from platform 3.
          User: Thanks.
"""


@pytest.fixture
def written(tmp_path):
    def write(pairs: str = PAIRS, settings: str = "") -> list[str]:
        (tmp_path / "study.yaml").write_text(STUDY % settings, encoding="utf-8")
        (tmp_path / "pairs.yaml").write_text(pairs, encoding="utf-8")
        return [str(problem) for problem in check_study(tmp_path)]

    return write


def in_the_experimental(old: str, new: str) -> str:
    before, found, after = PAIRS.partition("experimental: |")
    return before + found + after.replace(old, new)


def test_a_fair_pair_passes_and_needs_no_system(written, tmp_path):
    assert written() == []
    study = load_study(tmp_path)
    assert study.systems == {}
    step = study.visit[0]
    asked = [question.question_id for question in step.material.questions]
    assert asked == ["ease", "satisfaction", "utility", "interaction"]
    assert kind_of(step).preregistration_line(step, study) == "one pair of transcripts for each of empathy"
    assert comparison_warnings(study.pairs, ("en",)) == []


LONG = "Oh no, what a pity, that must be so very annoying, and in the rain as well, I am so sorry for you!"
BROKEN = [
    (
        in_the_experimental("User: I missed the train", "User: I have missed the train"),
        "user turn 1 differs: 'I missed the train to Lindwood.' and 'I have missed",
    ),
    (in_the_experimental("User: Thanks.", ""), "the user has 2 turns in the control and 1 in the other"),
    (in_the_experimental("leaves at 18:05", "leaves at 19:05"), "the outcome '18:05' is missing"),
    (in_the_experimental("leaves at 18:05", "leaves at 118:05"), "is missing in the experimental"),
    (in_the_experimental("Oh no! ", ""), "the transcripts do not differ. Change the system's turns"),
    (in_the_experimental("Oh no!", LONG), "tokens against the control's 31 (+90%), more than 25% apart"),
    (
        in_the_experimental("System: Oh no! The", "System: Oh no!\\n          System: The"),
        "the control has 4 turns and the experimental one 5. Join or split turns",
    ),
    (
        in_the_experimental("Good afternoon, where would you like to go?", "Hello. Tell me a town").replace(
            "Oh no! The next train to Lindwood leaves at", "One more goes to your town soon, namely"
        ),
        "of the system's tokens changed, more than 25%",
    ),
    (
        PAIRS.split("        experimental:")[0],
        "pairs[0].text.en.experimental: 'experimental' is missing. Add it",
    ),
    (in_the_experimental("System: Oh", "Bot: Oh"), "unknown speaker 'Bot'. Begin the line with `System:`"),
    (PAIRS + PAIRS.removeprefix("pairs:\n"), "pair 'first' is listed twice"),
    (PAIRS.replace("      en:", "      it:"), "pair 'first' (en): not written in 'en'. Add `en:`"),
    (PAIRS.replace("change: insertion", "change: insert"), "unknown change 'insert'. Did you mean"),
    (PAIRS.replace("    variable: empathy\n", ""), "'variable' is missing"),
    ("pairs: []\n", "pairs.yaml:1 pairs: 'pairs' has 0 of at least 1"),
]


@pytest.mark.parametrize(("pairs", "message"), [(one.replace("\\n", "\n"), text) for one, text in BROKEN])
def test_every_kind_of_broken_pair_is_told_with_its_place(written, pairs, message):
    problems = written(pairs)
    assert any(message in problem for problem in problems), problems
    assert all(problem.startswith(("pairs.yaml", "study.yaml")) for problem in problems)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (", variables: [empathy, facing]", "visit[0].compare.variables[1]: variable 'facing' has no pair"),
        (", variables: [empathy, empathy]", "variable 'empathy' is listed twice"),
        (", attention: true", "no pair is marked as an attention check"),
        (", repeats: 2", "cannot repeat 2 of 1 pairs"),
        (", questions: mine.yaml", "visit[0].compare.questions: no file 'mine.yaml'"),
        (", ties: perhaps", "visit[0].compare.ties: 'perhaps' where true or false is expected"),
        ("}\n  - compare: {pairs: pairs.yaml", "visit[1].compare: there are two steps 'compare'"),
    ],
)
def test_settings_that_do_not_fit_the_pairs_are_told(written, settings, message):
    problems = written(PAIRS, settings)
    assert any(message in problem for problem in problems), problems


def test_thresholds_are_the_study_s(written):
    longer = in_the_experimental("Oh no!", LONG)
    assert written(longer, ", balance: {tokens: 1, changed: 0.8}") == []


def test_pairs_that_are_compared_are_held_to_the_balance_of_the_comparison_where_they_are_read_too(written):
    longer = in_the_experimental("Oh no!", LONG)
    rating = "}\n  - rate: {pairs: pairs.yaml"
    assert written(longer, ", balance: {tokens: 1, changed: 0.8}" + rating) == []
    longer_than, more_than = written(longer, rating)
    assert "more than 25% apart" in longer_than and "changed, more than 25%" in more_than


def test_an_attention_pair_is_nonsense_or_the_same(written):
    broken = in_the_experimental("The next train", "Spoon spoon").replace(
        "    variable", "    attention: broken\n    variable"
    )
    assert any("all pairs are attention checks" in problem for problem in written(broken))
    same = PAIRS.replace("    variable", "    attention: identical\n    variable")
    assert any("the transcripts of an identical pair differ" in problem for problem in written(same))


def test_doubts_are_told_in_words(written, tmp_path):
    said = in_the_experimental("platform 3", "track 3").replace("        outcome: 18:05\n", "")
    assert written(said) == []
    study = load_study(tmp_path)
    warnings = "\n".join(comparison_warnings(study.pairs, ("en",)))
    assert "declared as insertion, but 1 tokens of the control are missing" in warnings


def test_facts_that_differ_are_told_with_their_place_unless_the_author_calls_them_the_same(written):
    said = in_the_experimental("platform 3", "track 4")
    (problem,) = written(said)
    assert "before user turn 2, the control says 3 where the experimental version says 4" in problem
    assert "under `equivalent`" in problem
    same = said.replace("        outcome: 18:05\n", "        equivalent: [[platform 3, track 4]]\n")
    assert written(same) == []


def test_a_strategy_that_always_makes_the_text_longer_is_a_doubt(written, tmp_path):
    assert written(in_the_experimental("Oh no!", "Oh no, oh no!")) == []
    study = load_study(tmp_path)
    assert "every experimental version is over 10 % longer" in comparison_warnings(study.pairs, ("en",))[0]


TEXT_FILE = """\
variable: empathy
change: insertion
experimental_level: warm
outcome: 18:05 | platform 3

== control
System: Where would you like to go today?
User: To Lindwood.
System: The next train leaves at 18:05 from platform 3.
== experimental
System: Where would you like to go today?
User: To Lindwood.
System: Lovely! The next train leaves at 18:05 from platform 3.
"""


def folder_of(tmp_path: Path, **files: str) -> list[str]:
    (tmp_path / "study.yaml").write_text(STUDY.replace("pairs.yaml", "pairs") % "", encoding="utf-8")
    (tmp_path / "pairs").mkdir()
    for name, text in files.items():
        (tmp_path / "pairs" / (name.replace("_", ".") + ".txt")).write_text(text, encoding="utf-8")
    return [str(problem) for problem in check_study(tmp_path)]


def test_a_folder_of_text_files_does_as_well(tmp_path):
    assert folder_of(tmp_path, one_en=TEXT_FILE, one_it=TEXT_FILE) == []
    (pair,) = load_study(tmp_path).pairs
    assert (pair.pair_id, pair.experimental_level, sorted(pair.text)) == ("one", "warm", ["en", "it"])
    assert pair.text["en"].outcome == ("18:05", "platform 3")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("one", TEXT_FILE, "pairs/one.txt: its name has no language"),
        ("one_en", TEXT_FILE.replace("== control", ""), "does not contain two transcripts"),
        ("one_en", TEXT_FILE.replace("variable: empathy\n", ""), "'variable' is missing"),
        ("one_en", "mood: good\n" + TEXT_FILE, "pairs/one.en.txt:1: unknown line 'mood: good'"),
        ("one_en", TEXT_FILE.replace("User:", "Anna:", 1), "pairs/one.en.txt:8: unknown speaker 'Anna'"),
        ("one_en", TEXT_FILE.replace("insertion", "insert"), "unknown change 'insert'"),
    ],
)
def test_a_broken_text_file_is_told_with_its_line(tmp_path, name, text, message):
    problems = folder_of(tmp_path, **{name: text})
    assert any(message in problem for problem in problems), problems


def test_the_shipped_pairs_are_ten_over_five_variables_in_two_languages_and_pass(tmp_path):
    write_study(tmp_path, "guerini-2018", name="talk")
    assert check_study(tmp_path) == []
    study = load_study(tmp_path)
    own = [pair for pair in study.pairs if pair.attention is None]
    assert sorted(pair.variable for pair in own) == sorted(
        2 * ["alignment", "empathy", "facing", "formality", "vocabulary"]
    )
    assert all(set(pair.text) == {"en", "it"} for pair in study.pairs)
    assert all(length(text.control) > 40 for pair in own for text in pair.text.values())
    assert comparison_warnings(study.pairs, study.languages) == []


def test_the_revision_covers_pairs_and_questions(tmp_path):
    write_study(tmp_path, "guerini-2018", name="talk")
    before = load_study(tmp_path).revision
    pairs = tmp_path / "pairs.yaml"
    pairs.write_text(pairs.read_text().replace("Good afternoon", "Good evening"), encoding="utf-8")
    assert load_study(tmp_path).revision != before
