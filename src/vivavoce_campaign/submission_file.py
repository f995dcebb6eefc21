"""A submission to a campaign: what a team says of its system, and how the system is reached.

Source  Cutugno and others 2018 (IDIAL), section 2.3: intents, domain, channel, interface, access; the
        expected duration of an intent is what the teams missed in the reports (section 6)
"""

import re
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from ruamel.yaml import YAML

from vivavoce.core.patterns import check_pattern, search
from vivavoce.core.validation import mistake, read_model
from vivavoce.core.yaml_source import Problem, read_yaml
from vivavoce.study.file import NAME_CURE, is_name
from vivavoce.study.renamed_keys import RENAMED_KEYS

Words = dict[str, str] | str
_ENTITY: Final = re.compile(r"\{(\w+)\}")
Minutes = Annotated[float, Field(gt=0, le=60)]


def in_language(words: Words, language: str) -> str:
    """Words in this language, else in the first that there is."""
    if isinstance(words, str):
        return words
    return words.get(language) or next(iter(words.values()), "")


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Entity(_Written):
    """Slot such as an author or a day. Tasks and simulated users use its values."""

    entity_id: str = Field(
        alias="id", pattern=r"^[a-z][a-z0-9_]{0,30}$", description="key, used as `{author}`"
    )
    text: Words = Field(description="name by language; questions containing it ask for this slot")
    values: list[Words] = Field(min_length=1, max_length=200, description="values that users can say")


class Intent(_Written):
    """User goal that the system supports.

    task, says, done  may stay empty: then tasks and simulated users are drafted from `text`; in all of them
                      {author} stands for a value of the entity `author`
    """

    intent_id: str = Field(
        alias="id", min_length=1, max_length=64, description="key of the intent, used as task type"
    )
    text: Words = Field(
        description="user goal, such as `borrow a book by {author}`; by language or one for all"
    )
    minutes: Minutes = Field(description="expected duration in minutes")
    task: Words | None = Field(
        None, description="task text for users, with {entities}; by language or one for all"
    )
    says: dict[str, list[str]] = Field(
        {}, description="opening messages by language, with {entities}, used by simulated users"
    )
    needs: list[str] = Field([], description="further entities, besides those in `task` and `says`")
    done: Words | None = Field(None, description="completion phrase of the system, as a regular expression")

    def said(self, language: str) -> str:
        """The users' task, in this language if available; dots replace values."""
        return _ENTITY.sub("\u2026", in_language(self.text, language))

    def entities(self) -> list[str]:
        """The entities that are said along, in the order in which they are named."""
        texts = [text for words in (self.text, self.task) for text in _each(words)]
        texts = [*texts, *(form for forms in self.says.values() for form in forms)]
        return list(dict.fromkeys([*(name for text in texts for name in _ENTITY.findall(text)), *self.needs]))

    def done_in(self, language: str) -> str | None:
        """The words by which the system tells in this language that it is done; null where nobody said."""
        if self.done is None or isinstance(self.done, str):
            return self.done
        return self.done.get(language)

    @field_validator("done")
    @classmethod
    def _regular(cls, done: Any) -> Any:
        for form in done.values() if isinstance(done, dict) else [done] if done else []:
            check_pattern(form)
        return done


def _each(words: Words | None) -> list[str]:
    return [words] if isinstance(words, str) else list((words or {}).values())


