"""Whether a study's dialogues by voice and telephone can be held in all of its languages, on this machine."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from vivavoce.audio.recognition import RECOGNISERS
from vivavoce.audio.synthesis import SYNTHESISERS, Synthesiser
from vivavoce.connectors.make import make_connector
from vivavoce.connectors.speech import make_recogniser, make_synthesiser
from vivavoce.core.errors import InputError
from vivavoce.study.model import Study
from vivavoce.study.telephone import Speech

Make = Callable[..., Any]


def speech_warnings(study: Study) -> list[str]:
    """Who cannot listen or speak, and in which language, one line each; [] where nobody has to."""
    found: list[str] = []
    for section, channel in (("telephone", "phone"), ("voice", "voice")):
        if any(getattr(step, "channel", None) == channel for step in study.visit):
            settings = getattr(study, section) or _voice_unsaid()
            if settings.recognise_for_log or not _all_listen(study):
                found += _cannot(study, section, "recogniser", settings.recogniser, settings.recognisers)
            found += _cannot(study, section, "synthesiser", settings.synthesiser, settings.synthesisers)
    return found


def _all_listen(study: Study) -> bool:
    """Whether every system hears participants by itself, so that nobody needs to be recognised."""
    try:
        made = [make_connector(raw, folder=study.folder) for raw in study.systems.values()]
    except InputError:
        return False
    return bool(made) and all(one.capabilities.audio for one in made)


def synthesiser_of(study: Study, language: str) -> Synthesiser:
    """Who speaks for the study in this language: by telephone, or else in the browser.

    Raises  InputError: it cannot be made on this machine
    """
    by_phone = study.telephone if study.voice is None else None
    settings: Any = by_phone or study.voice or _voice_unsaid()
    raw = settings.synthesisers.get(language, settings.synthesiser)
    return make_synthesiser(raw, folder=study.folder, place="synthesiser")


def _voice_unsaid() -> Any:
    """What holds in a study by voice that has no section `voice`."""
    from vivavoce.study.voice import Voice

    return Voice.model_validate({})


def _cannot(study: Study, section: str, task: str, one: Speech, others: Mapping[str, Speech]) -> list[str]:
    make: Make = make_recogniser if task == "recogniser" else make_synthesiser
    found: dict[str, None] = {}
    for language in study.languages:
        raw = others.get(language, one)
        place = f"{section} {task}"
        try:
            asyncio.run(make(raw, folder=study.folder, place=place).close())
        except InputError as error:
            found[str(error)] = None
            continue
        name = raw if isinstance(raw, str) else raw["use"]
        known = _languages(task, name)
        if known is not None and language.split("-")[0] not in known:
            does = "hears" if task == "recogniser" else "speaks"
            problem = f"{name} {does} {', '.join(known)}, not {language!r}, a language of the study"
            cure = f"add {task}s: {{{language}: ...}}"
            found[str(InputError(problem, place=place, cure=cure))] = None
    return list(found)


def _languages(task: str, name: str) -> tuple[str, ...] | None:
    """The languages that a kind of recogniser or synthesiser is for; None where it tells of none."""
    registry: Any = RECOGNISERS if task == "recogniser" else SYNTHESISERS
    return getattr(registry.get(name), "languages", None)
