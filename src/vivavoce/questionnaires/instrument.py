"""An instrument: its items, scales and score; and its wording, the sentences in one language.

A wording is the study's own file first, else ours, else a package's.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.registry import Member, Registry
from vivavoce.core.validation import read_model
from vivavoce.core.yaml_source import Problem, Source, first_error, read_yaml
from vivavoce.languages import base as languages

About = Literal["dialogue", "visit"]
Answers = Mapping[str, float | None]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Scale(_Data):
    """Integer codes from low to high; a wording gives each code its label.

    A continuous item may lie anywhere between low and high; its codes are then the labelled points.
    """

    low: int
    high: int
    step: int = Field(1, ge=1)
    nominal: bool = Field(False, description="nominal codes: counted, never averaged")

    @property
    def codes(self) -> range:
        return range(self.low, self.high + 1, self.step)

    def reversed(self, code: float) -> float:
        """The mirrored code; doing it twice gives the code back."""
        return self.low + self.high - code


class Item(_Data):
    """One question.

    kind  `choice` is answered by a code of the scale, `continuous` by a place on it, `comment` by free text
    """

    item_id: str = Field(alias="id")
    kind: Literal["choice", "continuous", "comment"] = "choice"
    scale: str | None = Field(None, description="scale; none for comments")
    reverse: bool = Field(False, description="negatively worded: a high code is a negative judgement")
    optional: bool = Field(False, description="may remain unanswered")
    role: Literal["subjective_success"] | None = None
    channels: tuple[str, ...] | None = Field(None, description="asked only on these channels; null: on all")


class Band(_Data):
    """Codes from low to high are worth this figure."""

    low: float
    high: float
    figure: float


class Score(_Data):
    """One figure made of items: mean of their codes, their sum rescaled to low..high, or a figure by bands.

    flipped  the figure mirrored: high is bad, for sources that name a scale by its bad end
    bands    of a single item, as for the share of promoters: its mean over people is the published index
    """

    rule: Literal["mean", "rescaled", "banded"]
    items: tuple[str, ...]
    low: float
    high: float
    mapping: str | None = Field(None, description="computed only under this mapping of items; null: always")
    flipped: bool = False
    bands: tuple[Band, ...] = ()
    meaning: str = ""


class Instrument(_Data):
    """A scoring key: everything about a questionnaire but its sentences.

    Raises  InputError: unknown item, a code outside the scale, an unknown option
    """

    name: str
    title: str
    about: About
    role: str = Field(description="purpose of the instrument in a study")
    source: str
    permission: str
    missing: Literal["null"] = Field("null", description="a score with an unanswered item is missing")
    order: Literal["fixed"] = "fixed"
    scales: dict[str, Scale]
    items: tuple[Item, ...]
    scores: dict[str, Score]
    mappings: tuple[str, ...] = Field((), description="ways of grouping items; the first is the default")
    switchable: tuple[str, ...] = Field((), description="items with optional reversal")

    @model_validator(mode="after")
    def _consistent(self) -> "Instrument":
        ids = [item.item_id for item in self.items]
        item_ids = [name for score in self.scores.values() for name in score.items]
        strange = [name for name in (*item_ids, *self.switchable) if name not in ids]
        scaleless = [i.item_id for i in self.items if i.kind != "comment" and i.scale not in self.scales]
        if strange or scaleless or len(set(ids)) != len(ids):
            raise ValueError(f"items do not match: {strange or scaleless or ids}")
        for name, score in self.scores.items():
            if names := [item_id for item_id in score.items if self.is_nominal(item_id)]:
                raise ValueError(f"score {name!r}: nominal items have no numeric score: {names}")
            if (score.rule == "banded") != bool(score.bands) or (score.bands and len(score.items) != 1):
                raise ValueError(f"score {name!r}: bands require the rule banded and exactly one item")
        return self

    @property
    def subjective_success(self) -> Item | None:
        return next((item for item in self.items if item.role == "subjective_success"), None)

    def item(self, item_id: str) -> Item:
        for item in self.items:
            if item.item_id == item_id:
                return item
        hint = nearest(item_id, [item.item_id for item in self.items])
        raise InputError(f"unknown item {item_id!r}", place=f"questionnaire {self.name}", hint=hint)

    def scale_of(self, item: Item) -> Scale | None:
        return self.scales[item.scale] if item.scale is not None else None

    def is_nominal(self, item_id: str) -> bool:
        """True if an item's codes are names; False for an unknown item."""
        item = next((candidate for candidate in self.items if candidate.item_id == item_id), None)
        scale = self.scale_of(item) if item is not None else None
        return scale is not None and scale.nominal

    def asked(self, channel: str = "text") -> tuple[Item, ...]:
        """The items that this channel asks, in order."""
        return tuple(item for item in self.items if item.channels is None or channel in item.channels)

    def check(self, item_id: str, value: Any) -> float | None:
        """The raw code, if it is one of the scale's; None stays None (unanswered)."""
        item = self.item(item_id)
        scale = self.scale_of(item)
        if value is None or scale is None:
            return None
        place = f"questionnaire {self.name} item {item_id}"
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if item.kind == "continuous":
            if not number or not scale.low <= value <= scale.high:
                raise InputError(
                    f"answer {value!r} is outside the scale",
                    place=place,
                    hint=f"use a position from {scale.low} to {scale.high}",
                )
        elif not number or value not in scale.codes:
            steps = f" in steps of {scale.step}" if scale.step > 1 else ""
            hint = f"use a whole number from {scale.low} to {scale.high}{steps}"
            raise InputError(f"answer {value!r} is outside the scale", place=place, hint=hint)
        return float(value)

    def score(
        self, answers: Answers, *, mapping: str | None = None, unreversed: Sequence[str] = ()
    ) -> dict[str, float | None]:
        """Every score of one filled-in form.

        Input   answers: raw code by item; absent or None is unanswered. mapping: one of `mappings`.
                unreversed: items of `switchable` that are taken as they stand
        Output  by score name; unrounded
        Empty   a score is None when one of its items is unanswered
        """
        for option in unreversed:
            if option not in self.switchable:
                hint = nearest(option, list(self.switchable))
                problem = f"the reversal of item {option!r} is fixed"
                raise InputError(problem, place=f"questionnaire {self.name}", hint=hint)
        codes = {name: self.check(name, value) for name, value in answers.items()}
        recoded = {name: self._recoded(name, code, unreversed) for name, code in codes.items()}
        return {
            name: self._figure(score, recoded)
            for name, score in self.scores.items()
            if score.mapping in (None, self.chosen_mapping(mapping))
        }

    def chosen_mapping(self, mapping: str | None) -> str | None:
        if mapping is None:
            return self.mappings[0] if self.mappings else None
        if mapping not in self.mappings:
            raise InputError(
                f"unknown mapping {mapping!r}",
                place=f"questionnaire {self.name}",
                hint=nearest(mapping, list(self.mappings)),
            )
        return mapping

    def _recoded(self, item_id: str, code: float | None, unreversed: Sequence[str]) -> float | None:
        item = self.item(item_id)
        scale = self.scale_of(item)
        if code is None or scale is None or not item.reverse or item_id in unreversed:
            return code
        return scale.reversed(code)

    def _figure(self, score: Score, recoded: Answers) -> float | None:
        values = [recoded.get(name) for name in score.items]
        answered = [value for value in values if value is not None]
        if len(answered) < len(values):
            return None
        figure = self._made(score, answered)
        return score.low + score.high - figure if score.flipped else figure

    def _made(self, score: Score, codes: Sequence[float]) -> float:
        if score.rule == "mean":
            return sum(codes) / len(codes)
        if score.rule == "banded":
            return next(band.figure for band in score.bands if band.low <= codes[0] <= band.high)
        scales = [scale for name in score.items if (scale := self.scale_of(self.item(name))) is not None]
        least, most = sum(scale.low for scale in scales), sum(scale.high for scale in scales)
        return score.low + (sum(codes) - least) * (score.high - score.low) / (most - least)


