"""The reference page of the study file, made from its models: `python -m vivavoce.study.reference`."""

from typing import Final

from vivavoce.core.reference import markdown_table, model_tables
from vivavoce.study.file import StudyFile
from vivavoce.study.judgement_kind import JUDGEMENTS, kinds_in_order
from vivavoce.study.pairs_file import PairsFile, QuestionsFile
from vivavoce.study.presets import protocol_file, protocol_names
from vivavoce.study.renamed_keys import RENAMED_KEYS
from vivavoce.study.schemes import RESERVED_KEYS, Scheme
from vivavoce.study.step_kind import STEPS
from vivavoce.study.steps import LATER_STEPS, StepEntry
from vivavoce.study.tasks_file import TasksFile

_HEAD: Final = """# The study file

<!-- Made by `python -m vivavoce.study.reference`; edit the models, not this page. -->

A study is one YAML file and the files that it names, in one folder. `vivavoce init DIR --protocol P` writes a
study that runs. `vivavoce check DIR` reports every mistake with its line and a hint. With the line
`# yaml-language-server: $schema=study.schema.json` at the top, editors complete keys and mark mistakes.

- Unknown keys are mistakes. Keys are text; values follow YAML 1.2 (`yes` and `no` are words).
- Ranges: `2..3`, or one integer.
- A protocol provides every key that the study does not set. Mappings are merged key by key; all other values,
  such as the list `visit`, are replaced. `tasks: FILE` replaces a protocol's settings for generated tasks.
- Texts are Markdown: `consent.md` in the first language, `consent.it.md` in Italian. If the steps
  come from the protocol, its own texts replace missing files.
- A questionnaire about a dialogue that follows a dialogue step appears after every dialogue of that
  step. Every other questionnaire appears once.
- The keys of a system besides `connect`, `title` and `factors` are settings of its
  [connector](connectors.md).
- The revision of a study is a hash of the study file and all files that it reads; every visit records it.

"""
_RENAMED: Final = """## Renamed keys

`vivavoce check --fix STUDY` renames old keys in the study file and changes nothing else. Studies with a log,
and datasets, open with old keys. `*` is any name or number; `connector` is in a
submission file of a campaign, `system` in a suite of stress tests.

"""
_FILES: Final = """## Other files

- A file of tasks (`tasks: tasks.yaml`) replaces generated tasks. If there is an ontology, the tasks are
  checked against it and their matching venues are looked up.
- The ontology file is described in [domain files](domain-files.md).
- The steps `compare` and `rate` read pairs of transcripts, with lines `System: ...` and `User: ...`; an
  indented line continues the turn. A folder of text files `PAIR.LANGUAGE.txt` can replace `pairs.yaml`. Each
  has lines `variable: ...`, `change: ...`, `control_level: ...`, `experimental_level: ...`,
  `attention: ...`, `outcome: PHRASE | PHRASE`, `equivalent: PHRASE = PHRASE | ...`, then `== control` and
  `== experimental` with their turns.
- Annotation schemes are layers of the dataset's table `annotations`: the
  [bundled ones](measures.md#layers-of-annotation), or YAML files next to the study. Their texts apply to all
  languages, or are given by language: `{en: ..., it: ...}`.

"""


def study_reference() -> str:
    """The whole page, Markdown."""
    kinds = {f"visit: {name}": kind.settings for name, kind in STEPS if name not in StepEntry.model_fields}
    kinds |= {f"annotation: {kind.name}": kind.settings for kind in kinds_in_order(JUDGEMENTS.names())}
    files = {"tasks.yaml": TasksFile, "pairs.yaml": PairsFile, "questions.yaml": QuestionsFile}
    files |= {file: model for _, step in STEPS for file, model in step.file_models.items()}
    later = ", ".join(f"`{name}`" for name in LATER_STEPS)
    renamed = (
        (", ".join(f"`{place}`" if place else "top level" for place in places), f"`{old}`", f"`{new}`")
        for places, names in RENAMED_KEYS.items()
        for old, new in names.items()
    )
    reserved = ", ".join(f"`{key}` ({meaning})" for key, meaning in RESERVED_KEYS.items())
    parts = [
        _HEAD + model_tables({"study.yaml": StudyFile, **kinds}),
        f"Planned steps, not available yet: {later}.\n",
        _RENAMED + markdown_table(("in", "old key", "new key"), renamed),
        "## Protocols\n",
        *(f"### `{name}`\n\n```yaml\n{_protocol(name)}\n```\n" for name in protocol_names()),
        _FILES + model_tables({**files, "scheme.yaml": Scheme}, 3),
        f"Keys that labels cannot use: {reserved}.\n",
    ]
    return "\n".join(parts)


def _protocol(name: str) -> str:
    return protocol_file(name).read_text(encoding="utf-8").rstrip()


if __name__ == "__main__":
    print(study_reference(), end="")
