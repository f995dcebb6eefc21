"""A submission to a campaign: what a team says of its system, and how the system is reached.

Source  Cutugno and others 2018 (IDIAL), section 2.3: intents, domain, channel, interface, access; the
        expected duration of an intent is what the teams missed in the reports (section 6)
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from vivavoce.core.validation import mistake, read_model
from vivavoce.core.yaml_source import Problem, read_yaml
from vivavoce.study.file import NAME_CURE, is_name

Words = dict[str, str] | str
Minutes = Annotated[float, Field(gt=0, le=60)]


def in_language(words: Words, language: str) -> str:
    """Words in this language, else in the first that there is."""
    if isinstance(words, str):
        return words
    return words.get(language) or next(iter(words.values()), "")


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Intent(_Written):
    """One thing that users can do with the system."""

    intent_id: str = Field(
        alias="id", min_length=1, max_length=64, description="its key; tasks name it as their type"
    )
    text: Words = Field(
        description="what users do, as in `top up a prepaid card`; by language, or one for all"
    )
    minutes: Minutes = Field(description="how long a user is expected to need, in minutes")

    def said(self, language: str) -> str:
        """What users do, in this language where there is one."""
        return in_language(self.text, language)


class Submission(_Written):
    """One system in a campaign, as its team describes it."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    submission: str = Field(description="name of the system: letters, digits, dot, dash, underscore")
    team: str = Field(min_length=1, max_length=200, description="who submits it")
    title: Words | None = Field(None, description="the system's name for readers of the report")
    domain: Words = Field(description="what the system knows about, as exactly as may be")
    intents: list[Intent] = Field(min_length=1, max_length=50, description="what users can do with it")
    channel: Literal["spoken", "written", "multimodal"] = Field(description="how one talks to it")
    interface: str = Field(
        min_length=1, max_length=200, description="where: messenger, telegram, own page, telephone"
    )
    access: Literal["on-line", "off-line", "telephone"] = Field(description="how it is reached")
    languages: list[str] = Field(min_length=1, description="languages that it speaks")
    connector: dict[str, Any] = Field(
        {}, description="settings of the connector, as under `systems` in a study file"
    )

    @field_validator("submission")
    @classmethod
    def _plain_name(cls, name: str) -> str:
        if not is_name(name):
            raise mistake(f"{name!r} cannot name a system", NAME_CURE)
        return name

    @field_validator("intents")
    @classmethod
    def _different(cls, intents: list[Intent]) -> list[Intent]:
        ids = [one.intent_id for one in intents]
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice is not None:
            raise mistake(f"intent {twice!r} is listed twice", "give each its own id")
        return intents

    @field_validator("title", "domain")
    @classmethod
    def _said(cls, words: Any) -> Any:
        texts = words.values() if isinstance(words, dict) else [words]
        if words is not None and not all(text.strip() for text in texts):
            raise mistake("nothing is said", "write a sentence, or one a language")
        return words

    @property
    def spoken(self) -> bool:
        """Whether users speak to it, so that tests of single characters make no sense."""
        return self.channel == "spoken"

    def name(self, language: str) -> str:
        """What readers call it."""
        return in_language(self.title, language) if self.title else self.submission

    def described(self) -> dict[str, Any]:
        """What may stand in a report: everything but how the system is reached."""
        return self.model_dump(mode="json", by_alias=True, exclude={"connector"}, exclude_none=True)


def check_submission(path: Path) -> tuple[Submission | None, list[Problem]]:
    """The submission of a file, and everything that is wrong with it."""
    source = read_yaml(path)
    if not source.problems and not isinstance(source.data, dict):
        source.report((), "holds no keys", "begin with `submission: NAME`")
    made = read_model(source, Submission)
    if made is not None and not isinstance(made.connector.get("connect"), str):
        source.report(
            ("connector",), "how the system is reached is missing", "add connector: {connect: http, url: ...}"
        )
    return (None if source.problems else made), source.problems
