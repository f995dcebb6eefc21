"""Checks before a study runs: its file, and a test message to each system."""

import asyncio
import os
import shlex
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import typer

from vivavoce.api.studies import (
    log_file,
    log_url,
    make_connectors,
    open_log,
    place_in,
    study_path,
)
from vivavoce.cli.arguments import note, printable
from vivavoce.core.errors import InputError, MissingExtra, SystemUnderTestError
from vivavoce.core.extras import require

if TYPE_CHECKING:
    from vivavoce.audio.sound import Sound
    from vivavoce.audio.synthesis import Synthesiser
    from vivavoce.connectors.base import Connector
    from vivavoce.connectors.probe import Hello
    from vivavoce.connectors.speak_turn import Speak
    from vivavoce.core.yaml_source import Problem, Source
    from vivavoce.study.analysis_file import Analysis, Primary
    from vivavoce.study.model import Study

START: Final = "; start it, or correct its address in the study file"
COMPARE: Final = "; check its settings in the study file against the bot's request format"
SILENT: Final = "no answer to a test message: see the bot's log if you expected one"
UNREAD: Final = "no text was recognised in it: if it contains a greeting, set its path (http: open.response)"
MANY: Final = 100  # planned participants of whom nobody need ask whether they can show anything
DEAF: Final = (
    "WARNING: the bot's reply does not depend on the message. Check that {{ text }} stands in its message "
    "field"
)
SWAPPED: Final = (
    "WRONG FIELD: the bot replies to the message only with {{ text }} and {{ conversation }} exchanged. "
    "Exchange them in the request"
)
UNSET: Final = "not set"
COMES: Final = "the bot connects to us and was not tested; start it when the study is served"
LEFT_OUT: Final = "not tested: it starts a program; --programs runs it"
UNREAD_FILE: Final = "{file} was not run, so the study could not be checked. Read it, then add --programs"
PLAYED: Final = "not tested: a wizard plays it"


class Program(NamedTuple):
    """A program that a check starts: its command, and its system; none for an extension file."""

    command: str
    system: str | None = None


def programs_of(path: Path, *, bots: bool = True) -> list[Program]:
    """Programs that a check of the study starts.

    Input   bots: systems get a test message
    """
    from vivavoce.connectors.factory import CONNECTORS
    from vivavoce.core.yaml_source import read_yaml

    data = read_yaml(study_path(path)).data
    study: dict[str, Any] = data if isinstance(data, dict) else {}
    extensions, systems = study.get("extensions"), study.get("systems")
    programs = [Program(str(file)) for file in (extensions if isinstance(extensions, list) else [])]
    for system, written in systems.items() if isinstance(systems, dict) else ():
        settings = written
        while isinstance(settings, dict):
            with suppress(InputError):  # unknown or not installed: nothing starts
                words = settings.get(CONNECTORS.get(str(settings.get("connect"))).settings.starts)
                if words and (bots or settings.get("in_process")):
                    programs.append(Program(_command(words), system))
            settings = settings.get("behind")
    return programs


def _command(words: object) -> str:
    return shlex.join(map(str, words)) if isinstance(words, list) else str(words)


def agree_to_run(path: Path, programs: Sequence[Program], choice: bool | None) -> bool:
    """Decide whether the programs of a study may run: by the option, else by the user's answer.

    Raises  InputError: neither an option nor a terminal
    """
    if not programs or choice is not None:
        return choice is not False
    listed = printable("; ".join(dict.fromkeys(program.command for program in programs)))
    if not sys.stdin.isatty():
        hint = "Add --programs to run them, or --no-programs to leave them out"
        raise InputError(f"checking it runs these programs: {listed}", place=str(study_path(path)), hint=hint)
    return typer.confirm(f"{study_path(path)} starts these programs: {listed}\nRun them?", err=True)


def check_secrets(path: Path) -> list[str]:
    """Warn of secrets that are written out in the study file, one line each."""
    from vivavoce.core.secrets import literal_secrets, texts_in, variable_for
    from vivavoce.core.yaml_source import Problem, read_yaml

    source = read_yaml(study_path(path))
    hint = "write ${{{name}}} in its place and set the environment variable {name}"
    return [
        str(Problem(source.place(at), "the file contains a secret", hint.format(name=variable_for(at))))
        for at in literal_secrets(texts_in(source.data))
    ]


