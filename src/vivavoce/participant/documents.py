"""Markdown shown to participants, of a study and of systems: no raw HTML, no remote images, safe links."""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

TAGS: Final = {
    "a",
    "p",
    "br",
    "hr",
    "em",
    "strong",
    "s",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}
_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


_messages = (
    MarkdownIt("commonmark", {"html": False, "breaks": True})
    .enable(["table", "strikethrough"])
    .disable(["image", "code", "lheading", "reference"])  # in plain text, these are meant otherwise
)
LONGEST_MARKED: Final = 20_000


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


def read_growing(text: str) -> Markup:
    """A message that is not whole yet, as `read_message` has it; it is not seen again, and not remembered."""
    return read_message.__wrapped__(text)


@lru_cache(maxsize=2048)
def read_message(text: str) -> Markup:
    """A system's text as safe HTML: its Markdown, with line breaks; headings are paragraphs in bold.

    Note  no images, no addresses of our own; text longer than LONGEST_MARKED is shown as written
    """
    if len(text) > LONGEST_MARKED:
        return Markup('<p class="written">{}</p>').format(text)
    tokens = _messages.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"
        if token.type == "heading_open":
            token.attrs["class"] = "heading"
    clean = nh3.clean(
        _messages.renderer.render(tokens, _messages.options, {}),
        tags=TAGS,
        attributes={"a": {"href", "title"}, "p": {"class"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto", "tel"},
        url_relative="deny",
        set_tag_attribute_values={"a": {"target": "_blank"}},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(clean.strip())


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [] if child.type in ("text", "code_inline"))
