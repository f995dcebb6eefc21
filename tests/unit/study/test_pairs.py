"""Transcripts as written, and what was changed between two of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.study.pairs import (
    Pair,
    PairText,
    PairTurn,
    UnreadableTranscript,
    length,
    read_transcript,
    tokens,
    write_transcript,
)
from vivavoce.study.pairs_check import Balance, length_warnings, pair_problems, pair_warnings
from vivavoce.study.pairs_difference import difference

LINES = st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp", "Zs")), min_size=1, max_size=20)
TURNS = st.lists(
    st.builds(
        lambda party, lines: PairTurn(party=party, text="\n".join(lines)),
        st.sampled_from(["system", "user"]),
        st.lists(LINES, min_size=1, max_size=3),
    ),
    max_size=6,
).map(tuple)


@given(TURNS)
def test_a_transcript_that_is_written_is_read_as_it_was(transcript):
    assert read_transcript(write_transcript(transcript)) == transcript


def test_speakers_have_short_and_italian_names_and_indented_lines_go_on():
    read = read_transcript("S: Hello.\n\nUtente: I need\n  two seats: now\nsistema: Done.\n")
    assert [(turn.party, turn.text) for turn in read] == [
        ("system", "Hello."),
        ("user", "I need\ntwo seats: now"),
        ("system", "Done."),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("System: Hello\nBot: hi", "line 2: unknown speaker 'Bot'. Begin the line with `System:`"),
        ("System: Hello\nwhat now", "line 2: 'what now' has no speaker"),
        ("System:\nUser: hello", "turn 1 is empty"),
    ],
)
def test_a_line_of_nobody_is_named(text, message):
    with pytest.raises(UnreadableTranscript, match=message):
        read_transcript(text)


def test_tokens_are_words_numbers_and_marks():
    assert tokens("That's 30.85 g, at 18:05!") == ["That's", "30.85", "g", ",", "at", "18:05", "!"]


def pair(control: str, experimental: str) -> PairText:
    return PairText(control=read_transcript(control), experimental=read_transcript(experimental))


def test_an_insertion_is_counted_word_by_word_and_letter_case_is_no_change():
    changed = difference(
        pair("System: Your meal has 61 g.\nUser: Ah", "System: No worry! Your meal has 61 g.\nUser: Ah")
    )
    assert (changed.removed, changed.added) == (0, 3)
    assert changed.segments[0].pieces[0] == ("added", "No worry! ")
    again = difference(pair("System: Your meal", "System: Anyway, your meal"))
    assert (again.removed, again.added) == (0, 2)


def test_an_added_system_turn_stands_where_it_was_added():
    changed = difference(pair("System: a\nUser: b\nSystem: c", "System: a\nUser: b\nSystem: c\nSystem: d e"))
    assert [(one.party, [piece.kind for piece in one.pieces]) for one in changed.segments] == [
        ("system", ["same"]),
        ("user", ["same"]),
        ("system", ["same", "added"]),
    ]
    assert (changed.removed, changed.added) == (0, 2)


@given(TURNS, TURNS)
def test_a_difference_accounts_for_every_token_of_both_versions(control, experimental):
    text = PairText(control=control, experimental=experimental)
    changed = difference(text)
    same = sum(
        len(tokens(piece.text)) for one in changed.segments for piece in one.pieces if piece.kind == "same"
    )
    assert length(text.experimental) == same + changed.added
    assert length(text.control) == same + changed.removed
    pieces = [piece for one in changed.segments for piece in one.pieces]
    for turns, gone in ((control, "added"), (experimental, "removed")):
        told = " ".join(piece.text for piece in pieces if piece.kind != gone)
        said = " ".join(turn.text for turn in turns)
        assert "".join(tokens(told)).casefold() == "".join(tokens(said)).casefold(), "in their order"


@given(TURNS)
def test_a_transcript_does_not_differ_from_itself(transcript):
    changed = difference(PairText(control=transcript, experimental=transcript))
    assert (changed.removed, changed.added) == (0, 0)


@given(TURNS, TURNS)
def test_the_digest_tells_pairs_apart(control, experimental):
    one, other = (
        PairText(control=control, experimental=experimental),
        PairText(control=experimental, experimental=control),
    )
    assert (one.digest == other.digest) == (control == experimental)


WORDS = "alder birch cedar elder fir hazel larch maple"


@pytest.mark.parametrize(
    ("control", "experimental", "limits", "problems"),
    [
        (WORDS, f"{WORDS} oak pine", Balance(tokens=0.25, changed=1), []),
        (WORDS, f"{WORDS} oak pine rowan", Balance(tokens=0.25, changed=1), ["tokens"]),
        (f"{WORDS} oak pine", WORDS, Balance(tokens=0.2, changed=1), []),
        (WORDS, "alder birch cedar elder a b c d", Balance(changed=0.5), []),
        (WORDS, "alder birch cedar a b c d e", Balance(changed=0.5), ["changed"]),
    ],
)
def test_transcripts_may_be_as_far_apart_as_the_study_says(
    control: str, experimental: str, limits: Balance, problems: list[str]
) -> None:
    both = ((PairTurn(party="system", text=one),) for one in (control, experimental))
    text = PairText(control=next(both), experimental=next(both))
    found = pair_problems(Pair(pair_id="p", variable="v", text={"en": text}), "en", limits)
    hints = "".join(str(one.hint) for one in found)
    assert [one for one in ("tokens", "changed", "turns") if f"balance.{one}" in hints] == problems


def test_lengths_are_those_of_pairs_of_the_experiment_in_the_language_that_have_a_control() -> None:
    """Checks of attention, pairs in other languages and empty controls say nothing of the strategy."""
    longer = pair("S: two words\n", "S: two words and four more here\n")
    same, empty = pair("S: two words\n", "S: two words\n"), PairText(control=(), experimental=longer.control)
    around = [
        Pair(pair_id="check", variable="v", attention="identical", text={"en": same}),
        Pair(pair_id="italian", variable="v", text={"it": same}),
        Pair(pair_id="empty", variable="v", text={"en": empty}),
    ]
    assert length_warnings(around, "en") == []
    (found,) = length_warnings([*around, Pair(pair_id="p", variable="v", text={"en": longer})], "en")
    assert "over 10 % longer" in str(found)


@pytest.mark.parametrize(
    ("lengths", "said"),
    [([11], ""), ([12], "longer"), ([12, 11], ""), ([9], ""), ([8], "shorter"), ([8, 9], ""), ([8, 12], "")],
)
def test_over_ten_percent_is_more_than_ten_percent_in_every_pair(lengths: list[int], said: str) -> None:
    pairs = [pair("S:" + " word" * 10 + "\n", "S:" + " word" * one + "\n") for one in lengths]
    found = length_warnings([Pair(pair_id="p", variable="v", text={"en": one}) for one in pairs], "en")
    assert [f"over 10 % {said}" in str(one) for one in found] == ([True] if said else [])


WIDE = Balance(tokens=9, changed=1)
ASKED = "S: We are open.\nU: Since when?\nS: Since 9."


@pytest.mark.parametrize(
    ("control", "experimental", "facts", "problems"),
    [
        ("", ASKED, {}, ["the control transcript has no turns"]),
        (ASKED, "", {}, ["the experimental transcript has no turns"]),
        ("", "", {}, ["the control transcript has no turns"]),
        (ASKED, "S: Closed.", {"attention": "broken"}, []),
        (ASKED, ASKED, {"attention": "identical"}, []),
        (ASKED, ASKED.replace("are", "stay"), {"attention": "identical"}, ["an identical pair differ"]),
        (ASKED, ASKED, {}, ["the transcripts do not differ"]),
        (ASKED, ASKED.replace("Since 9", "It was since 9"), {}, []),
        (ASKED, ASKED + "\nU: Thanks.", {}, ["the user has 1 turns in the control and 2 in the other"]),
        (ASKED, ASKED.replace("when", "what day"), {}, ["user turn 1 differs"]),
        (ASKED, ASKED + "\nS: Welcome.", {}, ["the control has 3 turns and the experimental one 4"]),
        (ASKED + "\nS: Welcome.", ASKED, {}, ["the control has 4 turns and the experimental one 3"]),
        (ASKED, ASKED.replace("9", "8"), {}, ["after the user's last turn, the control says 9"]),
        (ASKED, ASKED.replace("open", "open at 5"), {}, ["before user turn 1, the control says nothing"]),
    ],
)
def test_what_makes_a_pair_unfit_is_told_with_its_place(
    control: str, experimental: str, facts: dict, problems: list[str]
) -> None:
    both = Pair(pair_id="p", variable="v", text={"en": pair(control, experimental)}, **facts)
    found = [str(one.problem) for one in pair_problems(both, "en", WIDE)]
    assert len(found) == len(problems)
    assert all(part in one for part, one in zip(problems, found, strict=True)), found


def test_one_turn_more_is_no_problem_where_the_study_allows_it() -> None:
    both = Pair(pair_id="p", variable="v", text={"en": pair(ASKED, ASKED + "\nS: Welcome.")})
    assert pair_problems(both, "en", Balance(tokens=9, changed=1, turns=1)) == []


@pytest.mark.parametrize(
    ("phrase", "told"),
    [
        ("since 9", (True, True)),
        ("Since", (True, True)),
        ("we are open", (True, True)),
        ("open we are", (False, False)),
        ("sinc", (False, False)),
        ("so early", (False, True)),
        ("open since", (False, False)),
        ("when", (False, False)),
    ],
)
def test_an_outcome_is_whole_words_in_their_order_in_one_turn_of_the_system(phrase, told) -> None:
    text = pair(ASKED, ASKED.replace("9", "9, so early")).model_copy(update={"outcome": (phrase,)})
    both = Pair(pair_id="p", variable="v", text={"en": text})
    found = [str(one.problem) for one in pair_problems(both, "en", WIDE)]
    missed = [
        any(f"in the {name} transcript" in one for one in found) for name in ("control", "experimental")
    ]
    assert missed == [not one for one in told]


@pytest.mark.parametrize(
    ("experimental", "facts", "warnings"),
    [
        (ASKED.replace("are", "stay"), {"change": "insertion"}, ["declared as insertion"]),
        (ASKED.replace("are", "are now"), {"change": "insertion"}, []),
        (ASKED.replace("are", "are now"), {"change": "substitution"}, ["declared as substitution"]),
        (ASKED.replace("are", "stay"), {"change": "substitution"}, []),
        (ASKED.replace("are", "stay"), {"change": "insertion", "attention": "broken"}, []),
        (ASKED.replace("are", "stay"), {}, []),
    ],
)
def test_a_pair_that_is_not_what_it_is_called_is_doubtful(experimental, facts, warnings) -> None:
    both = Pair(pair_id="p", variable="v", text={"en": pair(ASKED, experimental)}, **facts)
    found = [str(one.problem) for one in pair_warnings(both, "en")]
    assert len(found) == len(warnings) and all(a in b for a, b in zip(warnings, found, strict=True))


def test_a_pair_without_any_fact_needs_an_outcome() -> None:
    text = pair("S: How nice of you.", "S: How very nice of you.")
    for outcome, doubts in (((), 1), (("nice of you",), 0)):
        own = text.model_copy(update={"outcome": outcome})
        both = Pair(pair_id="p", variable="v", change="insertion", text={"en": own})
        assert len(pair_warnings(both, "en")) == doubts
