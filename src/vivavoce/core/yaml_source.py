"""YAML 1.2 with the line of every key, so that errors can name their place. Nothing in it is executed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import ScalarNode

from vivavoce.core.errors import InputError

KeyPath: TypeAlias = tuple[str | int, ...]
RenamedKeys: TypeAlias = Mapping[tuple[str, ...], Mapping[str, str]]
"""Old and new keys by places of their mapping: dotted paths of new names; `*`: any key, "": the top."""

_TAG: Final = "tag:yaml.org,2002:"
_PLAIN: Final = {_TAG + name for name in ("str", "timestamp", "value", "binary")}
_MOST_NODES: Final = 200_000


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a user's file: where, what, and what to do about it."""

    place: str
    problem: str
    hint: str = ""

    def __str__(self) -> str:
        return str(self.error())

    def error(self) -> InputError:
        return InputError(self.problem, place=self.place, hint=self.hint)


class OldKey(NamedTuple):
    """A key that was read under its new name, which ends `path`; `offset` is its first character."""

    path: KeyPath
    name: str
    offset: int


@dataclass(slots=True)
class Source:
    """A YAML file as plain data, with the line of every key and item and the problems met while reading.

    below   name of the data under this file; `own`: the keys at the top that this file has itself
    """

    shown: str
    data: Any = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    old_keys: list[OldKey] = field(default_factory=list)
    below: str = ""
    own: frozenset[str] = frozenset()

    def over(self, data: dict[str, Any], name: str) -> "Source":
        """This file over other data: mappings are merged key by key, everything else is replaced.

        Input   name: of the data, for the places of keys that this file does not have
        """
        return replace(self, data=_over(self.data, data), below=name, own=frozenset(self.data))

    def place(self, path: KeyPath = ()) -> str:
        """`study.yaml:14 visit[2].dialogue.gate`; the line is that of the nearest key that exists."""
        if self.below and path and path[0] not in self.own:
            return f"{self.shown} ({self.below}) {dotted(path)}"
        for end in range(len(path), -1, -1):
            if path[:end] in self.lines:
                return f"{self.shown}:{self.lines[path[:end]]}{' ' + dotted(path) if path else ''}"
        return f"{self.shown}{' ' + dotted(path) if path else ''}"

    def report(self, path: KeyPath, problem: str, hint: str = "") -> None:
        self.problems.append(Problem(self.place(path), problem, hint))

    def report_old_keys(self, hint: str) -> None:
        """Report every old key as a problem."""
        for path, old, _ in self.old_keys:
            self.report(path, f"`{old}` is now `{path[-1]}`", hint)

    def first_error(self) -> InputError:
        return first_error(self.problems)


def first_error(problems: list[Problem]) -> InputError:
    """The first problem as an error, with the number of the others."""
    first, more = problems[0], len(problems) - 1
    problem = first.problem + (f" (and {more} more)" if more else "")
    return InputError(problem, place=first.place, hint=first.hint)


def _over(above: Any, below: Any) -> Any:
    if not (isinstance(above, dict) and isinstance(below, dict)):
        return above
    return {
        **below,
        **{key: _over(value, below[key]) if key in below else value for key, value in above.items()},
    }


