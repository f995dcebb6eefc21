"""The reference pages of shelves: `python -m vivavoce.api.registry_reference connectors`, or another page."""

import sys
from collections.abc import Iterable
from typing import Any, Final

from pydantic import BaseModel

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.factory import CONNECTORS
from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.core.reference import REFERENCE_PAGES, ReferencePage, key_table, markdown_table, model_tables
from vivavoce.exporters.base import EXPORTERS
from vivavoce.importers.base import IMPORTERS
from vivavoce.judges.base import JUDGES, JudgeSettings
from vivavoce.languages.base import LANGUAGES
from vivavoce.languages.coverage import Coverage, coverage, domains
from vivavoce.languages.data import FILES
from vivavoce.reports.section import words_of_sections
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.channel import CHANNELS
from vivavoce.study.judgement_kind import JUDGEMENTS, kinds_in_order
from vivavoce.study.recruiter import RECRUITERS
from vivavoce.study.step_kind import STEPS, words_of_steps
from vivavoce.study.steps import StepEntry

_HEAD: Final = """# {title}

<!-- Made by `python -m vivavoce.api.registry_reference {shelf}`; edit the code, not this page. -->

{lead} Packages can [add more](../how-to/extend.md).

"""


def connectors() -> str:
    """Connectors for systems under test, each with the settings that only it has."""
    parts, shared = [], set[type[ConnectorSettings]]()
    for name, kind in CONNECTORS:
        base = _family(kind.settings)
        if base is not ConnectorSettings:
            shared.add(base)
        anchor = base.family.replace(" ", "-")
        more = f" It also has the [settings of {base.family}](#settings-of-{anchor})." if base.family else ""
        parts.append(_with_keys(name, kind, _own_keys(kind.settings, base), more))
    parts.append(f"## Settings of all connectors\n\n{key_table(ConnectorSettings)}")
    for base in sorted(shared, key=lambda settings: settings.family):
        parts.append(f"## Settings of {base.family}\n")
        parts.append(key_table(base, _own_keys(base, ConnectorSettings)))
    return "\n".join(parts)


def _family(settings: type[ConnectorSettings]) -> type[ConnectorSettings]:
    """Base class with the settings that a named family of connectors shares."""
    families = (base for base in settings.__mro__ if "family" in vars(base))
    return next(families)


def _own_keys(settings: type[BaseModel], base: type[BaseModel]) -> list[str]:
    """The keys that a model adds to its base, or describes otherwise."""
    usual = {key: (field.default, field.description) for key, field in base.model_fields.items()}
    fields = settings.model_fields.items()
    return [key for key, field in fields if usual.get(key) != (field.default, field.description)]


def _with_keys(name: str, kind: Any, keys: Iterable[str] | None = None, more: str = "") -> str:
    """A section about one kind with its settings."""
    summary = kind.summary[:1].upper() + kind.summary[1:].removesuffix(".")
    return f"## `{name}`\n\n{summary}.{more}\n\n{key_table(kind.settings, keys)}"


def exporters() -> str:
    """Formats of exports."""
    rows = ((f"`{name}`", kind.title, kind.layout) for name, kind in EXPORTERS)
    return markdown_table(("format", "content", "files"), rows)


def importers() -> str:
    """Formats of foreign logs."""
    rows = (
        (f"`{name}`", kind.title, kind.layout, f"{kind.unit}{'; `--venues`' * kind.venues}")
        for name, kind in IMPORTERS
    )
    return markdown_table(("format", "content", "files", "unit"), rows)


def judges() -> str:
    """Kinds of judges, each with its specific settings, and the settings of all."""
    shared = JudgeSettings.model_fields
    parts = [
        _with_keys(
            name,
            kind,
            [key for key in kind.settings.model_fields if key not in shared],
            " Also compares two answers." * kind.pairs,
        )
        for name, kind in JUDGES
    ]
    return "\n".join([*parts, f"## Keys of all judges\n\n{key_table(JudgeSettings)}"])


def languages() -> str:
    """Languages with the coverage of their catalogues, and the keys of their files of words."""
    beside = {"steps": words_of_steps(), "report": words_of_sections()}
    rows = (
        (f"`{name}`", kind.title, *_translated([] if name == SOURCE_LANGUAGE else coverage(kind, beside)))
        for name, kind in LANGUAGES
    )
    catalogues = markdown_table(("language", "name", *(f"`{domain}.po`" for domain in domains())), rows)
    note = "\nThe columns show how many sentences of each catalogue are translated.\n"
    return "\n".join([catalogues + note, model_tables({kind.file: kind for kind in FILES})])


