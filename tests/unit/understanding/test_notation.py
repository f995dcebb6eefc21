"""The predicate notation: read, written, and precise about what is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_commands.notation import (
    Argument,
    Listed,
    NotationError,
    Predicate,
    Words,
    normalised,
    read_predicates,
    write_predicates,
)

WORD = st.text(alphabet="abcdeàèìòù0123456789'-", min_size=1, max_size=6)
TEXT = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
WORDS = st.builds(Words, TEXT, st.booleans())
ITEM = st.builds(lambda options: Argument(tuple(options)), st.lists(WORDS, min_size=1, max_size=2))
LISTED = st.builds(
    lambda items, hid: Listed(tuple(items), hid), st.lists(ITEM, min_size=1, max_size=3), st.booleans()
)
REPEAT = st.just(Argument((Words("#"),)))
OPTIONS = st.lists(WORDS | LISTED, min_size=1, max_size=3)
ARGUMENT = st.builds(lambda options: Argument(tuple(options)), OPTIONS) | REPEAT
MARKED = st.builds(lambda options: Argument(tuple(options), True), OPTIONS)


def predicates(arguments: st.SearchStrategy[Argument]) -> st.SearchStrategy[tuple[Predicate, ...]]:
    one = st.builds(
        lambda action, given, hid: Predicate(action, tuple(given), hid),
        TEXT,
        st.lists(arguments, max_size=4),
        st.booleans(),
    )
    return st.lists(one, min_size=1, max_size=3).map(tuple)


def words(*texts: str) -> tuple[Argument, ...]:
    return tuple(Argument((Words(text),)) for text in texts)


@given(predicates(ARGUMENT))
def test_what_is_written_reads_as_the_same_predicates(given):
    assert read_predicates(write_predicates(given)) == given


@given(predicates(ARGUMENT | MARKED))
def test_the_early_notation_reads_as_the_same_predicates_and_is_normalised_without_its_braces(given):
    assert read_predicates(write_predicates(given, "early"), "early") == given
    assert read_predicates(write_predicates(given)) == tuple(map(normalised, given))


@given(predicates(ARGUMENT), st.data())
def test_a_damaged_annotation_is_read_or_refused_with_a_place_in_it(given, data):
    text = write_predicates(given)
    at = data.draw(st.integers(0, len(text) - 1))
    damaged = data.draw(st.sampled_from([text[:at], text[:at] + text[at + 1 :], text[:at] + "[" + text[at:]]))
    try:
        read = read_predicates(damaged)
    except NotationError as error:
        assert 1 <= error.column <= len(damaged) + 1
        assert error.expected
    else:
        assert read_predicates(write_predicates(read)) == read


@given(st.text(alphabet="ab ()[],;/*{}#1", max_size=30), st.sampled_from(["final", "early"]))
def test_no_text_at_all_breaks_the_reader(text, notation):
    try:
        assert read_predicates(text, notation)
    except NotationError as error:
        assert 1 <= error.column <= len(text) + 1


def test_one_predicate_stands_alone_and_several_stand_in_brackets():
    assert read_predicates("add(milk, pot)") == (Predicate("add", words("milk", "pot")),)
    both = read_predicates("[take(500 g, milk), add(milk, pot)]")
    assert [each.action for each in both] == ["take", "add"]


def test_what_nobody_said_is_implicit_be_it_argument_list_or_action():
    hidden = Argument((Words("milk", implicit=True),))
    assert read_predicates("add(*milk*, pot)")[0].arguments == (hidden, *words("pot"))
    assert read_predicates("add(*[milk, eggs]*)")[0].arguments[0].options == (
        Listed(words("milk", "eggs"), implicit=True),
    )
    assert read_predicates("*put*(salt, pot)") == (Predicate("put", words("salt", "pot"), implicit=True),)


def test_a_list_is_one_argument_and_a_slash_separates_alternatives():
    (mixed,) = read_predicates("stir([flour, water], whisk/fork/*spoon*)")
    assert len(mixed.arguments) == 2
    assert mixed.arguments[1].options == (Words("whisk"), Words("fork"), Words("spoon", implicit=True))


def test_a_fraction_is_one_quantity():
    assert read_predicates("take(1/2 l, milk)")[0].arguments == words("1/2 l", "milk")


def test_the_early_notation_joins_by_semicolons_and_an_action_may_stand_alone():
    both = read_predicates("prendere({200 g}, riso); sciacquare", "early")
    assert both[0].arguments[0].marked and not both[0].arguments[1].marked
    assert write_predicates(both) == "[prendere(200 g, riso), sciacquare()]"


def test_braces_of_the_early_notation_stand_before_behind_or_apart_from_their_noun():
    for text, final in [
        ("versare(acqua {minerale, tiepida})", "versare(acqua, minerale, tiepida)"),
        ("versare(acqua {minerale, tiepida}, pentola)", "versare(acqua, minerale, tiepida, pentola)"),
        ("aprire({altro} uovo)", "aprire(altro, uovo)"),
        ("aprire({2} {grandi} uova, *ciotola*)", "aprire(2, grandi, uova, *ciotola*)"),
        ("mescolare", "mescolare()"),
        ("mescolare {piano}; coprire", "[mescolare(piano), coprire()]"),
        ("cuocere(pasta) {10 minuti}", "cuocere(pasta, 10 minuti)"),
        ("[prendere({200 g} riso), sciacquare]", "[prendere(200 g, riso), sciacquare()]"),
        ("mescolare([{200 g} farina, acqua {tiepida}])", "mescolare([200 g, farina, acqua, tiepida])"),
        ("mettere({un po'/poco} sale)", "mettere(un po'/poco, sale)"),
    ]:
        assert write_predicates(read_predicates(text, "early")) == final


@pytest.mark.parametrize(
    "text", ["aprire(*uovo* ciotola)", "versare(acqua {tiepida)", "versare({} acqua)", "{due}"]
)
def test_early_notation_that_is_none_is_refused(text):
    with pytest.raises(NotationError):
        read_predicates(text, "early")


def test_the_cause_of_a_mistake_is_told_where_it_is_known():
    for text, cause, column in [
        ("[prendere(ciotola, aggiungere(uovo, ciotola)]", "a ')' is missing before ', aggiungere'", 18),
        ("[add(milk, pot]", "a ')' is missing before ']'", 15),
        ("add(milk", "a ')' is missing at the end", 9),
        ("[add(milk), stir(egg)", "a ']' is missing at the end", 22),
        ("add([milk, egg, pot)", "a ']' is missing before ')'", 20),
        ("add(milk), stir(egg)", "several predicates need [ ]", 10),
        ("add(milk); stir(egg)", "several predicates need [ ]", 10),
        ("mescolare", "'mescolare' lacks ( ): write mescolare() for an action without arguments", 10),
        ("[add(milk), stir]", "'stir' lacks ( ): write stir() for an action without arguments", 17),
    ]:
        with pytest.raises(NotationError) as told:
            read_predicates(text)
        assert (str(told.value.cause), told.value.column) == (cause, column)
        assert f"column {column}: {cause}" in str(told.value)


def test_the_place_of_a_mistake_is_told_with_what_was_expected():
    for text, column, expected in [
        ("add(milk", 9, "',' or ')' after an argument"),
        ("add milk", 9, "'(' after an action"),
        ("[add(milk), stir(egg)", 22, "',' or ']' after a predicate"),
        ("add(milk, , pot)", 11, "an argument"),
        ("add([milk, egg, pot)", 20, "',' or ']' in a list"),
        ("add(*milk)", 10, "a closing '*'"),
        ("add(milk) now", 11, "the end of the line"),
        ("add({1 l})", 5, "an argument"),
        ("[add(milk))", 11, "',' or ']' after a predicate"),
        ("add(milk)]", 10, "the end of the line"),
        ("", 1, "an action"),
    ]:
        with pytest.raises(NotationError) as told:
            read_predicates(text)
        assert (told.value.column, told.value.expected) == (column, expected)
