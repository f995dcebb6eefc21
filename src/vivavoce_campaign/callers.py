"""Simulated users of a submitted system, made from what its team said: they draw tasks and try the system.

They are an ordinary file of simulated users (docs/how-to/simulate-callers.md) beside the study, to be edited.
They know the system by its words alone: what asks for an entity names it in a question. Where no team said
by which words the system tells that it is done, it is when it asks for more or asks nothing.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any

from vivavoce.languages.data import CampaignWords, ReplyWords
from vivavoce.simulation.domain import SimulatedDomain
from vivavoce.study.task import Task
from vivavoce_campaign.submission_file import Entity, Intent, Submission, as_yaml, in_language
from vivavoce_stress.goal import behind_name

_LATE = 40  # characters from the end, within which a question mark tells that something is asked


def callers_text(submission: Submission, languages: Sequence[str]) -> str:
    """The file of simulated users as YAML."""
    return as_yaml(_callers(submission, languages))


def _callers(submission: Submission, languages: Sequence[str]) -> dict[str, Any]:
    """A goal for each intent, a slot for each entity, and cues."""
    entities = {entity.entity_id: entity for entity in submission.entities}
    used = dict.fromkeys(entity for intent in submission.intents for entity in submission.entities_of(intent))
    return {
        "domain": submission.submission,
        "languages": list(languages),
        "goals": {intent.intent_id: _goal(intent, submission, languages) for intent in submission.intents},
        "slots": {entity_id: _slot(entities[entity_id], languages) for entity_id in used},
        "cues": _cues(submission, [entities[entity_id] for entity_id in used], languages),
    }


def domain_from(submission: Submission, languages: Sequence[str]) -> SimulatedDomain:
    """The simulated users of a submission."""
    return SimulatedDomain.model_validate(_callers(submission, languages))


def different(tasks: Sequence[Task], least: int) -> tuple[Task, ...]:
    """Tasks without those that read as one before; repeated where fewer than needed are left.

    Users draw from all of them, so an intent with many values must not crowd out one with few.
    """
    unique_tasks = list({(task.type, *task.text.values()): task for task in reversed(tasks)}.values())[::-1]
    counts = Counter(task.type for task in unique_tasks)
    most = 2 * max(least, min(counts.values(), default=0))
    numbers = {name: count() for name in counts}
    limited = [task for task in unique_tasks if next(numbers[task.type]) < most]
    again = [task.model_copy(update={"task_id": f"{task.task_id}-again"}) for task in limited]
    return tuple([*limited, *again][: max(least, len(limited))])


def _goal(intent: Intent, submission: Submission, languages: Sequence[str]) -> dict[str, Any]:
    return {
        "text": {language: task_sentence(intent, submission, language) for language in languages},
        "slots": {entity_id: [] for entity_id in submission.entities_of(intent)},
        "opening": {language: _openings(intent, language) for language in languages},
        "done": [{"slot": _done(intent), "value": "yes"}],
    }


def task_sentence(intent: Intent, submission: Submission, language: str) -> str:
    """The task as a user reads it, with the places of its values.

    Note    values that it has no place for follow in a sentence of their own
    """
    words = CampaignWords.or_english(language)
    custom_task = in_language(intent.task, language) if intent.task else ""
    text = custom_task or words.task.replace("{what}", wish(in_language(intent.text, language)))
    entity_texts = {entity.entity_id: in_language(entity.text, language) for entity in submission.entities}
    missing = [entity_id for entity_id in submission.entities_of(intent) if "{" + entity_id + "}" not in text]
    if not missing:
        return text
    listed = ", ".join(f"{entity_texts[entity_id]} {{{entity_id}}}" for entity_id in missing)
    form = words.in_mind or CampaignWords.in_english().in_mind or "{values}"
    return f"{text} {form.replace('{values}', listed)}"


def wish(text: str) -> str:
    """A task's text after "You want to": in lower case at first, unless its first word has more capitals."""
    flat = " ".join(text.split()).rstrip(".")
    first = flat.split(" ")[0]
    return flat if first[1:] != first[1:].lower() else flat[:1].lower() + flat[1:]


