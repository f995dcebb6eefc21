# ruff: noqa: E501
"""Study files become studies; what is wrong is said with place, problem and hint, all at once."""

import shutil
from importlib import resources

import pytest

from vivavoce.core.errors import InputError
from vivavoce.languages.base import LANGUAGES, Language
from vivavoce.study.load import StudyFileError, check_study, load_study
from vivavoce.study.scaffold import write_study

PLAIN = """\
study: plain
systems:
  a: {connect: http, url: "http://127.0.0.1:9101/chat"}
  b: {connect: http}
visit:
  - consent: consent.md
  - dialogue: {repeat: 3..40, gate: code}
  - questionnaire: cambridge
"""


def said(folder) -> list[str]:
    return [str(problem) for problem in check_study(folder)]


def test_a_sound_study_is_read_whole(study_folder):
    study = load_study(study_folder())
    assert (study.name, study.languages, study.default_language) == ("plain", ("en",), "en")
    assert study.systems["a"] == {"connect": "http", "url": "http://127.0.0.1:9101/chat"}
    assert study.system_titles == {"a": "First", "b": "b"}
    assert study.condition("a") == "template/nbest"
    assert study.factors["b"] == {"nlg": "learnt", "list": "nbest"}
    assert study.allocation == "least-used-by-participant"
    assert study.title == {"en": "plain"}
    assert study.limits.max_chars == 2000
    assert check_study(study.folder / "study.yaml") == []


def test_forms_about_a_dialogue_join_the_dialogue_and_others_are_asked_once(study_folder):
    visit = load_study(study_folder()).visit
    assert [step.kind for step in visit] == ["consent", "dialogue", "questionnaire"]
    assert [(form.name, form.about) for form in visit[1].feedback] == [
        ("cambridge", "dialogue"),
        ("sus", "dialogue"),
    ]
    assert (visit[2].name, visit[2].about) == ("idial", "visit")
    assert (visit[1].repeat.min, visit[1].repeat.max, visit[1].gate) == (3, 40, "code")


def test_a_form_about_a_dialogue_may_be_asked_once_by_order_of_the_study(study_folder):
    text = PLAIN.replace("questionnaire: cambridge", "questionnaire: {use: cambridge, about: visit}")
    visit = load_study(study_folder(text)).visit
    assert visit[1].feedback == ()
    assert visit[2].about == "visit"


