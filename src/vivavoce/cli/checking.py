"""Preflight of a study: its file, and one hello to each of its systems."""

import asyncio
from pathlib import Path
from typing import Any

from vivavoce.cli.studies import make_connectors, read_study, study_path
from vivavoce.core.errors import InputError


def check_file(path: Path) -> list[str]:
    """Every problem of the study file and of its systems' settings, one line each; [] when it can run."""
    from vivavoce.study.load import check_study

    problems = [str(problem) for problem in check_study(study_path(path))]
    if problems:
        return problems
    try:
        make_connectors(read_study(path))
    except InputError as error:
        return [str(error)]
    return []


def check_bots(path: Path) -> list[dict[str, Any]]:
    """One hello to every system: `{system, ok, text, seconds, problem}`."""
    return asyncio.run(_say_hello(path))


async def _say_hello(path: Path) -> list[dict[str, Any]]:
    from vivavoce.connectors.probe import hello

    study = read_study(path)
    connectors = make_connectors(study)
    answers = await asyncio.gather(
        *(hello(connector, language=study.default_language) for connector in connectors.values())
    )
    for connector in connectors.values():
        await connector.shut_down()
    return [
        {"system": system, "ok": one.ok, "text": one.text, "seconds": one.seconds, "problem": one.problem}
        for system, one in zip(connectors, answers, strict=True)
    ]
