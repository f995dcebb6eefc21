"""The pages' languages, and the study's texts made safe."""

from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.annotation.judgement import LABELS
from vivavoce.languages.base import LANGUAGES, language_name
from vivavoce.participant.documents import LONGEST_MARKED, read_document, read_message
from vivavoce.participant.i18n import DOMAIN, accepted_language, page_language, page_languages, translations
from vivavoce.participant.site import TEMPLATES

OPTIONS = {"jinja2": {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}}


def said_in_templates() -> set[str | tuple[str, ...]]:
    found = extract_from_dir(TEMPLATES, [("**.html", "jinja2")], OPTIONS)
    return {message for _, _, message, _, _ in found} | {LABELS.invitation}


def catalogue(language: str):
    with LANGUAGES.get(language).catalogue(DOMAIN).open("rb") as file:
        return read_po(file)


def test_everything_that_the_pages_say_is_said_in_every_language() -> None:
    said = said_in_templates()
    assert len(said) > 80
    for language in page_languages()[1:]:
        known = {message.id: message.string for message in catalogue(language) if message.id}
        assert {m for m in said if not known.get(m)} == set(), f"{language} lacks words"
        assert set(known) - said == set(), f"{language} has words that no page says"
        assert all(all(words) if isinstance(words, tuple) else words for words in known.values())


def test_translations_fill_in_the_same_values() -> None:
    for message in catalogue("it"):
        if not message.id or isinstance(message.id, tuple):
            continue
        assert sorted(part.split(")")[0] for part in message.id.split("%(")[1:]) == sorted(
            part.split(")")[0] for part in message.string.split("%(")[1:]
        ), message.id


def test_plurals_follow_the_language() -> None:
    italian = translations("it")
    one, many = "About one minute.", "About %(num)s minutes."
    assert [italian.ngettext(one, many, n) for n in (1, 2)] == ["Circa un minuto.", "Circa %(num)s minuti."]


def test_languages_are_called_by_their_own_names() -> None:
    assert [language_name(tag) for tag in ("en", "it", "zz-strange")] == ["English", "Italiano", "zz-strange"]
    assert [page_language(tag) for tag in ("it-CH", "de", "en")] == ["it", "en", "en"]


@given(st.text(max_size=60))
def test_any_accept_language_header_gives_an_offered_language(header: str) -> None:
    assert accepted_language(header, ("en", "it")) in ("en", "it")


def test_the_first_heading_becomes_the_title_and_no_other_heading_is_of_its_rank() -> None:
    document = read_document("# Title *here*\n\nText\n\n# Second\n\n## Third")
    assert document.title == "Title here"
    assert "<h1" not in document.body
    assert "<h2>Second</h2>" in document.body


def test_markup_and_dangerous_links_in_a_text_do_nothing() -> None:
    text = "<script>x</script>\n\n[a](javascript:alert(1)) [b](https://ok.example) ![c](https://evil.example/p.png)"
    body = read_document(text).body
    assert (
        "<script" not in body and "javascript:" not in body.replace("(javascript:", "") and "<img" not in body
    )
    assert '<a href="https://ok.example" rel="noopener noreferrer nofollow">b</a>' in body


@given(st.text(max_size=200))
def test_no_text_makes_active_content(text: str) -> None:
    body = read_document(text).body.lower()
    for tag in ("<script", "<img", "<iframe", "<style", "<form", "<input", "<object", "<svg"):
        assert tag not in body


def test_a_systems_markdown_is_shown_and_plain_lines_stay_lines() -> None:
    shown = read_message("Two **cheap** places:\n\n1. Sole\n2. Luna\n\nWhich\none? 2 * 3, snake_case_name")
    assert "<strong>cheap</strong>" in shown and shown.count("<li>") == 2
    assert "Which<br>\none? 2 * 3, snake_case_name</p>" in shown
    assert read_message("# Places\n\nhere").startswith('<p class="heading">Places</p>')
    assert "<p>    " not in read_message("    indented by hand") and "<pre" not in read_message("    by hand")


def test_a_systems_words_bring_no_markup_script_or_picture_and_no_address_of_ours() -> None:
    text = "<b>x</b> [a](javascript:alert(1)) ![p](https://evil.example/p.png) [here](/leave) [ok](https://ok.example)"
    shown = read_message(text)
    assert "&lt;b&gt;x&lt;/b&gt;" in shown and "<img" not in shown
    assert 'href="javascript' not in shown and 'href="/leave' not in shown
    assert '<a href="https://ok.example" target="_blank" rel="noopener noreferrer nofollow">ok</a>' in shown
    endless = "[" * (LONGEST_MARKED + 1)
    assert read_message(endless) == f'<p class="written">{endless}</p>'