def check_file(
    path: Path, *, secrets: bool = True, left_out: Collection[str] = ()
) -> tuple["Study | None", list[str]]:
    """The study and its problems, one line each; [] if it can run.

    Input   secrets: report unset secrets as problems of the file; else `check_bots` reports them by system;
            left_out: systems whose connectors are not made
    """
    from vivavoce.connectors.factory import try_connectors
    from vivavoce.core.secrets import names_in
    from vivavoce.study.load import examine_study

    found = examine_study(study_path(path))
    unset = {} if secrets else dict.fromkeys(names_in(found.systems), UNSET)
    systems = {name: settings for name, settings in found.systems.items() if name not in left_out}
    _, problems = try_connectors(systems, found.folder, found.source, secrets=unset | os.environ)
    problems += [] if found.analysis is None else check_measures(found.analysis, found.source)
    return found.study, [str(one) for one in found.in_order([*found.problems, *problems])]


def check_measures(analysis: "Analysis", source: "Source") -> "list[Problem]":
    """Problems of the declared analysis: unknown measures and impossible margins."""
    from vivavoce.core.yaml_source import Problem

    problems: list[Problem] = []
    for at, one in declared_comparisons(analysis):
        place = source.place(("analysis", *at, "measure"))
        try:
            from vivavoce.measures import MEASURES

            MEASURES.get(one.measure)
            if one.margin is not None:
                from vivavoce.analysis.declared import check_margin

                place = source.place(("analysis", *at, "margin"))
                check_margin(one.measure, one.margin, place=place)
        except InputError as error:
            problems.append(Problem(place, error.problem, error.hint))
    return problems


def check_evidence(study: "Study", greetings: "list[dict[str, Any]]") -> list[str]:
    """Declared measures that these systems and this study cannot supply, one line each, primary first."""
    from vivavoce.measures import MEASURES
    from vivavoce.measures.evidence import GivenEvidence, lacking

    given = GivenEvidence({greeting["system"]: greeting["gives"] for greeting in greetings if greeting["ok"]})
    found: list[str] = []
    for place, asked in declared_comparisons(study.analysis):
        why = lacking(study, MEASURES.get(asked.measure), asked.compare, given)
        if why is not None:
            where = place_in(study, "analysis", *place, "measure")
            found.append(f"{where}: {why.of(asked.measure)}")
    return found


def declared_comparisons(declared: "Analysis") -> "list[tuple[tuple[str | int, ...], Primary]]":
    """Comparisons of the analysis, each with its place in the file."""
    first = [] if declared.primary is None else [(("primary",), declared.primary)]
    return [*first, *((("secondary", number), one) for number, one in enumerate(declared.secondary))]


def check_bots(study: "Study", *, wait: bool = True, left_out: Collection[str] = ()) -> list[dict[str, Any]]:
    """Send each system a test message, reset it and send another; return the fields of
    `connectors.probe.Hello`.

    Input   wait: wait for bots that connect to us; else they are not tested; left_out: systems not to test
    """
    return asyncio.run(_say_hello(study, wait, left_out))


def warnings_of(study: "Study") -> list[str]:
    """Warnings about a study without errors, one line each."""
    from vivavoce.study.pairs_study import comparison_warnings
    from vivavoce.study.scaffold import example_warnings
    from vivavoce.study.step_kind import channels_of
    from vivavoce.study.step_sequence import recording_warnings

    return [
        *comparison_warnings(study.pairs, study.languages),
        *(doubt for channel in channels_of(study) for doubt in channel.doubts(study)),
        *recording_warnings(study.visit),
        *check_sound(study),
        *example_warnings(study),
        *check_size(study),
        *check_languages(study),
        *check_tasks(study),
    ]


def check_size(study: "Study") -> list[str]:
    """Warn of a planned sample too small to show a difference."""
    stopping = study.analysis.stopping
    if study.analysis.primary is None or stopping is None or (stopping.participants or MANY) >= MANY:
        return []
    place = place_in(study, "analysis", "stopping", "participants")
    try:
        require("scipy", place=place)
    except MissingExtra as error:
        return [str(error)]
    from vivavoce.analysis.planning import doubt_size

    doubt = doubt_size(study, stopping.participants or MANY)
    return [f"{place}: {doubt}"] if doubt else []


