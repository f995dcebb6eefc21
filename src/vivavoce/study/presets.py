"""Protocols: study files that a study starts from, with their texts; found by entry points, ours likewise."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vivavoce.core.registry import Registry
from vivavoce.core.yaml_source import Source, read_yaml
from vivavoce.languages.base import folders, lookup_tags
from vivavoce.study.renamed_keys import RENAMED_KEYS, parse_study

ROOM: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class StudyProtocol:
    """One protocol, as a package offers it in the group `vivavoce.protocols`.

    name    as `protocol` of a study file has it
    folder  of its files:
            protocol.yaml  what a study that names it need not write
            study.yaml     what `vivavoce init` writes, with STUDY_NAME for the study's name
            texts/         what participants read: `consent.en.md`, ...; a language may bring more of them;
                           in own/ those that take the place of texts about the example's domain
            files/         what `init` writes beside the study file; most have none
    """

    name: str
    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / "protocol.yaml"

    @property
    def scaffold(self) -> str:
        """The study that `init` writes, still without its name."""
        return (self.folder / "study.yaml").read_text(encoding="utf-8")


PROTOCOLS: Final[Registry[StudyProtocol]] = Registry("protocol", StudyProtocol)


def protocol_names() -> list[str]:
    """The protocols that installed packages offer."""
    return PROTOCOLS.names()


def protocol_file(name: str) -> Path:
    """Raises  UnknownName; InputError: the package that offers it is not there"""
    return PROTOCOLS.get(name).file


def shipped_texts(protocol: str, *, own_domain: bool = False) -> list[Path]:
    """The texts that a protocol brings, and languages for it, in all languages, by name.

    Input   own_domain: only those that a study of another domain than the example's has in their place
    """
    places = [PROTOCOLS.get(protocol).folder / "texts", *(place / protocol for place in folders("texts"))]
    pattern = "own/*.md" if own_domain else "*.md"
    return sorted((file for place in places for file in place.glob(pattern)), key=lambda one: one.name)


def shipped_text(protocol: str | None, file: str, language: str) -> Path | None:
    """The text that a preset ships under this name in a language or a wider one, such as `consent.it.md`."""
    shipped = {one.name: one for one in reversed(shipped_texts(protocol))} if protocol else {}
    names = [f"{Path(file).stem}.{tag}.md" for tag in lookup_tags(language)]
    return next((shipped[name] for name in names if name in shipped), None)


def lay_over(study: Source, preset: str | None) -> Source:
    """The study over the preset.

    A study's `tasks: FILE` replaces the preset's settings for generated tasks.
    """
    if preset is None:
        return study
    below, tasks = protocol_content(preset), study.data.get("tasks")
    if isinstance(tasks, str) or (isinstance(tasks, dict) and "file" in tasks):
        below = {key: value for key, value in below.items() if key != "tasks"}
    return study.over(below, f"protocol {preset}")


def effective(text: str) -> dict[str, Any]:
    """A study file's content over that of its protocol; {} if it is not a mapping."""
    source = parse_study(text)
    if not isinstance(source.data, dict):
        return {}
    preset = source.data.get("protocol")
    return lay_over(source, preset if preset in protocol_names() else None).data


def protocol_content(name: str) -> dict[str, Any]:
    """The keys that a protocol supplies.

    Raises  UnknownName; InputError: the package that offers it is not there
    """
    return read_yaml(protocol_file(name), renamed=RENAMED_KEYS).data
