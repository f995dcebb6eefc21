"""Statements: sentences with their values, and what of them a file may say."""

from vivavoce.core.statement import FormattedNumber, LocalizedText, PluralCount, statement


def test_a_statement_is_english_by_itself_and_keeps_its_values() -> None:
    said = statement(
        "{share} of {all}: {why}",
        share=FormattedNumber(0.25, ".0%"),
        all=PluralCount(4, "dialogue"),
        why="no turn",
    )
    assert str(said) == "25% of 4 dialogues: no turn"
    assert str(LocalizedText.read(said.facts())) == str(said)


def test_a_template_of_a_file_with_more_than_names_in_its_places_is_a_text() -> None:
    for template in ["{a.__class__}", "{a[0]}", "{a!r}", "{a:>99999999}", "{b}", "{", "{}", "{{a}}"]:
        assert str(LocalizedText.read({"template": template, "values": {"a": "x"}})) == template