def check_tasks(study: "Study") -> list[str]:
    """Warn of visits with more dialogues than tasks."""
    from vivavoce.study.step_kind import dialogues_in

    least, tasks = sum(plan.repeat.min for plan in dialogues_in(study.visit)), len(study.tasks)
    if not tasks or least <= tasks:
        return []
    said = f"a visit has {least} dialogues but the study has {tasks} tasks, so some tasks repeat"
    return [f"{place_in(study, 'visit')}: {said}; write more tasks, or plan fewer dialogues"]


def check_languages(study: "Study") -> list[str]:
    """Count page sentences without a translation, one line per language.

    Raises  InputError: a file of a language has a mistake
    """
    from vivavoce.core.i18n import SOURCE_LANGUAGE
    from vivavoce.languages.base import language_of
    from vivavoce.languages.coverage import coverage
    from vivavoce.languages.data import FILES
    from vivavoce.study.step_kind import kind_of

    steps = list({kind_of(step).folder / "locale" for step in study.visit})
    found: list[str] = []
    for tag in study.languages:
        language = language_of(tag)
        if language is None or language.name == SOURCE_LANGUAGE:
            continue
        for kind in FILES:
            kind.of(tag)  # a mistake is told now, not in the middle of a call
        parts = coverage(language, {"steps": steps}, ("participant", "steps"))
        left, every = sum(part.in_english for part in parts), sum(part.said for part in parts)
        if left:
            found.append(
                f"{place_in(study, 'languages')}: {left} of {every} sentences of the pages are not "
                f"translated into {tag!r}; translate them in participant.po and steps.po of its package"
            )
    return found


def missing_here(study: "Study") -> "list[InputError]":
    """What this machine lacks to run the trial: packages of its channels and of its stopping rule."""
    from vivavoce.study.step_kind import channels_of

    lacking: list[InputError] = [one for channel in channels_of(study) for one in channel.missing(study)]
    stopping = study.analysis.stopping
    try:
        if stopping is not None and stopping.rule is not None:
            require("scipy", "pyarrow", place=place_in(study, "analysis", "stopping", "rule"))
        if any(rule.goal_pursued for rule in study.analysis.exclude):
            require("rapidfuzz", extra="analysis", place=place_in(study, "analysis", "exclude"))
    except MissingExtra as error:
        lacking.append(error)
    return lacking


def check_sound(study: "Study") -> list[str]:
    """Mismatches between log and recordings, one line each; [] before the first visit."""
    if log_url(study, None) == f"sqlite:///{log_file(study)}" and not log_file(study).is_file():
        return []
    from vivavoce.log.recordings import check_recordings

    with open_log(study, None) as log:
        return check_recordings(log).lines()


async def _say_hello(study: "Study", wait: bool, left_out: Collection[str]) -> list[dict[str, Any]]:
    from vivavoce.connectors.exchange import exchanged
    from vivavoce.connectors.probe import Hello

    lacking = {
        system: "" if system in left_out else without_secret(settings)
        for system, settings in study.systems.items()
    }
    ready = [system for system, problem in lacking.items() if not problem and system not in left_out]
    connectors = make_connectors(study, ready)
    comes = {system for system, one in connectors.items() if getattr(one, "awaited", None)}
    for system in comes if wait else ():
        await listen_for_bot(system, connectors[system])
    asked = {system: one for system, one in connectors.items() if wait or system not in comes}
    speak = speaking(study, study.default_language)
    tasks = [task.words(study.default_language) for task in study.tasks[:3]]
    answers = await asyncio.gather(
        *(_hello(connector, study.default_language, speak, tasks) for connector in asked.values())
    )
    for connector in connectors.values():
        await connector.shut_down()
    found = dict.fromkeys(comes, Hello(ok=True, text=COMES, seconds=0.0))
    found |= dict.fromkeys(left_out, Hello(ok=True, text=LEFT_OUT, seconds=0.0))
    found |= dict(zip(asked, answers, strict=True))
    greetings = [
        {"system": system, **asdict(found.get(system) or Hello(False, "", 0.0, problem, reachable=False))}
        for system, problem in lacking.items()
    ]
    for greeting in greetings:
        other = (
            exchanged(study.systems[greeting["system"]]) if greeting["ok"] and not greeting["heeds"] else None
        )
        greeting["swapped"] = other is not None and await _follows(study, greeting["system"], other)
    return greetings


