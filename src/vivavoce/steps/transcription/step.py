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
from vivavoce.log.events import ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.log.stimulus_rows import LoggedItem, Transcriptions, WrittenTranscript, word_accuracy
from vivavoce.steps.base import (
    EMPTY,
    TOO_LONG,
    Information,
    Message,
    OfferedStep,
    SimulatedParticipant,
    StepFiles,
    WrittenDown,
)
from vivavoce.steps.stimulus import (
    Outcome,
    PlanContext,
    Rejected,
    Row,
    StimulusResponse,
    StimulusStep,
    StimulusView,
)
from vivavoce.steps.transcription.items import TranscribeSettings, TranscriptionItem, items_of
from vivavoce.study.model import Study

LONGEST_TRANSCRIPT: Final = 2000
HELD_FOR: Final = timedelta(hours=2)
Due = StimulusView[OfferedStep, LoggedItem]


class Transcription(StimulusStep[OfferedStep, LoggedItem, WrittenTranscript]):
    """Simulated participants write what is known of a recording: its transcript, else what was recognised."""

    name, settings = "transcribe", TranscribeSettings
    stimulus, response, table = LoggedItem, WrittenTranscript, None
    activity_label, item_label, counted = "writing recordings down", "recordings", "transcript"
    earlier_events = {
        "transcriptions_assigned": StimuliPlanned,
        "transcript_given": ResponseGiven,
        "transcriptions_finished": StepFinished,
    }
    earlier_addresses = {"/transcript": "/respond"}

    def materials(self, settings: TranscribeSettings, files: StepFiles) -> dict[str, TranscriptionItem]:
        return {item.audio: item for item in items_of(settings, files)}

    def written_down(self, step: OfferedStep, study: Study) -> WrittenDown:
        unknown = [item.audio for item in step.material.values() if item.gold is None]
        return WrittenDown(study.folder / step.settings.audio, frozenset(unknown))

    def minutes(self, step: OfferedStep, study: Study) -> float:
        return step.settings.per_participant / 2

    def participant_info(self, step: OfferedStep, study: Study) -> Information:
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
                    step.settings.per_participant,
                ),
            ),
            (Message("Headphones or loudspeakers, and a quiet place."),),
            (Message("What you write down, and how long it takes you."),),
        )

    def preregistration_line(self, step: OfferedStep, study: Study) -> str:
        return (
            f"{step.settings.per_participant} recordings to transcribe, a share of "
            f"{step.settings.gold:g} with a known transcript; transcripts by participants below a word "
            f"accuracy of {step.settings.accuracy:g} on these do not count"
        )

    def plan(self, step: OfferedStep, study: Study, draw: PlanContext) -> list[LoggedItem]:
        """Recordings that nobody holds or has written down well, mixed with known ones; none for the refused.

        Note    known ones that this participant has not had come first; where no other recording is left,
                none is given out
        """
        so_far = Transcriptions(list(draw.others(HELD_FOR)))
        if draw.participant_id in so_far.refused:
            return []
        taken_audio, seen = so_far.taken(), so_far.seen_by(draw.participant_id)
        items = [
            LoggedItem(**item.model_dump(exclude={"gold", "hypothesis"}), gold=item.gold is not None)
            for item in step.material.values()
        ]
        gold_items = [item for item in items if item.gold]
        draw.chance.shuffle(gold_items)
        gold_items.sort(key=lambda gold_item: gold_item.audio in seen)
        checks = min(
            len(gold_items),
            max(step.settings.min_gold, round(step.settings.gold * step.settings.per_participant)),
        )
        unknown = [item for item in items if not item.gold and item.audio not in taken_audio | seen]
        chosen = unknown[: max(1, step.settings.per_participant - checks)]
        if not chosen:
            return []
        chosen += gold_items[:checks]
        draw.chance.shuffle(chosen)
        return chosen

    def files(self, shown: Due) -> Mapping[str, Path]:
        return {"recording": shown.study.folder / shown.step.settings.audio / shown.stimulus.audio}

    def facts(self, shown: Due, entered: Mapping[str, str] | None) -> dict[str, Any]:
        item = shown.step.material.get(shown.stimulus.audio)
        hypothesis = item.hypothesis if shown.step.settings.prefill and item is not None else None
        transcript = (hypothesis or "") if entered is None else entered.get("text", "")
        return {"written": transcript, "longest": LONGEST_TRANSCRIPT}

    def read(self, shown: Due, entered: Mapping[str, str]) -> WrittenTranscript:
        return self.written(shown, None if "unclear" in entered else entered.get("text", ""))

    def written(self, view: Due, text: str | None) -> WrittenTranscript:
        """The transcript of the recording that is due; text: None where no word could be made out."""
        item, errors, words = view.step.material.get(view.stimulus.audio), None, None
        if item is not None and item.gold is not None:
            counts = align(spoken_words(item.gold), spoken_words(text))
            errors, words = counts.errors, counts.reference_count
        return WrittenTranscript(
            text=None if text is None else " ".join(text.split()),
            errors=errors,
            words=words,
            prefilled=view.step.settings.prefill and item is not None and item.hypothesis is not None,
        )

    def check(self, shown: Due, response: WrittenTranscript, elapsed_s: float | None) -> None:
        if response.text == "":
            raise Rejected(EMPTY, "text")
        if len(response.text or "") > LONGEST_TRANSCRIPT:
            raise Rejected(TOO_LONG, "text")

    def over(
        self, step: OfferedStep, study: Study, given: Sequence[tuple[LoggedItem, WrittenTranscript]]
    ) -> bool:
        """True if there is enough text to see that it is not accurate."""
        checks = sum(answer.errors is not None for _, answer in given)
        return checks >= step.settings.min_gold and not self._accurate(step, given)

    def finish(
        self,
        step: OfferedStep,
        study: Study,
        given: Sequence[tuple[LoggedItem, WrittenTranscript]],
        total_s: float,
    ) -> Outcome:
        return Outcome(accepted=self._accurate(step, given))

    def _accurate(self, step: OfferedStep, pairs: Sequence[tuple[LoggedItem, WrittenTranscript]]) -> bool:
        accuracy = word_accuracy(transcript for _, transcript in pairs)
        return accuracy is None or accuracy >= step.settings.accuracy

    def paid(self, step: OfferedStep) -> bool:
        return step.settings.code_if_not_accepted

    def rows(self, given: StimulusResponse[LoggedItem, WrittenTranscript]) -> tuple[Row, ...]:
        """None: those that count are the reference of turns, and the text of commands."""
        return ()

    def credits(self, given: Sequence[tuple[LoggedItem, WrittenTranscript]]) -> Mapping[int, float]:
        """The word accuracy of each recording with a known transcript, never below 0."""
        return {
            place: max(0.0, 1 - transcript.errors / transcript.words)
            for place, (_, transcript) in enumerate(given)
            if transcript.errors is not None and transcript.words
        }

    def about(self, stimulus: LoggedItem) -> str:
        return stimulus.audio

    def respond(self, shown: Due, participant: SimulatedParticipant) -> WrittenTranscript:
        item = shown.step.material.get(shown.stimulus.audio)
        return self.written(shown, (item.gold or item.hypothesis) if item is not None else None)

    def without(
        self,
        stimulus: LoggedItem,
        response: WrittenTranscript,
        dialogues: AbstractSet[str],
        recordings: AbstractSet[str],
    ) -> WrittenTranscript:
        theirs = stimulus.dialogue_id in dialogues or Path(stimulus.audio).stem in recordings
        return response.model_copy(update={"text": None}) if theirs and not stimulus.gold else response
