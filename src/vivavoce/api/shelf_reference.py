"""The reference pages of shelves: `python -m vivavoce.api.shelf_reference connectors`, or another page."""

import sys
from collections.abc import Iterable
from typing import Any, Final

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.factory import CONNECTORS
from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.core.reference import REFERENCE_PAGES, ReferencePage, model_tables, table_cell
from vivavoce.exporters.shelf import EXPORTERS
from vivavoce.importers.shelf import IMPORTERS
from vivavoce.judges.base import JUDGES, JudgeSettings
from vivavoce.languages.base import LANGUAGES
from vivavoce.languages.coverage import Coverage, coverage, domains
from vivavoce.languages.data import FILES
from vivavoce.report.section import words_of_sections
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.channel import CHANNELS
from vivavoce.study.judgement_kind import JUDGEMENTS, kinds_in_order
from vivavoce.study.recruiter import RECRUITERS
from vivavoce.study.step_kind import STEPS, words_of_steps
from vivavoce.study.steps_file import StepEntry

_HEAD: Final = """# {title}

<!-- Made by `python -m vivavoce.api.shelf_reference {shelf}`; edit the code, not this page. -->

{lead} A package of yours adds to them: [{add}](../how-to/{guide}.md).

"""


def connectors() -> str:
    """How systems under test are reached, each with the settings that it alone has."""
    common, usual = set(_settings_of_all()), ConnectorSettings.model_fields
    parts = []
    for name, kind in CONNECTORS:
        fields = kind.settings.model_fields
        own = [
            one for one, field in fields.items() if one not in common or field.default != usual[one].default
        ]
        table = _rows(model_tables(kind.settings, name), own)
        parts.append(f"## `{name}`\n\n{_sentence(kind.summary)}\n\n{table}")
    shared = _rows(model_tables(CONNECTORS.get("scripted").settings, "all"), common)
    return "\n".join([*parts, f"## Settings that all have\n\n{shared}"])


def _settings_of_all() -> Iterable[str]:
    names = [set(kind.settings.model_fields) for _, kind in CONNECTORS]
    return sorted(set.intersection(*names))


def _rows(section: str, names: Iterable[str]) -> str:
    """Of a section of `model_tables`, the first table with the rows of these keys; "" without any."""
    lines = section.split("\n\n## ", 1)[0].splitlines()
    kept = [line for line in lines if any(line.startswith(f"| `{name}` ") for name in names)]
    head = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *kept, ""]) if kept else ""


def exporters() -> str:
    """Formats of exports."""
    head = ["| format | what | lies as |", "| --- | --- | --- |"]
    rows = [f"| `{name}` | {one.title} | {table_cell(one.layout)} |" for name, one in EXPORTERS]
    return "\n".join([*head, *rows, ""])


def importers() -> str:
    """Formats of foreign logs."""
    head = ["| format | what | lies as | counted |", "| --- | --- | --- | --- |"]
    rows = [
        f"| `{name}` | {one.title} | {table_cell(one.layout)} | {one.unit}{'; `--venues`' * one.venues} |"
        for name, one in IMPORTERS
    ]
    return "\n".join([*head, *rows, ""])


def judges() -> str:
    """Kinds of judges, each with the settings that it alone has, and those that all have."""
    common = list(JudgeSettings.model_fields)
    parts = []
    for name, kind in JUDGES:
        own = [one for one in kind.settings.model_fields if one not in common]
        pairs = " It also says which of two answers is better." if kind.pairs else ""
        table = _rows(model_tables(kind.settings, name), own)
        parts.append(f"## `{name}`\n\n{_sentence(kind.summary)}{pairs}\n\n{table}")
    return "\n".join(
        [*parts, f"## Keys that all have\n\n{_rows(model_tables(JudgeSettings, 'all'), common)}"]
    )


def languages() -> str:
    """Languages with what they say themselves, and what their files of words hold."""
    beside = {"steps": words_of_steps(), "report": words_of_sections()}
    found = {name: coverage(one, beside) for name, one in LANGUAGES if name != SOURCE_LANGUAGE}
    head = ["| language | calls itself | " + " | ".join(f"`{one}.po`" for one in domains()) + " |"]
    head.append("| --- " * (2 + len(domains())) + "|")
    rows = [f"| `{name}` | {one.title} | {_translated(found.get(name))} |" for name, one in LANGUAGES]
    files = [model_tables(kind, kind.file) for kind in FILES]
    told = ["", "How many of the sentences that there are each catalogue translates.", ""]
    return "\n".join([*head, *rows, *told, *files])


def _translated(found: list[Coverage] | None) -> str:
    if found is None:
        return " | ".join(["stands in the code"] * len(domains()))
    return " | ".join(f"{one.translated} of {one.said}" if one.in_english else "all" for one in found)


