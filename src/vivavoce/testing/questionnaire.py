"""Contract of every questionnaire."""

from vivavoce.questionnaires.instrument import INSTRUMENTS, languages_of, load_wording


class QuestionnaireContract:
    """Contract of every questionnaire: its scoring key, and its sentences in each language.

    name       of the instrument
    languages  in which it has a wording
    """

    name: str
    languages: tuple[str, ...]

    def test_it_is_found_by_its_name_and_tells_all_about_itself(self) -> None:
        instrument = INSTRUMENTS.get(self.name)
        for fact in ("title", "role", "source", "permission"):
            assert getattr(instrument, fact), f"{fact} is empty"
        assert instrument.items, "it asks nothing"

    def test_every_item_and_every_code_has_words_in_each_language(self) -> None:
        instrument = INSTRUMENTS.get(self.name)
        assert set(self.languages) <= set(languages_of(instrument))
        for language in self.languages:
            wording = load_wording(instrument, language)  # refuses a label or an item that lacks words
            assert all(wording.items[item.item_id].strip() for item in instrument.items)

    def test_every_score_lies_between_its_bounds(self) -> None:
        instrument = INSTRUMENTS.get(self.name)
        scales = {item.item_id: instrument.scale_of(item) for item in instrument.items}
        for end in ("low", "high"):
            answers = {name: getattr(scale, end) for name, scale in scales.items() if scale is not None}
            for name, value in instrument.score(answers).items():
                score = instrument.scores[name]
                assert value is not None and score.low <= value <= score.high, f"{name} {value}"

    def test_a_score_with_an_unanswered_item_is_missing(self) -> None:
        assert set(INSTRUMENTS.get(self.name).score({}).values()) <= {None}
