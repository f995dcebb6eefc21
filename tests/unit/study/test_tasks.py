"""Generated tasks: satisfiable where they should be, repeatable by seed, grammatical in both languages."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.core.errors import InputError
from vivavoce.study.file import Tasks
from vivavoce.study.ontology import load_ontology
from vivavoce.study.task import DONTCARE
from vivavoce.study.tasks import (
    check_settings,
    generate_tasks,
    indefinite,
    listed,
    phrase,
    premodifier,
    sentences_in,
    wish,
)

LANGUAGES = ("en", "it")


def settings_of(**written: object) -> Tasks:
    return Tasks.model_validate({"generate": 60, **written})


@given(
    seed=st.integers(0, 10_000),
    unsatisfiable=st.sampled_from([0.0, 0.1, 0.25, 1.0]),
    dontcare=st.floats(0, 1),
)
@settings(max_examples=25)
def test_tasks_keep_what_the_settings_promise(marlowe, seed, unsatisfiable, dontcare):
    wanted = settings_of(seed=seed, unsatisfiable=unsatisfiable, dontcare=dontcare)
    tasks = generate_tasks(marlowe, wanted, LANGUAGES)
    assert len(tasks) == 60
    assert len({task.task_id for task in tasks}) == 60
    assert sum(not task.venues for task in tasks) == int(60 * unsatisfiable + 0.5)
    for task in tasks:
        assert 2 <= len(task.constraints) <= 3
        assert 1 <= len(task.requests) <= 2
        assert any(value != DONTCARE for value in task.constraints.values())
        assert set(task.constraints) <= set(marlowe.constraint_slots(task.type))
        assert set(task.requests) <= set(marlowe.request_slots(task.type))
        assert list(task.venues) == [v.venue_id for v in marlowe.matching(task.type, task.constraints)]
        assert (task.alternative is None) == bool(task.venues)
        if task.alternative is not None:
            other = task.alternative.constraints
            assert list(task.alternative.venues) == [v.venue_id for v in marlowe.matching(task.type, other)]
            assert task.alternative.venues
            assert sum(task.constraints[slot] != other[slot] for slot in other) == 1


def test_the_same_seed_gives_the_same_tasks_and_another_seed_others(marlowe):
    first = generate_tasks(marlowe, settings_of(seed=7), LANGUAGES)
    assert generate_tasks(marlowe, settings_of(seed=7), LANGUAGES) == first
    assert generate_tasks(marlowe, settings_of(seed=8), LANGUAGES) != first


def test_goals_do_not_depend_on_the_languages(marlowe):
    both = generate_tasks(marlowe, settings_of(seed=3), LANGUAGES)
    one = generate_tasks(marlowe, settings_of(seed=3), ("en",))
    assert [(t.constraints, t.requests, t.text["en"]) for t in both] == [
        (t.constraints, t.requests, t.text["en"]) for t in one
    ]


def test_two_hundred_tasks_have_two_hundred_goals_and_texts(marlowe):
    tasks = generate_tasks(marlowe, settings_of(generate=200, seed=7), LANGUAGES)
    goals = {(t.type, tuple(sorted(t.constraints.items())), t.requests) for t in tasks}
    assert len(goals) == 200
    for language in LANGUAGES:
        assert len({task.text[language] for task in tasks}) == 200
    assert {task.type for task in tasks} == set(marlowe.types)


def test_the_share_of_dontcare_is_about_what_was_asked(marlowe):
    def share(wanted: float) -> float:
        tasks = generate_tasks(marlowe, settings_of(generate=400, dontcare=wanted, seed=1), ("en",))
        values = [value for task in tasks for value in task.constraints.values()]
        return values.count(DONTCARE) / len(values)

    assert share(0) == 0
    assert 0.14 < share(0.2) < 0.26


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_mention_every_value_and_every_request(marlowe, language):
    for task in generate_tasks(
        marlowe, settings_of(generate=300, seed=11, unsatisfiable=0.2, dontcare=0.2), LANGUAGES
    ):
        text = task.text[language].lower()
        for slot, value in task.constraints.items():
            if value == DONTCARE:
                assert marlowe.slots[slot].anything[language].lower() in text
                continue
            verb = r"^(be|essere) "
            ways = [
                premodifier(marlowe, slot, value, language),
                phrase(marlowe, slot, value, language),
                re.sub(verb, "", wish(marlowe, slot, value, language)),
            ]
            assert any(way and way.lower() in text for way in ways), (text, ways)
        for slot in task.requests:
            assert marlowe.slots[slot].asked_as[language] in text
        if task.alternative is not None:
            assert text.count("?") == 1
            changed = [s for s, v in task.alternative.constraints.items() if task.constraints[s] != v]
            assert (
                phrase(marlowe, changed[0], task.alternative.constraints[changed[0]], language).lower()
                in text
            )


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_clean_sentences(marlowe, language):
    texts = [
        t.text[language]
        for t in generate_tasks(marlowe, settings_of(generate=300, seed=5, unsatisfiable=0.3), LANGUAGES)
    ]
    for text in texts:
        assert not re.search(r"  |[{}]| [.,?]|dontcare|None|_", text)
        assert text[0].isupper()
        assert text.endswith(".")
        assert not re.search(r"[.?] [a-zà-ù]", text)
        if language == "en":
            assert not re.search(r"\ba [aeio]|\ban [^aeiou]", text, re.IGNORECASE)
        else:
            assert not re.search(r"\b(e e[a-z]|un[oa]? [aeiou]{2}|di il|a il)\b", text)
    openings = {tuple(text.split()[:2]) for text in texts}
    assert len(openings) >= 3


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Italian restaurant", "an Italian restaurant"),
        ("cheap pub", "a cheap pub"),
        ("European café", "a European café"),
        ("Ethiopian restaurant", "an Ethiopian restaurant"),
        ("unusual pub", "an unusual pub"),
        ("hour", "an hour"),
        ("unique pub", "a unique pub"),
    ],
)
def test_the_article_follows_the_sound(words, expected):
    assert indefinite(words, sentences_in("en")) == expected


LIBRARY = """\
ontology: library
types:
  book:
    en: {text: book, article: a book, plural: books}
    it: {text: libro, article: un libro, plural: libri}
  atlas:
    en: {text: atlas, article: an atlas, plural: atlases}
    it: {text: atlante, article: un atlante, plural: atlanti}
  review:
    en: {text: journal, article: a journal, plural: journals}
    it: {text: rivista, article: una rivista, plural: riviste}
