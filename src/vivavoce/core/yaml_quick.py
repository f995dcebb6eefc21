"""YAML scanned in C and read as YAML 1.2: several times as fast as a parser written in Python.

libyaml knows YAML 1.1. Its words (`yes`, `on`) and numbers (`1:30`) differ by tags, and tags are given here,
as ruamel.yaml gives them to a text of version 1.2. What the two versions scan differently is not read here.
"""

import re
from collections.abc import Callable
from typing import Any, Final

import yaml
from ruamel.yaml.resolver import implicit_resolvers
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_TAG: Final = "tag:yaml.org,2002:"
# marks of documents, a file of one block, written tags, a comment in a block's head, rare white space
_OF_ONE_VERSION: Final = re.compile(
    r"^(?:%|---|\.\.\.)|\A\s*[|>]|(?:^|[\s\[{,])!!?\w*(?:\s|\Z)|[|>][-+0-9]*#|\r(?!\n)"
    r"|[\t\x85\u2028\u2029\ufeff]",
    re.MULTILINE,
)
_PLAIN: Final[dict[str, list[tuple[str, Any]]]] = {}

for _versions, _tag, _words, _firsts in implicit_resolvers:
    for _first in _firsts if (1, 2) in _versions else ():
        _PLAIN.setdefault(_first, []).append((_tag, _words))


def compose_quickly(text: str) -> Node | None:
    """The root node of a text, with tags and places; None where it is empty, or must be read by ruamel.yaml.

    Raises  RecursionError: it is nested too deeply
    """
    if not yaml.__with_libyaml__ or _OF_ONE_VERSION.search(text):
        return None
    from yaml.cyaml import CParser  # pyright: ignore[reportAttributeAccessIssue]

    parser = CParser(text)
    try:
        parser.get_event()  # the stream begins
        if isinstance(parser.get_event(), yaml.StreamEndEvent):
            return None
        root = _Composer(parser.get_event).node()
        parser.get_event()  # the document ends
        return root if isinstance(parser.get_event(), yaml.StreamEndEvent) else None
    except (yaml.YAMLError, KeyError):
        return None


class _Composer:
    """Nodes of events. PyYAML's own composer overflows the stack of C where a text is nested deeply."""

    def __init__(self, get_event: Callable[[], Any]) -> None:
        self.get_event = get_event
        self.anchors: dict[str, Node] = {}

    def node(self, event: Any = None) -> Node:
        event = event or self.get_event()
        if isinstance(event, yaml.AliasEvent):
            return self.anchors[event.anchor]
        if isinstance(event, yaml.ScalarEvent):
            built: Node = ScalarNode(_scalar_tag(event), event.value, event.start_mark)
        elif isinstance(event, yaml.SequenceStartEvent):
            built = SequenceNode(_written(event.tag) or _TAG + "seq", [], event.start_mark)
        else:
            built = MappingNode(_written(event.tag) or _TAG + "map", [], event.start_mark)
        if event.anchor is not None:
            if event.anchor in self.anchors:  # which of the two is meant is ruamel's to say
                raise KeyError(event.anchor)
            self.anchors[event.anchor] = built
        if isinstance(built, SequenceNode):
            while not isinstance(event_or_end := self.get_event(), yaml.SequenceEndEvent):
                built.value.append(self.node(event_or_end))
        elif isinstance(built, MappingNode):
            while not isinstance(event_or_end := self.get_event(), yaml.MappingEndEvent):
                built.value.append((self.node(event_or_end), self.node()))
        return built


def _written(tag: str | None) -> str | None:
    return None if tag in (None, "!") else tag


def _scalar_tag(event: Any) -> str:
    if (tag := _written(event.tag)) is not None:
        return tag
    is_plain, _ = event.implicit
    if is_plain:
        for implicit_tag, words in _PLAIN.get(event.value[:1], ()):
            if words.match(event.value):
                return implicit_tag
    return _TAG + "str"
