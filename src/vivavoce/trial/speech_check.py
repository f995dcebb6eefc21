"""Whether a study's dialogues by voice and telephone can be held in all of its languages, on this machine."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from vivavoce.audio.recognition import RECOGNISERS
from vivavoce.audio.speech import make_recogniser, make_synthesiser
from vivavoce.audio.synthesis import SYNTHESISERS, Synthesiser
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError
from vivavoce.study.model import Study
from vivavoce.study.telephone import Speech

Make = Callable[..., Any]
LISTED: Final = 12  # more languages than so many are counted instead


def speech_problems(study: Study) -> list[InputError]:
    """Who cannot listen or speak, and in which language, and what to do; [] where nobody has to.

    Note  whoever listens or speaks is made, so that a missing model is told now and not to a participant
    """
    found: dict[str, InputError] = {}
    for section, settings, recognised in _by_voice(study):
        tasks = ["recogniser", "synthesiser"] if recognised else ["synthesiser"]
        for task in tasks:
            chosen = {
                language: getattr(settings, f"{task}s").get(language, getattr(settings, task))
                for language in study.languages
            }  # fmt: skip
            for raw in [one for at, one in enumerate(chosen.values()) if one not in [*chosen.values()][:at]]:
                languages = [language for language, used in chosen.items() if used == raw]
                for problem in _problems(study, f"{section} {task}", raw, languages):
                    found.setdefault(str(problem), problem)
    return list(found.values())


def require_speech(study: Study) -> None:
    """Raises InputError: somebody cannot listen or speak who has to; the first of what `check` tells."""
    for problem in speech_problems(study):
        raise problem


def speech_warnings(study: Study) -> list[str]:
    """Who listens badly, one line each; [] where nobody does, or nobody has to."""
    found: list[str] = []
    for section, settings, recognised in _by_voice(study):
        for language in study.languages if recognised else ():
            raw: Speech = settings.recognisers.get(language, settings.recogniser)
            kind: Any = RECOGNISERS.get(_name(raw)) if _name(raw) in RECOGNISERS else None
            written = {"use": raw} if isinstance(raw, str) else raw
            doubt = kind.doubt(written, section == "telephone") if hasattr(kind, "doubt") else None
            found += [f"{section} recogniser: {doubt}"] if doubt is not None else []
    return list(dict.fromkeys(found))


def _by_voice(study: Study) -> Iterator[tuple[str, Any, bool]]:
    """Sections that the study's dialogues need, their settings, and whether people must be recognised."""
    for section, channel in (("telephone", "phone"), ("voice", "voice")):
        if any(getattr(step, "channel", None) == channel for step in study.visit):
            settings = getattr(study, section) or _voice_unsaid()
            yield section, settings, settings.recognise_for_log or not _all_listen(study)


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