class Submission(_Written):
    """One system in a campaign, as its team describes it."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    submission: str = Field(description="system name: letters, digits, dot, dash, underscore")
    team: str = Field(min_length=1, max_length=200, description="team that submits the system")
    title: Words | None = Field(None, description="display name in reports")
    domain: Words = Field(description="topics that the system covers")
    intents: list[Intent] = Field(min_length=1, max_length=50, description="user goals")
    entities: list[Entity] = Field([], max_length=50, description="slots with their values")
    channel: Literal["spoken", "written", "multimodal"] = Field(description="channel of the conversation")
    interface: str = Field(
        "", max_length=200, description="user interface: messenger, telegram, own page, telephone"
    )
    access: Literal["on-line", "off-line", "telephone"] = Field(description="access to the system")
    languages: list[str] = Field(min_length=1, description="languages of the system")
    connector: dict[str, Any] = Field(
        {}, description="settings of the connector, as under `systems` in a study file"
    )

    @field_validator("submission")
    @classmethod
    def _plain_name(cls, name: str) -> str:
        if not is_name(name):
            raise mistake(f"invalid system name {name!r}", NAME_CURE)
        return name

    @field_validator("intents")
    @classmethod
    def _different(cls, intents: list[Intent]) -> list[Intent]:
        ids = [intent.intent_id for intent in intents]
        twice = next((id_ for id_ in ids if ids.count(id_) > 1), None)
        if twice is not None:
            raise mistake(f"duplicate intent {twice!r}", "give each intent its own id")
        return intents

    @field_validator("entities")
    @classmethod
    def _different_entities(cls, entities: list[Entity]) -> list[Entity]:
        ids = [entity.entity_id for entity in entities]
        twice = next((id_ for id_ in ids if ids.count(id_) > 1), None)
        if twice is not None:
            raise mistake(f"duplicate entity {twice!r}", "give each entity its own id")
        return entities

    @model_validator(mode="after")
    def _known_entities(self) -> "Submission":
        entity_ids = {entity.entity_id for entity in self.entities}
        for intent in self.intents:
            strange = next((entity for entity in intent.entities() if entity not in entity_ids), None)
            if strange is not None:
                listed = ", ".join(sorted(entity_ids)) or "none"
                raise mistake(
                    f"intent {intent.intent_id!r} uses the unknown entity {strange!r}", f"known: {listed}"
                )
        return self

    @field_validator("title", "domain")
    @classmethod
    def _said(cls, words: Any) -> Any:
        texts = words.values() if isinstance(words, dict) else [words]
        if words is not None and not all(text.strip() for text in texts):
            raise mistake(
                "the text is empty", "write a sentence, or a mapping with one sentence per language"
            )
        return words

    def entities_of(self, intent: Intent) -> list[str]:
        """The entities of an intent; one that no intent names belongs to all."""
        mentioned = {entity for intent in self.intents for entity in intent.entities()}
        common = [entity.entity_id for entity in self.entities if entity.entity_id not in mentioned]
        return [*intent.entities(), *common]

    def domain_told(self, language: str) -> str:
        """Domain of the system; "" if it says no more than the users' tasks."""
        domain = " ".join(in_language(self.domain, language).split()).rstrip(".")
        intents = "; ".join(intent.said(language) for intent in self.intents)
        return "" if domain == " ".join(intents.split()).rstrip(".") else domain

    @property
    def spoken(self) -> bool:
        """True if users speak to it, so that tests of single characters make no sense."""
        return self.channel == "spoken"

    def tells_done(self, text: str, language: str) -> bool:
        """True if a system text has words that, by its team, confirm completion."""
        forms = (intent.done_in(language.split("-")[0]) for intent in self.intents)
        return any(search(form, text, ignore_case=True) for form in forms if form)

    def name(self, language: str) -> str:
        """Display name in a language."""
        return in_language(self.title, language) if self.title else self.submission

    def described(self) -> dict[str, Any]:
        """Content for a report: everything except how the system is reached."""
        return self.model_dump(mode="json", by_alias=True, exclude={"connector"}, exclude_none=True)


def check_submission(path: Path) -> tuple[Submission | None, list[Problem]]:
    """The submission of a file, and everything that is wrong with it."""
    source = read_yaml(path, renamed=RENAMED_KEYS)
    if not source.problems and not isinstance(source.data, dict):
        source.report((), "the file has no keys", "start with `submission: NAME`")
    model = read_model(source, Submission)
    if model is not None and not isinstance(model.connector.get("connect"), str):
        source.report(
            ("connector",), "connector settings are missing", "add connector: {connect: http, url: ...}"
        )
    return (None if source.problems else model), source.problems


def as_yaml(data: Any) -> str:
    """Data as YAML, a value a line."""
    yaml, out = YAML(), StringIO()
    yaml.width = 10_000
    yaml.allow_unicode = True
    yaml.dump(data, out)
    return out.getvalue()