slots:
  site:
    constraint: true
    phrase: {en: "at the {value}", it: "nella sede {value}"}
    wish: {en: "be {phrase}", it: "essere {phrase}"}
    anything: {en: any site will do, it: qualsiasi sede va bene}
    values: {porto: {en: {text: port}, it: {text: porto}}, centro: {en: {text: centre}, it: {text: centro}}}
  readers:
    constraint: true
    phrase: {en: "for {value}", it: "per {value}"}
    wish: {en: "be {phrase}", it: "essere {phrase}"}
    anything: {en: any reader will do, it: per chiunque}
    values: {kids: {en: {text: children}, it: {text: bambini}}, old: {en: {text: adults}, it: {text: adulti}}}
  shelf: {request: true, asked_as: {en: the shelf, it: lo scaffale}}
venues:
"""


@pytest.mark.parametrize(
    ("kind", "wished"),
    [("book", "Il libro deve"), ("atlas", "L'atlante deve"), ("review", "La rivista deve")],
)
def test_what_is_looked_for_is_called_by_the_ontologys_own_word(tmp_path, kind, wished):
    venues = [
        f"  - {{id: {name}{place}, name: N{name}{place}, type: {name}, "
        f'slots: {{site: porto, readers: {readers}, shelf: "{place}"}}}}'
        for name in ("book", "atlas", "review")
        for place, readers in enumerate(("kids", "old"))
    ]
    (tmp_path / "library.yaml").write_text(LIBRARY + "\n".join(venues) + "\n", encoding="utf-8")
    library = load_ontology(tmp_path / "library.yaml")
    wanted = settings_of(types=[kind], generate=60, unsatisfiable=0.5, constraints=2)
    texts = {
        lang: " ".join(task.text[lang] for task in generate_tasks(library, wanted, LANGUAGES))
        for lang in LANGUAGES
    }
    assert wished in texts["it"]
    assert f"If there is no such {library.types[kind]['en'].text}, how about" in texts["en"]
    assert f"che ne dici di {library.types[kind]['it'].article} " in texts["it"]
    for of_places in ("place", "posto", "locale", "evening", "stasera"):
        assert of_places not in texts["en"] + texts["it"]


def test_lists_are_joined_as_the_language_does():
    assert listed(["a"], sentences_in("en")) == "a"
    assert listed(["a", "b", "c"], sentences_in("en")) == "a, b and c"
    assert listed(["essere vicino", "essere aperto"], sentences_in("it")) == "essere vicino ed essere aperto"


def test_only_the_wanted_types_are_used(marlowe):
    tasks = generate_tasks(marlowe, settings_of(types=["pub"]), ("en",))
    assert {task.type for task in tasks} == {"pub"}


def test_no_task_asks_for_what_nobody_wants(marlowe):
    for task in generate_tasks(marlowe, settings_of(generate=200, unsatisfiable=0.5), ("en",)):
        assert all(value not in marlowe.slots[slot].unasked for slot, value in task.constraints.items())


@pytest.mark.parametrize(
    ("written", "languages", "expected"),
    [
        (
            {"generate": None},
            ("en",),
            (),
        ),
        ({"constraints": "9..10"}, ("en",), ("constraints",)),
        ({"constraints": "0..2"}, ("en",), ("constraints",)),
        ({"requests": 8}, ("en",), ("requests",)),
        ({"types": ["pob"]}, ("en",), ("types", 0)),
        ({}, ("en", "de"), ("generate",)),
    ],
)
def test_settings_that_the_ontology_cannot_serve_are_refused(marlowe, written, languages, expected):
    problems = check_settings(marlowe, settings_of(**written), languages)
    assert [path for path, _, _ in problems] == [expected]
    with pytest.raises(InputError, match="tasks"):
        generate_tasks(marlowe, settings_of(**written), languages)


def test_a_range_reaches_as_far_as_a_type_has_slots(marlowe):
    tasks = generate_tasks(marlowe, settings_of(constraints="2..9", requests="1..9", generate=200), ("en",))
    assert max(len(task.constraints) for task in tasks) == 4
    assert max(len(task.requests) for task in tasks) == 4


DENSE = """\
ontology: dense
types: {pub: {en: {text: pub, article: a pub, plural: pubs}}}
slots:
  area:
    constraint: true
    phrase: {en: "in the {value}"}
    wish: {en: "be {phrase}"}
    anything: {en: any area will do}
    values: {north: {en: {text: north}}, south: {en: {text: south}}}
  phone: {request: true, asked_as: {en: the phone number}}
venues:
  - {id: a, name: A, type: pub, slots: {area: north, phone: "1"}}
  - {id: b, name: B, type: pub, slots: {area: south, phone: "2"}}
"""


def test_a_city_that_has_everything_cannot_give_unsatisfiable_tasks(tmp_path: Path):
    (tmp_path / "dense.yaml").write_text(DENSE, encoding="utf-8")
    dense = load_ontology(tmp_path / "dense.yaml", ("en",))
    few = settings_of(generate=4, constraints=1, requests=1)
    assert len(generate_tasks(dense, few, ("en",))) == 4
    with pytest.raises(
        InputError, match=r"every combination of constraints has a venue. Allow more constraints"
    ):
        generate_tasks(dense, settings_of(generate=4, constraints=1, requests=1, unsatisfiable=0.5), ("en",))
