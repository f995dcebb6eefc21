"""The step `transcribe`: recordings to write down, some with a known transcript, by which all are judged.

Source  Jurčíček et al. 2011, footnote 2: everybody gets some speech with a known transcript; whose accuracy
        is below a threshold is refused, and others transcribe in their place
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from vivavoce.core.alignment import align
from vivavoce.core.text import spoken_words
from vivavoce.log.transcriptions import LoggedItem, Transcriptions, WrittenTranscript, word_accuracy
from vivavoce.steps.base import EMPTY, TOO_LONG, Information, Message, SimulatedParticipant
from vivavoce.steps.stimulus import Draw, Given, Outcome, Presented, Rejected, Row, StimulusStep
from vivavoce.study.model import Study
from vivavoce.study.steps import TranscribeStep

LONGEST_TRANSCRIPT: Final = 2000
HELD_FOR: Final = timedelta(hours=2)
Due = Presented[TranscribeStep, LoggedItem]


class Transcription(StimulusStep[TranscribeStep, LoggedItem, WrittenTranscript]):
    """Simulated participants write what is known of a recording: its transcript, else what was recognised."""

    name = "transcribe"
    stimulus, response, table = LoggedItem, WrittenTranscript, None
    doing, things, counted = "writing recordings down", "recordings", "transcript"

    def minutes(self, step: TranscribeStep, study: Study) -> float:
        return step.each / 2

    def told(self, step: TranscribeStep, study: Study) -> Information:
        return Information(
            Message(
                "Thank you for your interest. In this study you listen to short recordings and write "
                "down what "
                "was said."
            ),
            (
                Message(
                    "You write down one recording.",
                    "You write down %(num)s recordings, one after another.",
                    step.each,
                ),
            ),
            (Message("Headphones or loudspeakers, and a quiet place."),),
            (Message("What you write down, and how long it takes you."),),
        )

    def course(self, step: TranscribeStep, study: Study) -> str:
        return (
            f"{step.each} recordings are written down, a share of {step.gold:g} of them with a known "
            "transcript; "
            f"below a word accuracy of {step.accuracy:g} on these nothing counts"
        )

    def plan(self, step: TranscribeStep, study: Study, draw: Draw) -> list[LoggedItem]:
        """Recordings that nobody holds or has written down well, mixed with known ones; none for the refused.

        Note    known ones that this participant has not had come first; where no other recording is left,
                none is given out
        """
        so_far = Transcriptions(list(draw.others(HELD_FOR)))
        if draw.participant_id in so_far.refused:
            return []
        taken, seen = so_far.taken(), so_far.seen_by(draw.participant_id)
        items = [
            LoggedItem(**one.model_dump(exclude={"gold", "hypothesis"}), gold=one.gold is not None)
            for one in study.transcription
        ]
        known = [one for one in items if one.gold]
        draw.chance.shuffle(known)
        known.sort(key=lambda one: one.audio in seen)
        checks = min(len(known), max(step.least_gold, round(step.gold * step.each)))
        unknown = [one for one in items if not one.gold and one.audio not in taken | seen]
        chosen = unknown[: max(1, step.each - checks)]
        if not chosen:
            return []
        chosen += known[:checks]
        draw.chance.shuffle(chosen)
        return chosen

    def files(self, shown: Due) -> Mapping[str, Path]:
        return {"recording": shown.step.audio / shown.stimulus.audio}

    def facts(self, shown: Due, entered: Mapping[str, str] | None) -> dict[str, Any]:
        item = shown.study.item(shown.stimulus.audio)
        heard = item.hypothesis if shown.step.prefill and item is not None else None
        written = (heard or "") if entered is None else entered.get("text", "")
        return {"written": written, "longest": LONGEST_TRANSCRIPT}

    def read(self, shown: Due, entered: Mapping[str, str]) -> WrittenTranscript:
        return self.written(shown, None if "unclear" in entered else entered.get("text", ""))

    def written(self, shown: Due, text: str | None) -> WrittenTranscript:
        """The transcript of the recording that is due; text: None where no word could be made out."""
        item, errors, words = shown.study.item(shown.stimulus.audio), None, None
        if item is not None and item.gold is not None:
            counts = align(spoken_words(item.gold), spoken_words(text))
            errors, words = counts.errors, counts.reference_count
        return WrittenTranscript(
            text=None if text is None else " ".join(text.split()), errors=errors, words=words,
            prefilled=shown.step.prefill and item is not None and item.hypothesis is not None,
        )  # fmt: skip

    def check(self, shown: Due, response: WrittenTranscript, elapsed_s: float | None) -> None:
        if response.text == "":
            raise Rejected(EMPTY, "text")
        if len(response.text or "") > LONGEST_TRANSCRIPT:
            raise Rejected(TOO_LONG, "text")

    def over(
        self, step: TranscribeStep, study: Study, given: Sequence[tuple[LoggedItem, WrittenTranscript]]
    ) -> bool:
        """Whether enough was written down to see that it is not accurate."""
        checks = sum(one.errors is not None for _, one in given)
        return checks >= step.least_gold and not self._accurate(step, given)

    def finish(
        self, step: TranscribeStep, study: Study, given: Sequence[tuple[LoggedItem, WrittenTranscript]],
        total_s: float,
    ) -> Outcome:  # fmt: skip
        return Outcome(accepted=self._accurate(step, given))

    def _accurate(self, step: TranscribeStep, given: Sequence[tuple[LoggedItem, WrittenTranscript]]) -> bool:
        accuracy = word_accuracy(written for _, written in given)
        return accuracy is None or accuracy >= step.accuracy

    def paid(self, step: TranscribeStep) -> bool:
        return step.code_if_not_accepted

    def rows(self, given: Given[LoggedItem, WrittenTranscript]) -> tuple[Row, ...]:
        """None: those that count are the reference of turns, and the text of commands."""
        return ()

    def about(self, stimulus: LoggedItem) -> str:
        return stimulus.audio

    def respond(self, shown: Due, participant: SimulatedParticipant) -> WrittenTranscript:
        item = shown.study.item(shown.stimulus.audio)
        return self.written(shown, (item.gold or item.hypothesis) if item is not None else None)

    def without(
        self, stimulus: LoggedItem, response: WrittenTranscript, dialogues: AbstractSet[str],
        recordings: AbstractSet[str],
    ) -> WrittenTranscript:  # fmt: skip
        theirs = stimulus.dialogue_id in dialogues or Path(stimulus.audio).stem in recordings
        return response.model_copy(update={"text": None}) if theirs and not stimulus.gold else response
