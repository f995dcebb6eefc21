"""The section `voice` of a study file: who listens and who speaks in dialogues by voice in the browser."""

from typing import Any

from pydantic import Field

from vivavoce.study.settings import Flag, Settings

Speech = str | dict[str, Any]


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