def steps() -> str:
    """Steps of a visit, with what they leave in the dataset."""
    head = ["| step | what | stimuli | table |", "| --- | --- | --- | --- |"]
    rows = [f"| `{name}` | {_what(name)} | {_stimuli(kind)} |" for name, kind in STEPS]
    return "\n".join([*head, *rows, ""])


def _what(name: str) -> str:
    field = StepEntry.model_fields.get(name)
    return (field.description if field else _first_words(STEPS.get(name).settings)) or ""


def _first_words(settings: type) -> str:
    """What a model of settings says of itself, as it stands in a table."""
    said = (settings.__doc__ or "").strip().split("\n")[0].rstrip(".")
    return said[:1].lower() + said[1:]


def _stimuli(kind: Any) -> str:
    if not isinstance(kind, StimulusStep):
        return " | "
    return f"{kind.things} | " + (f"`{kind.table.name}`" if kind.table is not None else "")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def channels() -> str:
    """Channels of dialogues, with how the preregistration says them."""
    head = ["| channel | what | in the preregistration |", "| --- | --- | --- |"]
    rows = [f"| `{name}` | {_summary(kind)} | {kind.course()} |" for name, kind in CHANNELS]
    return "\n".join([*head, *rows, ""])


def judgements() -> str:
    """Kinds of judgement, with their pages and what they leave in the dataset."""
    head = ["| key | what | annotators' pages | table |", "| --- | --- | --- | --- |"]
    rows = [
        f"| `{kind.name}` | {_summary(kind)} | `{kind.address}` | `{kind.table}` |"
        for kind in kinds_in_order(JUDGEMENTS.names())
    ]
    return "\n".join([*head, *rows, ""])


def recruiters() -> str:
    """Recruiters with their settings, and what several of them have below one key."""
    parts, below = list[str](), dict[str, None]()
    for name, kind in RECRUITERS:
        whole = model_tables(kind.settings, name)
        own, *nested = whole.split("\n\n## ")
        table = _rows(own, kind.settings.model_fields)
        parts.append(f"## `{name}`\n\n{_sentence(kind.summary)}\n\n{table}")
        below |= dict.fromkeys(f"## {one.strip()}\n" for one in nested)
    return "\n".join([*parts, *below])


def _summary(kind: object) -> str:
    return " ".join((type(kind).__doc__ or "").split("\n\n")[0].split()).removesuffix(".")


CHANNELS_PAGE: Final = ReferencePage(
    "channels", "Channels", "add a channel",
    "How the words of a dialogue travel: what stands after `channel:` in a dialogue. Without it people type.",
    channels,
)  # fmt: skip
CONNECTORS_PAGE: Final = ReferencePage(
    "connectors", "Connectors", "add a connector", "How systems are reached: what stands after `connect:`.",
    connectors,
)  # fmt: skip
EXPORTERS_PAGE: Final = ReferencePage(
    "exporters",
    "Exporters",
    "add an exporter",
    "Formats of other tools: `vivavoce export --format`.",
    exporters,
)
IMPORTERS_PAGE: Final = ReferencePage(
    "importers",
    "Importers",
    "add an importer",
    "Formats of foreign logs: `vivavoce import FORMAT`.",
    importers,
)
JUDGEMENTS_PAGE: Final = ReferencePage(
    "judgements", "Kinds of judgement", "add a kind of judgement",
    "What annotators judge: keys of the section `annotation` of [the study file](study-file.md).", judgements,
)  # fmt: skip
JUDGES_PAGE: Final = ReferencePage(
    "judges", "Judges", "add a judge",
    "Who answers in place of those who held the dialogues: what stands after `judge:` in a judge's file.",
    judges,
)  # fmt: skip
LANGUAGES_PAGE: Final = ReferencePage(
    "languages", "Languages", "add a language",
    "What stands under `languages:` of a study. What a language lacks is said in English.", languages,
)  # fmt: skip
RECRUITERS_PAGE: Final = ReferencePage(
    "recruiters", "Recruiters", "add a recruiter",
    "Where participants come from: keys of the section `recruitment` of [the study file](study-file.md).",
    recruiters,
)  # fmt: skip
STEPS_PAGE: Final = ReferencePage(
    "steps", "Steps of a visit", "add a step",
    "What a visit is made of; the keys of each stand in [the study file](study-file.md).", steps,
)  # fmt: skip


def shelf_reference(shelf: str) -> str:
    """The whole page of a shelf, Markdown. Raises UnknownName."""
    page = REFERENCE_PAGES.get(shelf)
    guide = "add-a-language" if shelf == "languages" else "extend"
    head = _HEAD.format(title=page.title, shelf=shelf, lead=page.lead, add=page.add, guide=guide)
    return head + page.make().rstrip() + "\n"


if __name__ == "__main__":
    print(shelf_reference(sys.argv[1]), end="")