def _translated(catalogues: Iterable[Coverage]) -> list[str]:
    cells = [
        f"{catalogue.translated} of {catalogue.said}" if catalogue.in_english else "all"
        for catalogue in catalogues
    ]
    return cells or ["source"] * len(domains())


def steps() -> str:
    """Steps of a visit, with what they leave in the dataset."""
    rows = ((f"`{name}`", _what(name), *_stimuli(kind)) for name, kind in STEPS)
    return markdown_table(("step", "description", "stimuli", "table"), rows)


def _what(name: str) -> str:
    field = StepEntry.model_fields.get(name)
    return (field.description if field else _first_words(STEPS.get(name).settings)) or ""


def _first_words(settings: type) -> str:
    """The first line of a settings model's docstring, as a table cell."""
    line = (settings.__doc__ or "").strip().split("\n")[0].rstrip(".")
    return line[:1].lower() + line[1:]


def _stimuli(kind: Any) -> tuple[str, str]:
    if not isinstance(kind, StimulusStep):
        return "", ""
    return kind.item_label, f"`{kind.table.name}`" if kind.table is not None else ""


def channels() -> str:
    """Channels of dialogues, with how the preregistration says them."""
    rows = ((f"`{name}`", _summary(kind), kind.preregistration_line()) for name, kind in CHANNELS)
    return markdown_table(("channel", "description", "in the preregistration"), rows)


def judgements() -> str:
    """Kinds of judgement, with their pages and what they leave in the dataset."""
    rows = (
        (f"`{kind.name}`", _summary(kind), f"`{kind.address}`", f"`{kind.table}`")
        for kind in kinds_in_order(JUDGEMENTS.names())
    )
    return markdown_table(("key", "description", "annotators' pages", "table"), rows)


def recruiters() -> str:
    """Recruiters with their settings, and what several of them have below one key."""
    parts, below = list[str](), dict[str, None]()
    for name, kind in RECRUITERS:
        parts.append(_with_keys(name, kind))
        _, *nested = model_tables({name: kind.settings}).split("\n\n## ")
        below |= dict.fromkeys(f"## {section.strip()}\n" for section in nested)
    return "\n".join([*parts, *below])


def _summary(kind: object) -> str:
    return " ".join((type(kind).__doc__ or "").split("\n\n")[0].split()).removesuffix(".")


CHANNELS_PAGE: Final = ReferencePage(
    "channels",
    "Channels",
    "Channels of a dialogue: values of `channel:` in a dialogue step (default `text`).",
    channels,
)
CONNECTORS_PAGE: Final = ReferencePage(
    "connectors", "Connectors", "Ways to reach a system: values of `connect:` in the study file.", connectors
)
EXPORTERS_PAGE: Final = ReferencePage(
    "exporters", "Exporters", "Export formats: `vivavoce export --format`.", exporters
)
IMPORTERS_PAGE: Final = ReferencePage(
    "importers",
    "Importers",
    "Log formats that `vivavoce import FORMAT` reads. The unit is what the import counts.",
    importers,
)
JUDGEMENTS_PAGE: Final = ReferencePage(
    "judgements",
    "Kinds of judgement",
    "Annotation tasks: keys of the section `annotation` of [the study file](study-file.md).",
    judgements,
)
JUDGES_PAGE: Final = ReferencePage(
    "judges",
    "Judges",
    "Judges rate dialogues in place of the participants: values of `judge:` in a judge's file.",
    judges,
)
LANGUAGES_PAGE: Final = ReferencePage(
    "languages",
    "Languages",
    "Values of `languages:` in a study; missing texts appear in English "
    "([add a language](../how-to/add-a-language.md)).",
    languages,
)
RECRUITERS_PAGE: Final = ReferencePage(
    "recruiters",
    "Recruiters",
    "Sources of participants: keys of the section `recruitment` of [the study file](study-file.md).",
    recruiters,
)
STEPS_PAGE: Final = ReferencePage(
    "steps",
    "Steps of a visit",
    "The steps of a visit; [the study file](study-file.md) lists their keys.",
    steps,
)


def shelf_reference(shelf: str) -> str:
    """The whole page of a shelf, Markdown. Raises UnknownName."""
    page = REFERENCE_PAGES.get(shelf)
    return _HEAD.format(title=page.title, shelf=shelf, lead=page.lead) + page.make().rstrip() + "\n"


if __name__ == "__main__":
    print(shelf_reference(sys.argv[1]), end="")