def test_the_example_of_the_design_reads_as_promised(study_folder):
    text = PLAIN.replace("gate: code", "gate: cod")
    expected = "unknown gate 'cod'. Did you mean 'code'? Known: code, dialogue, none"
    assert said(study_folder(text)) == [f"study.yaml:7 visit[1].dialogue.gate: {expected}"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("study: plain", "studi: plain", "study.yaml:1 studi: unknown key 'studi'. Did you mean 'study'?"),
        (
            "study: plain",
            "study: plain\nstudy: other",
            "study.yaml:2 study: key 'study' appears twice, on lines 1 and 2",
        ),
        ("study: plain", "study: 7", "study.yaml:1 study: 7 where text (put it in quotes) is expected"),
        ("study: plain", "study: a b", "study.yaml:1 study: 'a b' is not a valid study name. Use letters"),
        (
            "study: plain",
            "study: plain\nlimits: {max_char: 3}",
            "study.yaml:2 limits.max_char: unknown key 'max_char'. Did you mean 'max_chars'?",
        ),
        (
            "study: plain",
            "study: plain\nlimits: {max_chars: lots}",
            "study.yaml:2 limits.max_chars: 'lots' where a whole number is expected",
        ),
        (
            "study: plain",
            "study: plain\nlimits: {max_chars: true}",
            "study.yaml:2 limits.max_chars: True where a whole number",
        ),
        (
            "study: plain",
            "study: plain\nlimits: {max_chars: 0}",
            "study.yaml:2 limits.max_chars: 0: should be greater than or equal to 1",
        ),
        (
            "study: plain",
            "study: plain\nlimits:",
            "study.yaml:2 limits: nothing where a mapping of keys to values is expected",
        ),
        (
            "study: plain",
            "study: plain\nidentity: {anonymous: 1}",
            "study.yaml:2 identity.anonymous: 1 where true or false is expected",
        ),
        (
            "study: plain",
            "study: plain\nallocation: randm",
            "study.yaml:2 allocation: unknown allocation 'randm'. Did you mean 'random'?",
        ),
        (
            "study: plain",
            "study: plain\nlanguages: [en, English]",
            "study.yaml:2 languages[1]: 'English' is not a language tag",
        ),
        (
            "study: plain",
            "study: plain\nlanguages: [en, en]",
            "study.yaml:2 languages: a language is listed twice",
        ),
        (
            "study: plain",
            "study: plain\nprotocol: cambridge",
            "study.yaml:2 protocol: unknown protocol 'cambridge'. Did you mean 'cambridge-2011'?",
        ),
        (
            "study: plain",
            "study: plain\nontology: rest.yaml",
            "study.yaml:2 ontology: no file 'rest.yaml'. Put it next to",
        ),
        (
            "study: plain",
            "study: plain\ntasks: {generate: 5}",
            "study.yaml:2 tasks: tasks cannot be generated without an ontology",
        ),
        (
            "study: plain",
            "study: plain\nontology: ../rest.yaml",
            "study.yaml:2 ontology: '../rest.yaml' lies outside the study. Copy it",
        ),
        (
            "study: plain",
            "study: plain\nontology: /etc/hostname",
            "study.yaml:2 ontology: '/etc/hostname' lies outside the study",
        ),
        (
            "consent: consent.md",
            "consent: ../consent.md",
            "study.yaml:6 visit[0].consent: '../consent.md' lies outside the study. Copy it",
        ),
        (
            "consent: consent.md",
            "consent: /etc/passwd",
            "study.yaml:6 visit[0].consent: '/etc/passwd' lies outside the study",
        ),
        ("study: plain", "study: plain\ntasks: tasks.yaml", "study.yaml:2 tasks: no file 'tasks.yaml'"),
        (
            "study: plain",
            "study: plain\nanalysis: {primary: {measure: x, compare: [a, c]}}",
            "study.yaml:2 analysis.primary.compare[1]: unknown system 'c'",
        ),
        (
            "study: plain",
            "study: plain\nanalysis: {primary: {measure: x, compare: [a, a]}}",
            "study.yaml:2 analysis.primary.compare[1]: system 'a' is compared with itself",
        ),
        (
            "study: plain",
            "study: plain\nanalysis: {primary: {measur: x, compare: [a, b]}}",
            "study.yaml:2 analysis.primary.measur: unknown key 'measur'. Did you mean 'measure'?",
        ),
        (
            "b: {connect: http}",
            "b: {conect: http}",
            "study.yaml:4 systems.b.connect: 'connect' is missing. Add it",
        ),
        (
            "study: plain",
            "study: plain\ntitle: 5",
            "study.yaml:2 title: 5 is not a title. Write text, or a mapping",
        ),
        ("study: plain", "study: plain\ntitle: {en: [a]}", "study.yaml:2 title: a mapping is not a title"),
        (
            "b: {connect: http}",
            "b: {connect: http, factors: {nlg: x}}",
            "study.yaml:2 systems: system 'a' has no level of factor 'nlg'. Add factors: {nlg: ...} to it",
        ),
        (
            "b: {connect: http}",
            "b: {connect: http, factors: {N-G: x}}",
            "study.yaml:4 systems.b.factors.N-G: 'N-G' is not a valid factor name",
        ),
        (
            "b: {connect: http}",
            "b c: {connect: http}",
            "study.yaml:4 systems.b c: 'b c' is not a valid system name",
        ),
        ("b: {connect: http}", "b: http", "study.yaml:4 systems.b: 'http' where a mapping"),
        (
            "b: {connect: http}",
            "b: {connect: http, factors: {n: 1}}",
            "study.yaml:4 systems.b.factors.n: 1 where text",
        ),
        (
            "consent: consent.md",
            "consent: consnt.md",
            "study.yaml:6 visit[0].consent: no file 'consnt.md' (en). Write consnt.md next to",
        ),
        (
            "consent: consent.md",
            "consent: {fil: consent.md}",
            "study.yaml:6 visit[0].consent.fil: unknown key 'fil'. Did you mean 'file'?",
        ),
        ("consent: consent.md", "consent:", "study.yaml:6 visit[0].consent.file: 'file' is missing"),
        (
            "consent: consent.md",
            "consnt: consent.md",
            "study.yaml:6 visit[0]: unknown step 'consnt'. Did you mean 'consent'?",
        ),
        (
            "consent: consent.md",
            "annotate: x",
            "study.yaml:6 visit[0]: step 'annotate' is not available in this version",
        ),
        (
            "consent: consent.md",
            "{consent: a, debrief: b}",
            "study.yaml:6 visit[0]: a step has one key, not 2",
        ),
        ("consent: consent.md", "5", "study.yaml:6 visit[0]: 5 is not a step"),
        (
            "repeat: 3..40",
            "repeat: 40..3",
            "study.yaml:7 visit[1].dialogue.repeat: the range 40..3 is reversed. Write 3..40",
        ),
        (
            "repeat: 3..40",
            "repeat: 3-40",
            "study.yaml:7 visit[1].dialogue.repeat: '3-40' is not a range. Write 2..3",
        ),
        ("repeat: 3..40", "repeat: 2.5", "study.yaml:7 visit[1].dialogue.repeat: 2.5 is not a range"),
        ("repeat: 3..40", "repeat: -1", "study.yaml:7 visit[1].dialogue.repeat: the range starts below zero"),
        ("repeat: 3..40", "repeat: 0", "study.yaml:7 visit[1].dialogue: no dialogue"),
        (
            "repeat: 3..40",
            "repet: 3",
            "study.yaml:7 visit[1].dialogue.repet: unknown key 'repet'. Did you mean 'repeat'?",
        ),
        (
            "gate: code}",
            "gate: none, external: consent.md}",
            "study.yaml:7 visit[1].dialogue.gate: gate 'none' cannot see a dialogue outside the page",
        ),
        (
            "gate: code}",
            "nontrivial: {user_turns: -2}}",
            "study.yaml:7 visit[1].dialogue.nontrivial.user_turns: -2: should be greater",
        ),
        (
            "questionnaire: cambridge",
            "questionnaire: cambrige",
            "study.yaml:8 visit[2].questionnaire: unknown questionnaire 'cambrige'. Did you mean 'cambridge'?",
        ),
        (
            "questionnaire: cambridge",
            "questionnaire: {use: sus, about: dialog}",
            "study.yaml:8 visit[2].questionnaire.about: unknown about 'dialog'. Did you mean 'dialogue'?",
        ),
        (
            "  - dialogue: {repeat: 3..40, gate: code}\n",
            "",
            "study.yaml:7 visit[1].questionnaire: 'cambridge' is about a dialogue but follows none",
        ),
        (
            "  - dialogue: {repeat: 3..40, gate: code}\n",
            "  - instructions: consent.md\n",
            "study.yaml:8 visit[2].questionnaire: 'cambridge' is about a dialogue but follows none",
        ),
        (
            "  - questionnaire: cambridge\n",
            "  - questionnaire: cambridge\n  - questionnaire: cambridge\n",
            "study.yaml:9 visit[3].questionnaire: 'cambridge' is asked twice in a row",
        ),
    ],
)
def test_each_mistake_is_named_with_its_line_and_its_cure(study_folder, old, new, expected):
    assert old in PLAIN
    problems = said(study_folder(PLAIN.replace(old, new, 1)))
    assert any(problem.startswith(expected) for problem in problems), problems