def dotted(path: KeyPath) -> str:
    """('visit', 2, 'dialogue') as `visit[2].dialogue`."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f"{'.' if text else ''}{key}"
    return text


def read_yaml(path: Path, shown: str | None = None, renamed: RenamedKeys | None = None) -> Source:
    """The file at path; a file that cannot be read or parsed gives a Source with data None and a problem."""
    source = Source(shown or path.name)
    try:
        content = path.read_bytes()
    except OSError as error:
        source.problems.append(Problem(source.shown, f"cannot be read ({error.strerror})", "check the path"))
        return source
    return parse_yaml(content, source.shown, renamed)


def parse_yaml(content: bytes | str, shown: str, renamed: RenamedKeys | None = None) -> Source:
    """YAML 1.2 text as a Source. Keys are always text; tags other than the plain ones are refused.

    Input   renamed: keys that are read under their new names, and listed in `old_keys`
    """
    source = Source(shown)
    try:
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
        yaml = YAML(typ="safe", pure=True)
        node = yaml.compose(text)
        if node is not None:
            source.data = _Reader(source, yaml.constructor, renamed or {}).value(node, ())
    except UnicodeDecodeError as error:
        source.problems.append(Problem(shown, f"is not UTF-8 text (byte {error.start})", "save it as UTF-8"))
    except YAMLError as error:
        source.problems.append(_syntax(error, shown))
    except RecursionError:
        source.problems.append(Problem(shown, "is nested too deeply", "flatten it"))
    return source


def _syntax(error: YAMLError, name: str) -> Problem:
    """A parser's complaint in one line, with the line of the file."""
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return Problem(name, f"not valid YAML ({' '.join(str(error).split())})", "correct the syntax")
    problem, line = error.problem or "syntax error", error.problem_mark.line + 1
    if "'\\t'" in problem or "\\t" in repr(problem):
        return Problem(f"{name}:{line}", "a tab in the indentation", "indent with spaces")
    if "multiple documents" in problem or "expected a single document" in str(error):
        return Problem(f"{name}:{line}", "a second YAML document begins here", "remove the line `---`")
    hint = "check indentation, colons and quotes on this line and the one before"
    return Problem(f"{name}:{line}", f"not valid YAML: {problem}", hint)


class _Reader:
    """Turns composed nodes into plain data, noting lines; aliases are followed, never endlessly."""

    def __init__(self, source: Source, constructor: Any, renamed: RenamedKeys) -> None:
        self.source, self.construct, self.nodes = source, constructor, 0
        self.renamed = [
            (place.split(".") if place else [], names)
            for places, names in renamed.items()
            for place in places
        ]
        self.open: set[int] = set()

    def value(self, node: Any, path: KeyPath) -> Any:
        self.nodes += 1
        self.source.lines.setdefault(path, node.start_mark.line + 1)
        if id(node) in self.open or self.nodes > _MOST_NODES:
            if self.nodes <= _MOST_NODES + 1:
                self.source.report(path, "an alias makes the file infinite or huge", "write out the value")
            return None
        if node.id == "scalar":
            return self.scalar(node, path)
        if node.tag not in (_TAG + "map", _TAG + "seq"):
            self.source.report(path, f"tag {node.tag!r} is not allowed", "remove the tag")
            return None
        self.open.add(id(node))
        try:
            if node.id == "sequence":
                return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
            return self.mapping(node, path)
        finally:
            self.open.discard(id(node))

    def mapping(self, node: Any, path: KeyPath) -> dict[str, Any]:
        data: dict[str, Any] = {}
        first: dict[str, int] = {}
        new_keys = self.new_keys(path)
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.id != "scalar" or key_node.tag == _TAG + "merge":
                self.source.lines.setdefault((*path, "?"), line)
                self.source.report((*path, "?"), "a key must be plain text", "write the keys out")
                continue
            original = str(key_node.value)
            key = new_keys.get(original, original)
            if key in first:
                place = f"{self.source.shown}:{line} {dotted((*path, key))}"
                problem = f"key {key!r} appears twice, on lines {first[key]} and {line}"
                self.source.problems.append(Problem(place, problem, "keep one of them"))
                continue
            if key != original:
                self.source.old_keys.append(OldKey((*path, key), original, key_node.start_mark.index))
            first[key] = self.source.lines[(*path, key)] = line
            data[key] = self.value(value_node, (*path, key))
        return data

    def new_keys(self, path: KeyPath) -> dict[str, str]:
        """New names of old keys in the mapping at a path."""
        return {
            old: new
            for place, names in reversed(self.renamed)
            if len(place) == len(path)
            and all(part in ("*", key) for part, key in zip(place, path, strict=True))
            for old, new in names.items()
        }

    def scalar(self, node: Any, path: KeyPath) -> Any:
        tag = str(node.tag)
        if tag in _PLAIN:
            return str(node.value)
        kind = tag.removeprefix(_TAG)
        if kind in ("int", "float", "bool", "null") and tag.startswith(_TAG):
            try:
                return getattr(self.construct, f"construct_yaml_{kind}")(ScalarNode(tag, node.value))
            except (ValueError, LookupError, OverflowError):
                return str(node.value)
        self.source.report(path, f"tag {tag!r} is not allowed", "remove the tag")
        return None
