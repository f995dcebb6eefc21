"""Markdown of a study shown to participants: no raw HTML, no remote images, safe links."""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

TAGS: Final = {
    "a", "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "h2", "h3",
    "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@dataclass(frozen=True, slots=True)
class HtmlDocument:
    """A text ready to be shown: its first heading is the page's title, the rest is safe HTML."""

    title: str
    body: Markup
    digest: str


@lru_cache(maxsize=256)
def read_document(markdown: str) -> HtmlDocument:
    """The document that a Markdown text makes; `digest` is the SHA-256 of the text."""
    tokens = _markdown.parse(markdown)
    title = ""
    if len(tokens) >= 3 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        title = _plain(tokens[1])
        tokens = tokens[3:]
    for token in tokens:
        if token.type in ("heading_open", "heading_close") and token.tag == "h1":
            token.tag = "h2"  # the page's title is its only first heading
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes={"a": {"href", "title"}},
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener noreferrer nofollow",
    )
    return HtmlDocument(title, Markup(clean), sha256(markdown.encode()).hexdigest())


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [] if child.type in ("text", "code_inline"))