def test_of_a_form_that_is_asked_twice_the_second_alone_is_told(study_folder):
    twice = PLAIN.replace("  - questionnaire: cambridge\n", 2 * "  - questionnaire: cambridge\n", 1)
    (problem,) = said(study_folder(twice))
    assert "visit[3].questionnaire" in problem


def test_what_is_written_twice_hides_no_other_mistake_and_other_files_come_last(study_folder):
    twice = PLAIN.replace("study: plain", "study: plain\nstudy: other").replace("gate: code", "gate: cod")
    folder = study_folder(twice)
    (folder / "wordings").mkdir()
    wording = folder / "wordings" / "cambridge.en.yaml"
    wording.write_text("name: cambridge\nlanguage: en\nitems: {}\nlabels: {}\n", encoding="utf-8")
    places = [problem.split(" ")[0].rstrip(":") for problem in said(folder)]
    assert places[:2] == ["study.yaml:2", "study.yaml:8"]
    assert len(places) > 2 and all("cambridge.en.yaml" in one for one in places[2:])


def test_one_dialogue_is_enough_for_a_step(study_folder):
    assert said(study_folder(PLAIN.replace("repeat: 3..40", "repeat: 1"))) == []


def test_of_a_protocol_that_nobody_knows_no_system_is_missed(study_folder):
    (problem,) = said(study_folder("study: x\nprotocol: idial\n"))
    assert "unknown protocol" in problem


