"""A pair of transcripts while it is being written: its difference, what is wrong with it, and its YAML."""

import json
from dataclasses import dataclass, field
from typing import Final, get_args

from vivavoce.core.i18n import N_
from vivavoce.log.history import DialogueHistory
from vivavoce.study.pairs import (
    Change,
    Pair,
    PairText,
    PairTurn,
    Transcript,
    UnreadableTranscript,
    length,
    read_transcript,
    write_transcript,
)
from vivavoce.study.pairs_check import Balance, Finding, pair_problems, pair_warnings
from vivavoce.study.pairs_difference import Difference, difference

CHANGES: tuple[Change, ...] = get_args(Change)
NAMES: Final = (
    N_("substitution"),
    N_("insertion"),
    N_("broken"),
    N_("identical"),
)  # of changes, of attention


@dataclass(slots=True)
class PairDraft:
    """A pair as it was typed."""

    pair_id: str = "new-pair"
    variable: str = ""
    change: Change = "substitution"
    language: str = "en"
    outcome: str = ""
    control: str = ""
    experimental: str = ""


@dataclass(slots=True)
class PairVerdict:
    """What a draft amounts to; without a difference as long as a transcript cannot be read."""

    difference: Difference | None = None
    control_tokens: int = 0
    experimental_tokens: int = 0
    problems: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    yaml: str = ""


def judge(draft: PairDraft, balance: Balance) -> PairVerdict:
    """The verdict that `vivavoce check` would give, and the lines for `pairs.yaml`."""
    problems: list[Finding] = []
    read: dict[str, Transcript] = {}
    for name, text in (("control", draft.control), ("experimental", draft.experimental)):
        try:
            read[name] = read_transcript(text)
        except UnreadableTranscript as error:
            problems.append(Finding(f"{name}, line {error.line}: {error.problem}", error.hint))
    if problems:
        return PairVerdict(problems=problems)
    outcome = tuple(phrase.strip() for phrase in draft.outcome.split("|") if phrase.strip())
    text = PairText(control=read["control"], experimental=read["experimental"], outcome=outcome)
    pair = Pair(
        pair_id=draft.pair_id, variable=draft.variable, change=draft.change, text={draft.language: text}
    )
    problems = pair_problems(pair, draft.language, balance)
    return PairVerdict(
        difference(text), length(text.control), length(text.experimental), problems,
        [] if problems else pair_warnings(pair, draft.language), _yaml(draft, text),
    )  # fmt: skip


def draft_of_pair(pair: Pair, language: str) -> PairDraft:
    """A pair of the study, to be changed."""
    text = pair.text[language]
    return PairDraft(
        pair.pair_id, pair.variable, pair.change, language, " | ".join(text.outcome),
        write_transcript(text.control), write_transcript(text.experimental),
    )  # fmt: skip


def draft_of_dialogue(dialogue: DialogueHistory, language: str) -> PairDraft:
    """A dialogue of the log as control, and a copy of it to be changed."""
    turns = [PairTurn(party=one.party, text=text) for one in dialogue.turns if (text := one.text.strip())]
    written = write_transcript(turns)
    return PairDraft(language=language, control=written, experimental=written)


def _yaml(draft: PairDraft, text: PairText) -> str:
    lines = [
        f"  - id: {json.dumps(draft.pair_id, ensure_ascii=False)}",
        f"    variable: {json.dumps(draft.variable, ensure_ascii=False)}",
        f"    change: {draft.change}",
        "    text:",
        f"      {draft.language}:",
        f"        outcome: {json.dumps(list(text.outcome), ensure_ascii=False)}",
    ]
    for name, transcript in (("control", text.control), ("experimental", text.experimental)):
        lines.append(f"        {name}: |")
        lines += [f"          {line}" for line in write_transcript(transcript).splitlines()]
    return "".join(f"{line}\n" for line in lines)
