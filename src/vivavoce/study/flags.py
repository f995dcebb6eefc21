"""Rules that flag turns of a black box: questions, help, errors, rejections, time-outs."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vivavoce.core.patterns import Pattern, search
from vivavoce.core.validation import as_key, mistake

Flag = Literal["question", "help", "error_message", "rejection_prompt", "timeout_prompt"]
Origin = Literal["acts", "rules"]
FLAGS: Final[tuple[Flag, ...]] = get_args(Flag)
ACTS: Final[dict[str, frozenset[str]]] = {
    "question": frozenset({"request", "confirm", "confirm-domain", "select", "reqmore"}),
    "rejection_prompt": frozenset({"repeat"}),
}


class FlagRule(BaseModel):
    """A mark of a system turn: a phrase in it, a regular expression, or one of its acts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    phrase: str | None = Field(None, description="whole words; case does not matter")
    pattern: Pattern | None = Field(None, description="regular expression; case does not matter")
    act: str | None = Field(None, description="system act as logged by the bot")

    _short = model_validator(mode="before")(as_key("phrase"))

    @model_validator(mode="after")
    def _one(self) -> "FlagRule":
        given = [one for one in (self.phrase, self.pattern, self.act) if one is not None]
        if len(given) != 1 or not given[0].strip():
            raise mistake("a rule needs exactly one condition", "write phrase, pattern or act")
        return self

    def found(self, text: str) -> bool:
        """Check if a turn's text contains the phrase or matches the expression."""
        pattern = self.pattern if self.phrase is None else _whole_words(self.phrase)
        return pattern is not None and search(pattern, text, ignore_case=True) is not None


class FlagRules(BaseModel):
    """Rules of one system, a list for each flag (default: none)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: list[FlagRule] | None = Field(None, description="the turn asks the user for information")
    help: list[FlagRule] | None = Field(None, description="the turn lists the options at this point")
    error_message: list[FlagRule] | None = Field(
        None, description="the turn says that something is not possible"
    )
    rejection_prompt: list[FlagRule] | None = Field(
        None, description="the turn says that the system did not understand"
    )
    timeout_prompt: list[FlagRule] | None = Field(None, description="the turn follows the user's silence")


def flag(
    name: Flag,
    text: str | None,
    acts: Sequence[str] | None,
    rules: FlagRules | None,
    *,
    standard: bool = True,
) -> tuple[bool | None, Origin | None]:
    """A flag of one system turn, and its source.

    Input   acts: names of its acts, None if none are logged; standard: they belong to the dataset's
    vocabulary, so they can also exclude a flag
    Output  by logged acts if they decide it, else by the rules for text
    Empty   neither: (None, None)
    """
    own: list[FlagRule] | None = getattr(rules, name) if rules is not None else None
    telling = {rule.act for rule in own or () if rule.act is not None} or (
        ACTS.get(name) if standard else None
    )
    if acts is not None and telling:
        return not telling.isdisjoint(acts), "acts"
    spoken = [rule for rule in own if rule.act is None] if own is not None else None
    if spoken is None or text is None or (own and not spoken):
        return None, None
    return any(rule.found(text) for rule in spoken), "rules"


@lru_cache(maxsize=1000)
def _whole_words(phrase: str) -> str:
    """A phrase as an expression: any white space between its words, no letter at its edges."""
    words = r"[\s\x1c-\x1f]+".join(re.escape(word) for word in phrase.split())
    before = r"(?<!\w)" if re.match(r"\w", phrase) else ""
    after = r"(?!\w)" if re.search(r"\w$", phrase) else ""
    return before + words + after
