"""A language as the bots speak it: phrases by which people are understood, and sentences of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, Final

from ruamel.yaml import YAML

Phrases = Mapping[str, list[str]]
LANGUAGES: Final = ("en", "it")


@dataclass(frozen=True)
class Speech:
    """What a language's file holds, by the names that the file explains."""

    moves: Phrases
    alone: Phrases
    fillers: list[str]
    cues: Phrases
    small: list[str]
    order: Mapping[str, Phrases]
    hints: Mapping[str, Phrases]
    asks: Phrases
    anything: Phrases
    elsewhere: Phrases
    attributes: Mapping[str, Mapping[str, Any]]
    time: Mapping[str, Any]
    slots: Mapping[str, Mapping[str, Any]]
    sentences: Phrases
    answers: Phrases
    forms: Mapping[str, str]
    questions: Phrases


def read_data(name: str) -> dict[str, Any]:
    """What a YAML file of this package holds; without its ending."""
    source = files("vivavoce_bots") / "data" / f"{name}.yaml"
    return YAML(typ="safe", pure=True).load(source.read_text("utf-8"))


@cache
def speech(language: str) -> Speech:
    """The phrases and sentences of one of the languages."""
    raw = read_data(f"phrases.{language}")
    return Speech(**{one.name: raw[one.name] for one in fields(Speech)})


def language_of(tag: str) -> str:
    """The language that the bot speaks for a tag such as it-IT; English where it speaks none."""
    return tag[:2].lower() if tag[:2].lower() in LANGUAGES else "en"
