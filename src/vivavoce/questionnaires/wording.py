"""The sentences of an instrument in one language: the study's own file first, else ours, else a package's."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.core.errors import nearest
from vivavoce.core.validation import read_model
from vivavoce.core.yaml_source import Problem, Source, first_error, read_yaml
from vivavoce.languages import base as languages
from vivavoce.questionnaires.instrument import FOLDER, Instrument, folders

Origin = Literal["project", "package", "file"]


class Wording(BaseModel):
    """Participants' text: an instruction, a sentence for each item, a label for each code of each scale.

    origin  `project` for wordings that ship with Vivavoce, `package` for one of another package, `file` for
    one that the study brings
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="the instrument")
    language: str = Field(description="BCP 47 tag")
    origin: Origin = Field("file", description="origin of the wording, set by its location")
    source: str = Field("", description="source of a wording from elsewhere")
    title: str = Field("", description="heading above the form")
    instruction: str = Field("", description="sentence above the items")
    items: dict[str, str] = Field(description="sentence by item")
    labels: dict[str, dict[str, str]] = Field(
        description="label by scale and code, such as agreement: {1: ...}"
    )

    def label(self, scale: str, code: float) -> str:
        """The label of a code of a scale."""
        return self.labels[scale][str(int(code))]


def wording_file(instrument: Instrument, language: str, folder: Path | None) -> Path | None:
    """The file with this wording: in the study's `wordings`, else ours, else a package's, else None.

    A language of a package brings its sentences for our instruments in `wordings`, too. Sentences in `en`
    serve `en-GB`, where there are none in that.
    """
    tags = languages.lookup_tags(language)
    names = [place / f"{instrument.name}.{tag}.yaml" for tag in tags for place in _places(folder)]
    return next((path for path in names if path.is_file()), None)


def _places(folder: Path | None) -> list[Path]:
    beside = [parent / "wordings" for parent in (*([folder] if folder is not None else []), *folders())]
    return [*beside, *languages.folders("wordings")]


def languages_of(instrument: Instrument, folder: Path | None = None) -> list[str]:
    """The languages in which there is a wording."""
    names = [path.name for place in _places(folder) for path in place.glob(f"{instrument.name}.*.yaml")]
    return sorted({name.removeprefix(instrument.name + ".").removesuffix(".yaml") for name in names})


def check_wording(
    instrument: Instrument, language: str, folder: Path | None
) -> tuple[Wording | None, list[Problem]]:
    """The wording, and everything that is wrong with it."""
    path = wording_file(instrument, language, folder)
    if path is None:
        languages = ", ".join(languages_of(instrument, folder))
        hint = f"add wordings/{instrument.name}.{language}.yaml. Known: {languages}"
        problem = f"no wording of {instrument.name!r} in language {language!r}"
        return None, [Problem(f"questionnaire {instrument.name}", problem, hint)]
    source = read_yaml(path, f"wordings/{path.name}")
    wording = read_model(source, Wording)
    if wording is None:
        return None, source.problems
    _compare(instrument, path.name.split(".")[-2], wording, source)
    return wording.model_copy(update={"origin": _origin(path.parent.parent, folder)}), source.problems


def _origin(place: Path, study: Path | None) -> Origin:
    if place == study:
        return "file"
    return "project" if place == FOLDER or place.parent == languages.OURS else "package"


def load_wording(instrument: Instrument, language: str, folder: Path | None = None) -> Wording:
    """The wording of an instrument; the study's `wordings/<name>.<language>.yaml` wins over all others.

    Raises  InputError: there is none, or it does not cover the instrument (names the missing item)
    """
    wording, problems = check_wording(instrument, language, folder)
    if problems or wording is None:
        raise first_error(problems)
    return wording


def _compare(instrument: Instrument, language: str, wording: Wording, source: Source) -> None:
    """Reports what the wording lacks or has too much of."""
    for path, value, expected in (
        ("name", wording.name, instrument.name),
        ("language", wording.language, language),
    ):
        if value != expected:
            source.report((path,), f"says {value!r}", f"the file's name is {expected!r}: make them agree")
    ids = [item.item_id for item in instrument.items]
    for item in instrument.items:
        if not wording.items.get(item.item_id, "").strip():
            source.report(("items", item.item_id), f"no sentence for item {item.item_id!r}", "add it")
    for item_id in wording.items:
        if item_id not in ids:
            source.report(("items", item_id), f"unknown item {item_id!r}", nearest(item_id, ids))
    for name, scale in instrument.scales.items():
        labels, codes = wording.labels.get(name, {}), [str(code) for code in scale.codes]
        lacking = [code for code in codes if not labels.get(code, "").strip()]
        if lacking:
            path = ("labels", name)
            source.report(path, f"no label for code {', '.join(lacking)} of scale {name!r}", "add it")
        for code in labels:
            if code not in codes:
                source.report(("labels", name, code), f"unknown code {code!r}", nearest(code, codes))