def without_secret(settings: "dict[str, Any]") -> str:
    """Problem of a system's unset secret, with the next step; "" if all are set."""
    from vivavoce.connectors.secrets import Vault

    try:
        Vault.of(settings, os.environ)
    except InputError as error:
        return str(error)
    return ""


async def listen_for_bot(system: str, connector: "Connector") -> None:
    """Start listening for a bot that connects to us, and say so. The first turn reports a failure."""
    if (address := getattr(connector, "awaited", None)) is None:
        return
    start: Any = getattr(connector, "start")  # noqa: B009
    with suppress(SystemUnderTestError):
        await start()
        address = getattr(connector, "awaited", address)
        note(f"{system}: listening for the bot at {address}; start it now")


async def _follows(study: "Study", system: str, settings: dict[str, Any]) -> bool:
    """Test if a system's reply depends on the message with these settings."""
    from vivavoce.connectors.factory import try_connectors
    from vivavoce.study.renamed_keys import parse_study

    source = parse_study(study.file_text)
    made, _ = try_connectors({system: settings}, study.folder, source)
    for connector in made.values():
        try:
            return bool((await _hello(connector, study.default_language)).heeds)
        finally:
            await connector.shut_down()
    return False


def speaking(study: "Study", language: str) -> "Speak":
    """Speak a line with the study's synthesiser, created when needed."""

    async def speak(text: str) -> "Sound":
        synthesiser = synthesiser_of(study, language)
        try:
            return await synthesiser.speak(text, language=language)
        finally:
            await synthesiser.close()

    return speak


def synthesiser_of(study: "Study", language: str) -> "Synthesiser":
    """Synthesiser of the study in this language: the browser's, or else the telephone's.

    Raises  InputError: it cannot be made on this machine
    """
    from vivavoce.audio.speech import make_synthesiser
    from vivavoce.study.voice import Voice

    settings = study.voice or study.telephone or Voice.model_validate({})
    raw = settings.synthesisers.get(language, settings.synthesiser)
    return make_synthesiser(raw, folder=study.folder, place="synthesiser")


async def _hello(
    connector: "Connector", language: str, speak: "Speak | None" = None, tasks: Sequence[str] = ()
) -> "Hello":
    from vivavoce.connectors.probe import Hello, hello

    if getattr(connector, "room", None) is not None:  # nobody sits there now
        return Hello(ok=True, text=PLAYED, seconds=0.0)
    return await hello(connector, language=language, reset=True, speak=speak, words=True, tasks=tasks)


def told(answer: dict[str, Any]) -> list[str]:
    """Report of one test message, as lines to read, without what a terminal would obey."""
    return [printable(line) for line in _report_lines(answer)]


def _report_lines(answer: dict[str, Any]) -> list[str]:
    system, seconds = answer["system"], f"{answer['seconds']:.2f} s"
    if not answer["ok"]:
        advised = any(mark in answer["problem"] for mark in ("; ", ". "))  # as in `problem. Next step`
        hint = COMPARE if answer["reachable"] else "" if advised else START
        tried = f" in {seconds}" if answer["seconds"] else ""
        return [f"{system}: FAILED{tried}: {answer['problem']}{hint}"]
    if not answer["answers"]:
        return [f"{system}: ok: {answer['text']}"]
    silent = answer["first_output_s"] is None
    facts = ["reachable", "says nothing" if silent else "answers"]
    facts.append("resets" if answer["resets"] else "does not reset")
    facts.append("streams" if answer["streams"] else "does not stream")
    if answer.get("listens"):
        facts.append("listens")
    if answer.get("spoken_s"):
        facts.append(f"spoke {answer['spoken_s']:.1f} s")
    first_s = answer["first_output_s"]
    times = f"first output {first_s:.2f} s, complete {seconds}" if first_s is not None else seconds
    shown = SILENT if silent else " ".join(answer["text"].split())[:200]
    unread = answer.get("unread")
    doubt = SWAPPED if answer.get("swapped") else DEAF if answer.get("heeds") is False else ""
    deaf = [f"    {system}: {doubt}"] if doubt else []
    opened = [f"    opening reply {unread[:200]}; {UNREAD}"] if unread else []
    return [f"{system}: ok: {', '.join(facts)}; {times}", *opened, f"    {shown}", *deaf]