FOLDER: Final = Path(__file__).parent


def read_instrument(path: Path) -> Instrument:
    """Read a scoring key from a file named after the instrument."""
    source = read_yaml(path)
    model = read_model(source, Instrument)
    if model is None:
        raise source.problems[0].error()
    if model.name != path.stem:
        hint = f"rename the file, or write name: {path.stem}"
        raise InputError(
            f"name is {model.name!r}, but the file is {path.stem!r}", place=source.place(("name",)), hint=hint
        )
    return model


def _instruments(package: Any) -> list[Member[Instrument]]:
    files = sorted((_folder(package) / "instruments").glob("*.yaml"))
    return [(file.stem, partial(read_instrument, file)) for file in files]


def _folder(package: Any) -> Path:
    folder = next((Path(path) for path in getattr(package, "__path__", ())), None)
    if folder is None or not any((folder / name).is_dir() for name in ("instruments", "wordings")):
        raise TypeError(
            "it must be a package with a folder instruments or wordings; see docs/how-to/extend.md"
        )
    return folder


INSTRUMENTS: Final[Registry[Instrument]] = Registry("questionnaire", unpack=_instruments)


def folders() -> list[Path]:
    """Folders of all packages that offer questionnaires, ours first."""
    return sorted(map(_folder, INSTRUMENTS.offered()), key=lambda folder: folder != FOLDER)


def instrument_file(name: str) -> Path | None:
    """Path of an instrument's scoring key; None for one made by a program."""
    files = (folder / "instruments" / f"{name}.yaml" for folder in folders())
    return next((file for file in files if file.is_file()), None)


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
            source.report(
                (path,),
                f"{path} is {value!r}, but the file name has {expected!r}",
                f"write {path}: {expected}",
            )
    ids = [item.item_id for item in instrument.items]
    for item in instrument.items:
        if not wording.items.get(item.item_id, "").strip():
            source.report(("items", item.item_id), f"item {item.item_id!r} has no text", "add it")
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
