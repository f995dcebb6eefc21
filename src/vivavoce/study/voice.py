"""The section `voice` of a study file: recognition and synthesis of voice dialogues in the browser."""

from typing import Any, Literal

from pydantic import Field

from vivavoce.study.settings import Flag, Number, Settings, Whole

Speech = str | dict[str, Any]
RECOGNISE_FOR_LOG = "also transcribe, for the log only, speech sent to systems that listen by themselves"


class Speaking(Settings):
    """Recognisers and synthesisers by language."""

    recogniser: Speech = Field("pocketsphinx", description="recogniser: a name, or `use` and its settings")
    recognisers: dict[str, Speech] = Field({}, description="recogniser of one language, such as {it: ...}")
    synthesiser: Speech = Field("flite", description="synthesiser: a name, or `use` and its settings")
    synthesisers: dict[str, Speech] = Field({}, description="synthesiser of one language: {it: espeak-ng}")

    def listener(self, language: str) -> Speech:
        """Recogniser of this language."""
        return self.recognisers.get(language, self.recogniser)

    def speaker(self, language: str) -> Speech:
        """Synthesiser of this language."""
        return self.synthesisers.get(language, self.synthesiser)


class Voice(Speaking):
    """Settings of dialogues with `channel: voice`."""

    captions: Flag = Field(True, description="show the text of speech until the participant switches it off")
    recognise_for_log: Flag = Field(False, description=RECOGNISE_FOR_LOG)
    microphone: Literal["push", "open"] = Field(
        "push", description="push: push to talk; open: open microphone, with barge-in"
    )
    pause_s: Number = Field(
        0.8, ge=0.2, le=5, description=("open microphone: silence that ends the participant's turn")
    )
    silence_s: Number = Field(
        20, ge=2, le=3600, description="open microphone: silence before the system prompts the participant"
    )
    silence_prompts: Whole = Field(
        2, ge=0, le=10, description="open microphone: number of prompts in a silence"
    )
    max_concurrency: Whole = Field(
        20, ge=1, le=500, description=("maximum simultaneous open microphones; others push to talk")
    )
