"""The reference page of the study file, made from its models: `python -m vivavoce.study.reference`."""

from typing import Final

from vivavoce.core.reference import model_tables
from vivavoce.study.file import StudyFile
from vivavoce.study.judgement_kind import JUDGEMENTS, kinds_in_order
from vivavoce.study.pairs_file import PairsFile, QuestionsFile
from vivavoce.study.presets import protocol_file, protocol_names
from vivavoce.study.schemes import RESERVED_KEYS, Scheme, bundled, said, scheme_names
from vivavoce.study.step_kind import STEPS
from vivavoce.study.steps_file import LATER_STEPS, StepEntry
from vivavoce.study.tasks_file import TasksFile

_HEAD: Final = """# The study file

<!-- Made by `python -m vivavoce.study.reference`; edit the models, not this page. -->

A study is one YAML file and the files that it names, which stand beside it. `vivavoce init DIR
--protocol P` writes one that runs; `vivavoce check DIR` finds every mistake and names its line and
its hint. With the line `# yaml-language-server: $schema=study.schema.json` at the top an editor
completes keys and marks mistakes.

- Unknown keys are mistakes. Keys are always text; values are YAML 1.2 (`yes` and `no` are words).
  Nothing is executed.
- A range is written `2..3`, or as one whole number.
- A protocol fills every key that the study leaves out. Mappings are merged key by key; all else,
  such as the list `visit`, is replaced as a whole. `tasks: FILE` replaces a protocol's settings for
  generated tasks.
- Texts are Markdown. `consent.md` is the text in the first language; `consent.it.md` is its
  Italian. When the steps come from the protocol, its own texts stand in for files that are missing.
- A questionnaire that follows a dialogue step, and is about a dialogue, is asked after every
  dialogue of that step. Every other one is asked once.
- A system's keys beside `connect`, `title` and `factors` are its connector's settings.
- The revision of a study is made of the study file and everything that it reads; every visit is
  stamped with it.

"""

_TASKS: Final = """## A file of tasks

`tasks: tasks.yaml` reads tasks instead of generating them. They are checked against the ontology,
where there is one; the matching venues are looked up.

"""

_ONTOLOGY: Final = """## The ontology file

Kinds of venue, slots with their values in words, and the venues: see [domain files](domain-files.md).

"""

_PAIRS: Final = """## A file of pairs

The steps `compare` and `rate` read pairs of transcripts; `compare` reads questions, too. A transcript
is written as lines `System: ...` and `User: ...`; an indented line goes on with the turn before it. A
folder of text files, `PAIR.LANGUAGE.txt`, does as well: lines `variable: ...`, `change: ...`,
`control_level: ...`, `experimental_level: ...`, `attention: ...`, `outcome: PHRASE | PHRASE`,
`equivalent: PHRASE = PHRASE | ...` at the top, then `== control` and `== experimental` with their turns
below.

"""

_SCHEMES: Final = """## A scheme of annotation

The section `annotation` names schemes: ours, or YAML files beside the study. A scheme is a layer of
the dataset's table `annotations` and carries its name. Words are written once for all languages, or
by language: `{en: ..., it: ...}`.

"""


def study_reference() -> str:
    """The whole page, Markdown."""
    parts = [_HEAD, model_tables(StudyFile, "study.yaml"), ""]
    for name, kind in STEPS:
        if name not in StepEntry.model_fields:
            parts += [model_tables(kind.settings, f"visit: {name}"), ""]
    for kind in kinds_in_order(JUDGEMENTS.names()):
        parts += [model_tables(kind.settings, f"annotation: {kind.name}"), ""]
    parts += [_later(), _presets()]
    parts += [
        _TASKS,
        model_tables(TasksFile, "tasks.yaml", 3),
        "",
        _ONTOLOGY,
        _PAIRS,
        model_tables(PairsFile, "pairs.yaml", 3),
        "",
        model_tables(QuestionsFile, "questions.yaml", 3),
        "",
        *_files_of_steps(),
        _SCHEMES,
        model_tables(Scheme, "scheme.yaml", 3),
        "",
        _bundled_schemes(),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


def _files_of_steps() -> list[str]:
    return [
        f"## Files of the step `{name}`\n\n{model_tables(model, file, 3)}\n"
        for name, step in STEPS
        for file, model in step.file_models.items()
    ]


def _later() -> str:
    listed = ", ".join(f"`{name}`" for name in LATER_STEPS)
    return f"Steps that are planned but not available in this version: {listed}.\n"


def _bundled_schemes() -> str:
    """Our schemes with their labels and keys."""
    reserved = ", ".join(f"`{key}` ({meaning})" for key, meaning in RESERVED_KEYS.items())
    rows = [f"Keys that no label may have: {reserved}.\n", "| scheme | about | question | labels (key) |"]
    rows.append("| --- | --- | --- | --- |")
    for name in scheme_names():
        scheme = bundled(name)
        labels = ", ".join(f"{one.label} ({one.key})" for one in scheme.labels) or "the study's slots"
        rows.append(f"| `{name}` | {scheme.about} | {said(scheme.question, 'en')} | {labels} |")
    return "\n".join(rows) + "\n"


def _presets() -> str:
    parts = ["## Protocols\n"]
    for name in protocol_names():
        content = protocol_file(name).read_text(encoding="utf-8").rstrip()
        parts.append(f"### `{name}`\n\n```yaml\n{content}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(study_reference(), end="")