@pytest.mark.parametrize(
    "steps",
    [
        "  - consent: consent.md\n",
        "  - debrief: consent.md\n",
        "  - consent: consent.md\n  - questionnaire: {use: idial, about: visit}\n",
    ],
)
def test_a_visit_in_which_nothing_is_done_lacks_a_system(study_folder, steps):
    assert said(study_folder(f"study: x\nvisit:\n{steps}")) == [
        "study.yaml:1 systems: 'systems' is missing. Add it"
    ]


def test_where_nobody_knows_what_is_done_no_system_is_missed(study_folder):
    (problem,) = said(study_folder("study: x\nvisit:\n  - consnt: consent.md\n"))
    assert "unknown step 'consnt'" in problem


def test_a_form_that_begins_a_visit_follows_nothing_even_where_another_ends_it(study_folder):
    text = PLAIN.replace("visit:\n", "visit:\n  - questionnaire: cambridge\n")
    (problem,) = said(study_folder(text))
    assert "visit[0].questionnaire: 'cambridge' is about a dialogue but follows none" in problem
    assert said(study_folder(text.replace(": cambridge", ": {use: idial, about: visit}", 1))) == []


def test_all_mistakes_are_collected_and_nothing_is_said_twice(study_folder):
    text = (
        PLAIN.replace("gate: code", "gate: cod")
        .replace("consent.md", "consnt.md")
        .replace("study: plain", "study: plain\nprotocl: x\nontology: none.yaml")
        .replace("connect: http}", "conect: http}")
        .replace("cambridge", "cambridgee")
    )
    problems = said(study_folder(text))
    assert len(problems) == len(set(problems)) == 6
    with pytest.raises(StudyFileError) as caught:
        load_study(study_folder(text))
    assert str(caught.value).splitlines() == problems
    assert isinstance(caught.value, InputError)


def test_a_step_that_is_broken_does_not_accuse_the_form_after_it(study_folder):
    assert len(said(study_folder(PLAIN.replace("dialogue:", "dialoge:")))) == 1


def test_an_unknown_protocol_does_not_accuse_the_missing_visit(study_folder):
    text = "study: x\nprotocol: idial\nsystems: {a: {connect: http}}\nlimits: {max: 1}\n"
    problems = said(study_folder(text))
    assert len(problems) == 2
    assert "unknown protocol" in problems[0]
    assert "unknown key 'max'" in problems[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "study.yaml: contains no keys"),
        ("- a\n- b\n", "study.yaml:1: contains no keys"),
        ("study: x\n", "study.yaml:1 systems: 'systems' is missing. Add it"),
        ("study: x\n\tsystems: 1\n", "study.yaml:2: a tab in the indentation"),
        ("study: x\nsystems: {}\nvisit: []\n", "study.yaml:2 systems: no system is defined"),
    ],
)
def test_files_that_are_hardly_studies_are_answered_decently(study_folder, text, expected):
    assert any(problem.startswith(expected) for problem in said(study_folder(text))), said(study_folder(text))


