"""Renamed keys of the study file: reported and rewritten by `check`, read in old logs."""

import shutil
from pathlib import Path
from typing import Final

from vivavoce.core.yaml_source import RenamedKeys, Source, parse_yaml

# `connector` is in a submission file, `system` in a suite of stress tests
RENAMED_KEYS: Final[RenamedKeys] = {
    ("",): {"caps": "quotas", "damage": "degradation"},
    ("systems.*", "systems.*.behind", "connector", "system"): {
        "at_once": "max_concurrency",
        "rest_after": "failure_threshold",
        "rest_s": "reset_s",
        "spend_at_most": "budget",
    },
    ("voice", "telephone", "telephone.outbound"): {"at_once": "max_concurrency"},
    ("telephone.outbound",): {"a_day": "max_per_day", "a_number": "max_per_number", "tries": "max_attempts"},
    ("visit.*.arena",): {"bouts": "battles", "meet": "matchmaking"},
    ("visit.*.dialogue",): {"elsewhere": "external"},
    ("visit.*.*",): {"at_once": "single_take"},
    ("visit.*.listen", "visit.*.transcribe"): {"each": "per_participant"},
    ("visit.*.transcribe",): {"least_gold": "min_gold"},
    ("analysis",): {"exclusions": "notes"},
    ("analysis.stopping",): {"looks": "interim_analyses"},
    ("quality",): {"answer_at_least_s": "min_answer_s", "mark": "thresholds"},
    ("populations.*.cost",): {"once": "fixed"},
    ("recruitment.*.per_dialogue",): {"most": "max_dialogues"},
}


def parse_study(text: str) -> Source:
    """A study file's text, with old keys under their new names."""
    return parse_yaml(text, "study.yaml", RENAMED_KEYS)


def with_new_keys(text: str) -> str:
    """A study file's text with new keys and no other change; the same text where that is not possible."""
    source, renamed = parse_study(text), text
    for offset, key in sorted({key.offset: key for key in source.old_keys}.items(), reverse=True):
        start = offset + (text[offset] in "'\"")
        if text.startswith(key.name, start):
            renamed = f"{renamed[:start]}{key.path[-1]}{renamed[start + len(key.name) :]}"
    after = parse_study(renamed)
    sound = not (source.problems or after.problems or after.old_keys)
    return renamed if sound and after.data == source.data else text


def rewrite_old_keys(file: Path) -> list[str]:
    """Rename the old keys of a study file in place; one line for each."""
    file = file.resolve()
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        return []
    mark = text[: text.startswith("\ufeff")]
    renamed = with_new_keys(text[len(mark) :])
    if mark + renamed == text:
        return []
    source = parse_yaml(text[len(mark) :], file.name, RENAMED_KEYS)
    source.report_old_keys("renamed")
    beside = file.with_name(f".{file.name}-renamed")
    beside.write_bytes((mark + renamed).encode())
    shutil.copymode(file, beside)
    beside.replace(file)
    return [str(problem) for problem in source.problems]