def _openings(intent: Intent, language: str) -> list[str]:
    if openings := intent.says.get(language):
        return list(openings)
    words = CampaignWords.or_english(language)
    forms = words.openings or CampaignWords.in_english().openings
    what = wish(in_language(intent.text, language))
    for theirs, mine in words.first_person.items():
        what = re.sub(rf"\b{theirs}\b", mine, what)
    return [form.replace("{what}", what) for form in forms]


def _slot(entity: Entity, languages: Sequence[str]) -> dict[str, Any]:
    values = {
        in_language(value, languages[0]): {language: in_language(value, language) for language in languages}
        for value in entity.values
    }
    names = {language: in_language(entity.text, language) for language in languages}
    return {
        "say": {language: ["{value}"] for language in languages},
        "correct": {language: [f"{name} {{value}}"] for language, name in names.items()},
        "values": values,
        "changeable": False,
    }


def _cues(
    submission: Submission, entities: Sequence[Entity], languages: Sequence[str]
) -> list[dict[str, Any]]:
    cues: list[dict[str, Any]] = []
    for act, patterns in (("bye", _farewell), ("repeat", _lost), ("confirm", _confirm), ("reqmore", _more)):
        patterns_by_language = {language: patterns(language) for language in languages}
        more = {"slot": "all", "value": "yes"} if act == "confirm" else {}
        cues.append({"act": act, **more, **patterns_by_language})
    for entity in entities:
        summed = {language: _summed_up(entity, language) for language in languages}
        cues.append({"act": "confirm", "slot": entity.entity_id, **summed})
    for entity in entities:
        request_patterns = {language: _asked(in_language(entity.text, language)) for language in languages}
        cues.append({"act": "request", "slot": entity.entity_id, **request_patterns})
    for intent in submission.intents:
        done = {language: intent.done_in(language) or _served(language) for language in languages}
        cues.append({"act": "inform", "slot": _done(intent), "value": "yes", **done})
    return cues


def _done(intent: Intent) -> str:
    return f"done {intent.intent_id}"


def _words(language: str) -> CampaignWords:
    translated = CampaignWords.or_english(language)
    return translated if translated.more else CampaignWords.in_english()


def _farewell(language: str) -> str:
    return _any(_words(language).farewells)


def _more(language: str) -> str:
    return _any(_words(language).more)


def _lost(language: str) -> str:
    reply_words = ReplyWords.or_english(language)
    return _any([*reply_words.not_understood, *reply_words.ask_again])


def _confirm(language: str) -> str:
    return f"(?s){_to_confirm(language)}"


def _to_confirm(language: str) -> str:
    return rf"\A(?!.*(?:{_more(language)})).*(?:{_any(_words(language).confirms)})"


def _summed_up(entity: Entity, language: str) -> str:
    """A value behind its name in what is to be confirmed, which the user holds against the task."""
    values = [in_language(value, language) for value in entity.values]
    confirmation = behind_name(in_language(entity.text, language), values) if values else r"(?!)"
    return rf"(?s)(?={_to_confirm(language)}).*{confirmation}"


def _asked(name: str) -> str:
    """A question that names an entity."""
    return rf"\b{re.escape(name)}\w*\b[^.!?]*\?"


def _served(language: str) -> str:
    """The system says something, is not at a loss, takes no leave, and asks for more or asks nothing."""
    reply_words = ReplyWords.or_english(language)
    lost = _any(
        [*reply_words.not_understood, *reply_words.ask_again, *reply_words.refuse, _farewell(language)]
    )
    asks_nothing = rf"(?!.*\?[^?]{{0,{_LATE}}}\Z).*"
    return rf"(?s)\A(?!.*(?:{lost}))(?:.*(?:{_more(language)})|{asks_nothing})"


def _any(patterns: Sequence[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)"