def test_a_study_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StudyFileError, match="cannot be read"):
        load_study(tmp_path)


def test_a_text_is_needed_in_every_language(study_folder):
    text = PLAIN.replace("study: plain", "study: plain\nlanguages: [en, it]")
    assert said(study_folder(text)) == [
        "study.yaml:7 visit[0].consent: no file 'consent.it.md' (it). Write consent.it.md next to the study file"
    ]


def test_texts_are_found_by_language(study_folder):
    text = PLAIN.replace("study: plain", "study: plain\nlanguages: [it, en]")
    folder = study_folder(text)
    (folder / "consent.en.md").write_text("# English\n", encoding="utf-8")
    study = load_study(folder)
    assert study.text(study.visit[0], "it") == "# Consent\n"
    assert study.text(study.visit[0], "en-GB") == "# English\n"
    assert study.text(study.visit[0], "fr") == "# Consent\n"


def test_an_empty_text_is_reported(study_folder):
    folder = study_folder(PLAIN)
    (folder / "consent.md").write_text(" \n", encoding="utf-8")
    assert said(folder) == ["study.yaml:6 visit[0].consent: consent.md is empty. Write the text"]


def test_a_language_that_nobody_installed_is_refused_with_those_that_there_are(study_folder):
    for written, place in (("[en, de-CH]", "study.yaml:2 languages"), ("[xx]", "study.yaml:2 languages")):
        text = PLAIN.replace("study: plain", f"study: plain\nlanguages: {written}")
        (told,) = said(study_folder(text))
        name = written.strip("[]").rpartition(" ")[2]
        first = name.partition("-")[0]
        assert told.startswith(f"{place}: language {name!r} is not installed. Installed: en, it")
        assert told.endswith(f"vivavoce new language {first}")
    regional = study_folder(PLAIN.replace("study: plain", "study: plain\nlanguages: [en-GB]"))
    assert not [one for one in said(regional) if "installed" in one]


def test_a_language_without_wording_is_reported_at_the_step(study_folder, tmp_path, monkeypatch):
    monkeypatch.setitem(LANGUAGES._entries, "de", Language("de", "Deutsch", tmp_path))
    text = PLAIN.replace("study: plain", "study: plain\nlanguages: [de]")
    assert any(
        problem.startswith("study.yaml:9 visit[2].questionnaire: no wording of 'cambridge' in language 'de'")
        for problem in said(study_folder(text))
    )


def test_a_wording_of_the_study_is_used_and_its_mistakes_are_reported(study_folder):
    folder = study_folder(PLAIN)
    (folder / "wordings").mkdir()
    path = folder / "wordings" / "cambridge.en.yaml"
    path.write_text(
        "name: cambridge\nlanguage: en\nitems: {found_all: Did you?}\nlabels: {}\n", encoding="utf-8"
    )
    assert any("item 'understood' has no text" in problem for problem in said(folder))


def test_what_the_study_says_overrides_the_protocol_key_by_key(tmp_path):
    write_study(tmp_path / "s", "cambridge-2011", name="s")
    file = tmp_path / "s" / "study.yaml"
    file.write_text(
        "study: s\nprotocol: cambridge-2011\nsystems: {a: {connect: http}}\n"
        "tasks: {generate: 12}\nallocation: balanced\n",
        encoding="utf-8",
    )
    study = load_study(file)
    assert len(study.tasks) == 12
    assert study.allocation == "balanced"
    assert [step.kind for step in study.visit] == ["consent", "instructions", "dialogue", "debrief"]
    assert {len(task.constraints) for task in study.tasks} == {2, 3}


def test_a_protocols_texts_stand_in_only_for_its_own_steps(tmp_path):
    write_study(tmp_path / "s", "cambridge-2011", name="s")
    for text in (tmp_path / "s").glob("*.md"):
        text.unlink()
    file = tmp_path / "s" / "study.yaml"
    written = file.read_text(encoding="utf-8")
    assert len(said(file)) == 6
    start, end = written.index("visit:"), written.index("# Each participant gets")
    file.write_text(written[:start] + written[end:], encoding="utf-8")
    study = load_study(file)
    assert study.text(study.visit[0], "en").startswith("# Before you begin")
    assert study.text(study.visit[0], "it").startswith("# Prima di cominciare")


