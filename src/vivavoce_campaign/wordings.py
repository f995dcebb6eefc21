"""The sentences that users of a system read: drafted for it, or the organiser's own, such as a printed scale.

What was read goes into the dataset's facts, so that a report shows it wherever it is made.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from vivavoce.core.errors import InputError
from vivavoce.languages.data import CampaignWords
from vivavoce.questionnaires.instrument import INSTRUMENTS, Wording, languages_of, load_wording, wording_file
from vivavoce_campaign.submission_file import Submission

SHOWN: Final = ("idial", "idial_background")
Wordings = Mapping[str, Mapping[str, Wording]]  # by instrument and language


def drafted_wordings(submission: Submission, language: str) -> dict[str, Wording]:
    """Ours with questions that name the subject of this system, and items that fit how one talks to it.

    Output  by instrument; those that stay as they are are not there
    """
    words = CampaignWords.or_english(language)
    domain = submission.domain_told(language)
    knowledge_items = (
        {"knowledge": words.knowledge.replace("{domain}", domain)} if words.knowledge and domain else {}
    )
    changed = {"idial_background": knowledge_items, "idial": words.spoken_items if submission.spoken else {}}
    wordings: dict[str, Wording] = {}
    for name, items in changed.items():
        instrument = INSTRUMENTS.get(name)
        if items and wording_file(instrument, language, None) is not None:
            ours = load_wording(instrument, language)
            wordings[name] = ours.model_copy(update={"items": ours.items | items})
    return wordings


def shown_wordings(folder: Path, submission: Submission, languages: Sequence[str]) -> Wordings:
    """Wordings of the study in this folder; `origin` is `file` where it is neither ours nor drafted.

    Empty  a wording that is not there, or is wrong, is left out: `campaign check` names it
    """
    by_questionnaire: dict[str, dict[str, Wording]] = {name: {} for name in SHOWN}
    for name in SHOWN:
        for language in languages:
            try:
                read = load_wording(INSTRUMENTS.get(name), language, folder)
            except InputError:
                continue
            drafted = drafted_wordings(submission, language).get(name)
            from_file = read.origin == "file" and not (drafted and read.items == drafted.items)
            by_questionnaire[name][language] = read.model_copy(
                update={"origin": "file" if from_file else "project"}
            )
    return by_questionnaire


def wording_for(wordings: Wordings, name: str, language: str, submission: Submission) -> Wording:
    """The sentences of an instrument for a report in this language: those that were read, if they are known.

    Note  an organiser's own wording is not translated: it stands in the language in which it was read
    """
    read = wordings.get(name, {})
    from_file = next((wording for wording in read.values() if wording.origin == "file"), None)
    if (same := read.get(language)) is not None and (from_file is None or same.origin == "file"):
        return same
    if from_file is not None:
        return from_file
    instrument = INSTRUMENTS.get(name)
    spoken = language if language in languages_of(instrument) else "en"
    return drafted_wordings(submission, spoken).get(name) or load_wording(instrument, spoken)
