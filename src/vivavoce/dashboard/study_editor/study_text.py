"""Text of a study file, changed key by key; comments, order and all else are preserved."""

import io
import os
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from vivavoce.core.errors import InputError
from vivavoce.study.renamed_keys import parse_study, with_new_keys

STUDY_FILE: Final = "study.yaml"
Change = Callable[[CommentedMap], None]
Written = dict[str, Any]  # mapping as written in a YAML file
WIDEST: Final = 4096  # line width, large so that existing lines are not wrapped
_WRITING: Final = Lock()
_FLUSH_LIST: Final = re.compile(r"^[\w-]+:[^\n]*\n(?:[ ]*#[^\n]*\n|[ ]*\n)*- ", re.MULTILINE)


class StudyFileChanged(InputError):
    """Error: the file differs from the one that the form was made from.

    theirs  its text now
    """

    def __init__(self, name: str, theirs: str) -> None:
        super().__init__(
            f"{name} has changed since you opened this page", hint="compare both versions and save again"
        )
        self.theirs = theirs


def digest(text: str) -> str:
    """Digest of the text that a form was made from."""
    return sha256(text.encode()).hexdigest()[:16]


def read_text(path: Path) -> str:
    """Text of a file; "" if absent.

    Raises  InputError: it cannot be read, or is no UTF-8
    """
    try:
        return path.read_bytes().decode("utf-8-sig") if path.is_file() else ""
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", place=path.name) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 text (byte {error.start})", place=path.name, hint="save it as UTF-8"
        ) from None


def write_text(path: Path, text: str, *, base: str) -> None:
    """Replace the text with digest `base` atomically.

    Raises  StudyFileChanged: another text stands there by now; InputError: it cannot be written
    """
    with _WRITING:
        theirs = read_text(path)
        if digest(theirs) != base:
            raise StudyFileChanged(path.name, theirs)
        try:
            with NamedTemporaryFile(
                "w", dir=path.parent, prefix=f".{path.name}-", delete=False, encoding="utf-8"
            ) as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary = Path(file.name)
            temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
            temporary.replace(path)
        except OSError as error:
            hint = "check the permissions of its folder"
            raise InputError(f"cannot be written ({error.strerror})", place=path.name, hint=hint) from None


def check_text(text: str) -> None:
    """Check a study file's text. Raises  InputError: not a YAML mapping"""
    source = parse_study(text)
    if source.problems:
        raise source.problems[0].error()
    if not isinstance(source.data, dict):
        raise InputError("the file has no keys", place="study.yaml", hint="start with `study: NAME`")


def changed(text: str, key: str, change: Change) -> str:
    """Text after a change of one top-level key; bytes outside the key's lines are unchanged, except
    that old keys get their new names.

    Input   change: gets a mapping with no more than this key, or without it where the file does not have it;
            what it leaves there is written, and nothing where it takes the key out
    Raises  InputError: the text is no YAML mapping
    """
    check_text(text)
    text = with_new_keys(text)
    before, section, after = _sections(text, key)
    yaml = _yaml(text)
    data = (yaml.load(section) if section.strip() else None) or CommentedMap()
    change(data)
    new_text = _dumped(yaml, data) if data else ""
    if not section and new_text:
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        return f"{before}{gap}{new_text}"
    if not new_text:
        before = _without_heading(before)
    return before + new_text + after


def _sections(text: str, key: str) -> tuple[str, str, str]:
    """Text before the lines of a top-level key, these lines, and the rest.

    Comments and empty lines in front of a key are its heading, and never the end of the one before.
    """
    places = parse_study(text).lines
    starts = sorted({line for path, line in places.items() if len(path) == 1})
    lines = text.splitlines(keepends=True)
    if (key,) not in places:
        return text, "", ""
    begin = places[(key,)] - 1
    end = next((line - 1 for line in starts if line - 1 > begin), len(lines))
    while end > begin + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return "".join(lines[:begin]), "".join(lines[begin:end]), "".join(lines[end:])


def _without_heading(before: str) -> str:
    """Text without the comment right above a removed key."""
    lines = before.splitlines(keepends=True)
    while lines and lines[-1].startswith("#"):
        lines.pop()
    while lines and not lines[-1].strip():
        lines.pop()
    return "".join(lines)


def merge(node: CommentedMap, settings: Mapping[str, Any]) -> None:
    """Update a mapping of a file to the settings; unchanged parts keep their comments."""
    for key in [key for key in node if key not in settings]:
        del node[key]
    for key, value in settings.items():
        if isinstance(value, Mapping) and isinstance(node.get(key), CommentedMap):
            merge(node[key], value)
        elif key not in node or node[key] != value:
            node[key] = plain(value)


def written(data: Any) -> str:
    """Mapping or list as block YAML, with short lists in one line."""
    return _dumped(_yaml(""), plain(data))


def plain(value: Any) -> Any:
    """Value for ruamel.yaml: lists of words in one line."""
    if isinstance(value, Mapping):
        mapping = CommentedMap()
        for key, item in value.items():
            mapping[key] = plain(item)
        return mapping
    if isinstance(value, list):
        items = CommentedSeq([plain(element) for element in value])
        if all(isinstance(entry, str | int | float) for entry in value):
            items.fa.set_flow_style()
        return items
    return value


def _yaml(text: str) -> YAML:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = WIDEST
    yaml.allow_unicode = True
    if _FLUSH_LIST.search(text):
        yaml.indent(mapping=2, sequence=2, offset=0)
    else:
        yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(
        type(None), lambda representer, _: representer.represent_scalar("tag:yaml.org,2002:null", "null")
    )
    return yaml


def _dumped(yaml: YAML, data: Any) -> str:
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()