def test_mistakes_in_what_a_protocol_brings_are_not_blamed_on_a_line(tmp_path):
    (tmp_path / "study.yaml").write_text(
        "study: s\nprotocol: cambridge-2011\nsystems: {a: {connect: http}}\n", encoding="utf-8"
    )
    assert said(tmp_path)[0].startswith(
        "study.yaml (protocol cambridge-2011) ontology: no file 'restaurants.yaml'"
    )


def test_the_revision_changes_with_every_file_that_is_read(tmp_path):
    write_study(tmp_path / "s", "cambridge-2011", name="s")
    first = load_study(tmp_path / "s").revision
    assert len(first) == 12
    assert load_study(tmp_path / "s").revision == first
    seen = {first}
    for name in ("study.yaml", "restaurants.yaml", "consent.md", "instructions.it.md", "debrief.md"):
        path = tmp_path / "s" / name
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        seen.add(load_study(tmp_path / "s").revision)
    (tmp_path / "s" / "wordings").mkdir()
    ours = resources.files("vivavoce.questionnaires") / "wordings"
    shutil.copy(str(ours / "cambridge.en.yaml"), tmp_path / "s" / "wordings" / "cambridge.en.yaml")
    study = load_study(tmp_path / "s")
    assert study.wording("cambridge", "en").origin == "file"
    (tmp_path / "s" / "notes.txt").write_text("not read", encoding="utf-8")
    assert load_study(tmp_path / "s").revision == study.revision
    assert len(seen) == 6


def test_the_revision_does_not_depend_on_where_the_study_stands(tmp_path):
    for place in ("a", "b"):
        write_study(tmp_path / place, "cambridge-2011", name="same")
    assert load_study(tmp_path / "a").revision == load_study(tmp_path / "b").revision


def test_problems_stand_in_the_order_of_the_file(study_folder):
    text = PLAIN.replace("gate: code", "gate: cod").replace("consent.md", "x.md").replace("cambridge", "c")
    lines = [int(problem.split(":")[1].split()[0]) for problem in said(study_folder(text))]
    assert lines == [6, 7, 8]


def test_a_title_is_there_in_every_language(study_folder):
    text = PLAIN.replace("study: plain", "study: plain\nlanguages: [en, it]\ntitle: {it: Prova}")
    folder = study_folder(text)
    (folder / "consent.it.md").write_text("# Consenso\n", encoding="utf-8")
    assert load_study(folder).title == {"en": "Prova", "it": "Prova"}


def test_a_visit_never_needs_more_tasks_than_there_are(tmp_path):
    write_study(tmp_path, "cambridge-2011", name="s")
    file = tmp_path / "study.yaml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("generate: 200", "generate: 2"), encoding="utf-8"
    )
    assert [problem.split(": ", 1)[1] for problem in said(file)] == [
        "a visit needs 3 tasks, but there are 2. Add tasks, or plan fewer dialogues"
    ]


def test_a_recruiter_s_settings_are_read_by_whoever_offers_it(study_folder):
    recruitment = load_study(study_folder(PLAIN + "recruitment: {links: {open: true}}\n")).recruitment
    assert recruitment["links"].model_dump() == {"open": True}


def test_a_recruiter_that_nobody_offers_is_an_error(study_folder):
    [problem] = check_study(study_folder(PLAIN + "recruitment: {nonsense: yes}\n"))
    assert "recruitment.nonsense" in problem.place and "unknown recruiter 'nonsense'" in str(problem)


def test_a_text_that_is_a_link_out_of_the_study_is_refused(tmp_path):
    (tmp_path / "secret.txt").write_text("root:x:0:0", encoding="utf-8")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "study.yaml").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "mine" / "consent.md").symlink_to(tmp_path / "secret.txt")
    assert any("'consent.md' lies outside the study" in problem for problem in said(tmp_path / "mine"))
