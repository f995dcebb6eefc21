"""The section `voice` of a study file: who listens and who speaks in dialogues by voice in the browser."""

from typing import Any, Literal

from pydantic import Field

from vivavoce.study.settings import Flag, Number, Settings, Whole

Speech = str | dict[str, Any]
RECOGNISE_FOR_LOG = (
    "the recogniser also hears what goes as sound to systems that listen by themselves, for the log alone"
)


class Speaking(Settings):
    """Who listens and who speaks, in every language."""

    recogniser: Speech = Field("pocketsphinx", description="who listens: a name, or `use` and its settings")
    recognisers: dict[str, Speech] = Field({}, description="who listens in one language, such as {it: ...}")
    synthesiser: Speech = Field("flite", description="who speaks: a name, or `use` and its settings")
    synthesisers: dict[str, Speech] = Field({}, description="who speaks one language: {it: espeak-ng}")

    def listener(self, language: str) -> Speech:
        """Who listens in this language."""
        return self.recognisers.get(language, self.recogniser)

    def speaker(self, language: str) -> Speech:
        """Who speaks this language."""
        return self.synthesisers.get(language, self.synthesiser)


class Voice(Speaking):
    """How dialogues with `channel: voice` are held."""

    captions: Flag = Field(
        True, description="what is said is shown in writing, too, until it is switched off"
    )
    recognise_for_log: Flag = Field(False, description=RECOGNISE_FOR_LOG)
    microphone: Literal["push", "open"] = Field(
        "push", description="push: people press a button to speak; open: they just speak, also into an answer"
    )
    pause_s: Number = Field(0.8, ge=0.2, le=5, description="open microphone: silence that ends what one says")
    silence_s: Number = Field(
        20, ge=2, le=3600, description="open microphone: silence after which one is spoken to"
    )
    silence_prompts: Whole = Field(
        2, ge=0, le=10, description="open microphone: how often one is spoken to in a silence"
    )
    at_once: Whole = Field(20, ge=1, le=500, description="open microphones at a time; others press a button")
