"""Transcript pair in the editor: its difference, problems and YAML."""

import json
from dataclasses import dataclass
from typing import Final, get_args

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dashboard.pairs_laboratory import PairsLaboratory
from vivavoce.log.history import DialogueHistory
from vivavoce.study.model import Study
from vivavoce.study.pairs import (
    Attention,
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
from vivavoce.study.pairs_check import Balance, Finding, PairVerdict, judge_pair
from vivavoce.study.pairs_difference import Difference, difference
from vivavoce.study.pairs_file import equivalents, phrases
from vivavoce.study.step_kind import kind_of

CHANGES: tuple[Change, ...] = get_args(Change)
NAMES: Final = (
    N_("substitution"),
    N_("insertion"),
    N_("broken"),
    N_("identical"),
)  # of changes, of attention


VERDICTS: Final = {
    "fair": N_("Balanced pair."),
    "doubtful": N_("Doubtful pair."),
    "unfit": N_("Unbalanced pair."),
}


@dataclass(slots=True)
class PairDraft:
    """Pair as entered in the form.

    opened, base  name and digest of the pair that the page was opened with
    """

    pair_id: str = "new-pair"
    variable: str = ""
    change: Change = "substitution"
    language: str = "en"
    outcome: str = ""
    equivalent: str = ""
    control: str = ""
    experimental: str = ""
    attention: Attention | None = None
    opened: str = ""
    base: str = ""


@dataclass(slots=True)
class DraftVerdict:
    """Result of the check of a draft; no difference while a transcript is unreadable."""

    judged: PairVerdict
    difference: Difference | None = None
    control_tokens: int = 0
    experimental_tokens: int = 0
    yaml: str = ""


def judge(draft: PairDraft, balance: Balance) -> DraftVerdict:
    """Verdict of `vivavoce check`, and the lines for `pairs.yaml`."""
    problems: list[Finding] = []
    read: dict[str, Transcript] = {}
    for version, text in ((N_("control"), draft.control), (N_("experimental"), draft.experimental)):
        try:
            read[version] = read_transcript(text)
        except UnreadableTranscript as error:
            where = N_("{version}, line {line}: {problem}")
            problem = statement(
                where, version=LocalizedText(version), line=error.line, problem=LocalizedText(error.problem)
            )
            problems.append(Finding(problem, LocalizedText(error.hint)))
    if problems:
        return DraftVerdict(PairVerdict("unfit", problems, 0.0))
    pair = pair_of_draft(draft, None)
    text = pair.text[draft.language]
    return DraftVerdict(
        judge_pair(pair, draft.language, balance),
        difference(text),
        length(text.control),
        length(text.experimental),
        _yaml(draft, text),
    )


def pair_of_draft(draft: PairDraft, known: Pair | None) -> Pair:
    """Draft as a pair in one language, with the levels of the known pair.

    Raises  UnreadableTranscript
    """
    text = PairText(
        control=read_transcript(draft.control),
        experimental=read_transcript(draft.experimental),
        outcome=phrases(draft.outcome),
        equivalent=equivalents(draft.equivalent),
    )
    facts = {
        "variable": draft.variable,
        "change": draft.change,
        "attention": draft.attention,
        "text": {draft.language: text},
    }
    if known is not None:
        return known.model_copy(update=facts)
    return Pair(pair_id=draft.pair_id, **facts)  # pyright: ignore[reportArgumentType]


def laboratory_of(study: Study) -> PairsLaboratory | None:
    """Pairs file of a study; None without one, or with a folder of text files."""
    pair_sources = (kind_of(step).transcript_pairs(step) for step in study.visit)
    name = next(
        (pair_source.file for pair_source in pair_sources if pair_source is not None and pair_source.file), ""
    )
    path = study.folder / name
    is_file = bool(name) and path.is_file()
    return PairsLaboratory(path, study.languages, study.balance) if is_file else None


def draft_of_pair(pair: Pair, language: str) -> PairDraft:
    """Draft of a pair of the study; empty in a language that it lacks."""
    text = pair.text.get(language) or PairText(control=(), experimental=())
    return PairDraft(
        pair.pair_id,
        pair.variable,
        pair.change,
        language,
        " | ".join(text.outcome),
        " | ".join(f"{term} = {equivalent}" for term, equivalent in text.equivalent),
        write_transcript(text.control),
        write_transcript(text.experimental),
        pair.attention,
    )


def draft_of_dialogue(dialogue: DialogueHistory, language: str) -> PairDraft:
    """Draft with a logged dialogue as control and a copy to be changed."""
    turns = [PairTurn(party=turn.party, text=text) for turn in dialogue.turns if (text := turn.text.strip())]
    transcript = write_transcript(turns)
    return PairDraft(language=language, control=transcript, experimental=transcript)


def _yaml(draft: PairDraft, text: PairText) -> str:
    lines = [
        f"  - id: {json.dumps(draft.pair_id, ensure_ascii=False)}",
        f"    variable: {json.dumps(draft.variable, ensure_ascii=False)}",
        f"    change: {draft.change}",
        "    text:",
        f"      {draft.language}:",
        f"        outcome: {json.dumps(list(text.outcome), ensure_ascii=False)}",
    ]
    if text.equivalent:
        lines.append(f"        equivalent: {json.dumps(text.equivalent, ensure_ascii=False)}")
    for name, transcript in (("control", text.control), ("experimental", text.experimental)):
        lines.append(f"        {name}: |")
        lines += [f"          {line}" for line in write_transcript(transcript).splitlines()]
    return "".join(f"{line}\n" for line in lines)
