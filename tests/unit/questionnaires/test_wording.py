"""Wordings: ours cover every instrument in both languages; a study's own file wins and is checked."""

from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce.questionnaires import INSTRUMENTS, load_wording

SUS = INSTRUMENTS.get("sus")


def written(folder: Path, text: str, name: str = "sus.en.yaml") -> Path:
    (folder / "wordings").mkdir(exist_ok=True)
    (folder / "wordings" / name).write_text(text, encoding="utf-8")
    return folder


def whole(items: int = 10, labels: int = 5) -> str:
    lines = ["name: sus", "language: en", "source: a published form", "items:"]
    lines += [f"  q{number}: Sentence {number}." for number in range(1, items + 1)]
    lines += ["labels:", "  agreement:"] + [f"    {code}: label {code}" for code in range(1, labels + 1)]
    return "\n".join(lines) + "\n"


def test_our_wordings_cover_every_item_and_every_code():
    for language in ["en", "it"]:
        for name in INSTRUMENTS.names():
            instrument = INSTRUMENTS.get(name)
            wording = load_wording(instrument, language)
            assert wording.origin == "project"
            for item in instrument.items:
                assert wording.items[item.item_id]
                for code in scale.codes if (scale := instrument.scale_of(item)) else ():
                    assert wording.label(str(item.scale), code)


@pytest.mark.shared
def test_our_sentences_are_not_the_published_ones(shared):
    reference = (shared / "reference" / "questionnaires.md").read_text(encoding="utf-8").lower()
    for name in INSTRUMENTS.names():
        for language in ("en", "it"):
            for sentence in load_wording(INSTRUMENTS.get(name), language).items.values():
                assert sentence.lower().rstrip(".?") not in reference, (name, language)


def test_a_file_of_the_study_wins(tmp_path):
    wording = load_wording(SUS, "en", written(tmp_path, whole()))
    assert wording.origin == "file"
    assert wording.items["q3"] == "Sentence 3."
    assert load_wording(SUS, "it", tmp_path).origin == "project"


def test_a_missing_item_is_named(tmp_path):
    with pytest.raises(InputError, match=r"wordings/sus.en.yaml:4 items.q10: item 'q10' has no text. Add it"):
        load_wording(SUS, "en", written(tmp_path, whole(items=9)))


def test_a_missing_label_is_named(tmp_path):
    with pytest.raises(InputError, match=r"sus.en.yaml:16 labels.agreement: no label for code 5"):
        load_wording(SUS, "en", written(tmp_path, whole(labels=4)))


def test_an_item_too_many_is_named(tmp_path):
    text = whole().replace("  q10:", "  q11: More.\n  q10:")
    with pytest.raises(InputError, match=r"sus.en.yaml:14 items.q11: unknown item 'q11'. Did you mean 'q1"):
        load_wording(SUS, "en", written(tmp_path, text))


def test_a_language_without_a_wording_is_refused_with_the_languages_there_are():
    with pytest.raises(
        InputError, match=r"no wording of 'sus' in language 'de'. Add wordings/sus.de.yaml. Known: en, it"
    ):
        load_wording(SUS, "de")


def test_a_wording_in_a_new_language_can_be_brought(tmp_path):
    folder = written(tmp_path, whole().replace("language: en", "language: de"), "sus.de.yaml")
    assert load_wording(SUS, "de", folder).language == "de"


def test_a_file_that_names_another_language_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"sus.de.yaml:2 language: language is 'en'"):
        load_wording(SUS, "de", written(tmp_path, whole(), "sus.de.yaml"))


def test_a_broken_file_names_its_line(tmp_path):
    with pytest.raises(InputError, match=r"wordings/sus.en.yaml:1: not valid YAML"):
        load_wording(SUS, "en", written(tmp_path, "name: sus: en\n"))
