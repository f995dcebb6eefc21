"""Secrets in files: named as ${NAME}, or written out by mistake, to be found and hidden.

A text is taken for a secret by the name of its key (`api_key`, `Authorization`, `--token X`) or by its form
(`://user:PASSWORD@`, `?token=`, `sk-...`).
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from vivavoce.core.yaml_source import KeyPath

Replacements = Mapping[KeyPath, Mapping[str, str]]
"""What to write in place of parts of values, by the places of the values."""

REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
SHORTEST: Final = 4
_UNMISTAKABLE: Final = 8
_TEMPLATE: Final = re.compile(r"\$\{\w+|\{\{.*?\}\}")
_SCHEME: Final = re.compile(r"\s*(?:Bearer|Basic|Token|Digest|Api-?Key)\s+", re.IGNORECASE)
_SECRET_NAME: Final = re.compile(
    r"(?:^|[\W_])(?:(?:api|auth|access|secret|private)?(?:key|token)|secret|pass(?:word|wd|phrase)|pwd"
    r"|credentials?|auth|authori[sz]ation|cookie)$"
)
_NAMED: Final = re.compile(
    r"""(?:^|[?&;\s]|--?)([\w-]+)=([^&#\s"']+)|["']([\w-]+)["']\s*:\s*["']([^"']+)["']"""
)
_FORMS: Final = re.compile(
    r"://[^\s/@:]*:([^\s/@]+)@"
    r"|\b((?:sk|pk|rk)-[\w-]{16,}|gh[pousr]_\w{20,}|xox[a-z]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\d{8,10}:[\w-]{30,})"
    r"|hooks\.slack\.com/services/(\S+)"
    r"|(-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*)"
)


def names_in(value: Any) -> set[str]:
    """The names of all secrets that a setting mentions, however deep."""
    return {name for text in texts_in(value).values() for name in REFERENCE.findall(text)}


def texts_in(value: Any, path: KeyPath = ()) -> dict[KeyPath, str]:
    """Texts and whole numbers in a setting, however deep, by their places."""
    if isinstance(value, Mapping):
        return {k: t for key, item in value.items() for k, t in texts_in(item, (*path, str(key))).items()}
    if isinstance(value, (list, tuple)):
        return {k: t for index, item in enumerate(value) for k, t in texts_in(item, (*path, index)).items()}
    return {path: str(value)} if isinstance(value, (str, int)) and not isinstance(value, bool) else {}


def literal_secrets(texts: Mapping[KeyPath, str]) -> dict[KeyPath, list[str]]:
    """Secrets that are written out in texts, by the places of the texts."""
    secrets = {path: _secrets_of(path, text, _option_before(path, texts)) for path, text in texts.items()}
    return {path: literals for path, literals in secrets.items() if literals}


def _option_before(path: KeyPath, texts: Mapping[KeyPath, str]) -> str:
    """Option of a program whose value stands at this place of its arguments."""
    before = texts.get((*path[:-1], path[-1] - 1), "") if path and isinstance(path[-1], int) else ""
    return before if before.startswith("-") else ""


def _secrets_of(path: KeyPath, text: str, option: str) -> list[str]:
    key = option or next((key for key in reversed(path) if isinstance(key, str)), "")
    if is_secret_name(key) or ("headers" in path and _SCHEME.match(text)):
        parts = [_SCHEME.sub("", text, count=1).strip()]
    else:
        named = [match.groups() for match in _NAMED.finditer(text)]
        parts = [value for name, value, *_ in named if name and is_secret_name(name)]
        parts += [value for *_, name, value in named if name and is_secret_name(name)]
        parts += [part for groups in _FORMS.findall(text) for part in groups if part]
    return [part for part in parts if len(part) >= SHORTEST and not _TEMPLATE.search(part)]


def is_secret_name(name: str) -> bool:
    """True if a key of this name holds a secret."""
    return bool(_SECRET_NAME.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()))


def variable_for(path: KeyPath) -> str:
    """Name of an environment variable for the secret at a place."""
    keys = [key for key in path if isinstance(key, str) and key not in ("systems", "headers", "environment")]
    name = re.sub(r"\W+", "_", "_".join(keys)).strip("_").upper()
    return name if name[:1].isalpha() else f"SECRET_{name}".rstrip("_")


def hide_secrets(settings: Any) -> Any:
    """Settings as plain data, with ${NAME} in place of literal secrets."""
    return _hidden(settings, (), _named_secrets(texts_in(settings)))


def _hidden(value: Any, path: KeyPath, replacements: Replacements) -> Any:
    if isinstance(value, Mapping):
        return {key: _hidden(item, (*path, str(key)), replacements) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_hidden(item, (*path, index), replacements) for index, item in enumerate(value)]
    for part, new in replacements.get(path, {}).items():
        value = str(value).replace(part, new)
    return value


def without_secrets(text: str) -> str:
    """A YAML file's text with ${NAME} in place of literal secrets; lines, comments and all else stay."""
    return replace_values(text, _named_secrets)


def _named_secrets(texts: Mapping[KeyPath, str]) -> Replacements:
    return {
        path: {literal: f"${{{variable_for(path)}}}" for literal in literals}
        for path, literals in literal_secrets(texts).items()
    }


def replace_values(text: str, choose: Callable[[Mapping[KeyPath, str]], Replacements]) -> str:
    """A YAML file's text with parts of its values replaced, also where a comment repeats them."""
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except (YAMLError, RecursionError):
        return text
    nodes = dict(_scalars(root, (), set()))
    chosen = choose({path: str(node.value) for path, node in nodes.items()})
    for path in sorted(chosen, key=lambda path: -nodes[path].start_mark.index):
        start, end = nodes[path].start_mark.index, nodes[path].end_mark.index
        text = text[:start] + _rewritten(text[start:end], nodes[path], chosen[path]) + text[end:]
    for replacements in chosen.values():
        for part, new in replacements.items():
            text = text.replace(part, new) if len(part) >= _UNMISTAKABLE else text
    return text


def _scalars(node: Any, path: KeyPath, visited: set[int]) -> Iterator[tuple[KeyPath, Any]]:
    """Scalars of a composed file by their places, each once."""
    if node is None or id(node) in visited:
        return
    visited.add(id(node))
    if node.id == "scalar":
        yield path, node
    elif node.id == "sequence":
        for index, item in enumerate(node.value):
            yield from _scalars(item, (*path, index), visited)
    else:
        for key, item in node.value:
            yield from _scalars(item, (*path, str(key.value)), visited)


def _rewritten(written: str, node: Any, replacements: Mapping[str, str]) -> str:
    """A scalar as written with its parts replaced, on as many lines."""
    value = str(node.value)
    in_place = bool(node.style) and all(part in written for part in replacements)
    for part, new in replacements.items():
        written, value = written.replace(part, new), value.replace(part, new)
    if in_place:
        return written
    anchor = re.match(r"&\S+\s+", written)
    return (anchor[0] if anchor else "") + json.dumps(value, ensure_ascii=False) + "\n" * written.count("\n")
