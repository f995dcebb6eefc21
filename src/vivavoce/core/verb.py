"""Verbs of the command line, each found by its entry point and imported when it is asked for."""

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from functools import wraps
from shutil import get_terminal_size
from typing import Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from vivavoce.core.errors import InputError
from vivavoce.core.registry import Registry, installed_points

PARTS: Final = ("Begin", "Run", "Data", "Figures", "Texts")
OTHERS: Final = "More"
NARROW: Final = 52  # columns; with fewer, Typer goes on writing lines of fifty
_GROUP: Final = re.compile(r"\{(vivavoce\.[a-z_.]+)\}")


class Stopped(Exception):
    """Interruption by Ctrl-C; the message names what is kept, and how to go on."""


@dataclass(frozen=True)
class Verb:
    """A command of `vivavoce`, offered by a package in the group `vivavoce.verbs`; a subcommand, such as of
    `annotate`, in the group `vivavoce.verbs.annotate`.

    run         a function that Typer reads, or a Typer with verbs below this one; or where it stands, as
                `module:name`, to be imported when it is asked for
    part        the heading of `vivavoce --help` under which it stands, one of PARTS; else under the last
    order       among the verbs of its part; of several with one order the name decides
    short_help  its line in that list; "": what its docstring or help begins with
    examples    what may follow its name; of a group, an example begins with the verb below, else it is one
                of the group's first
    kept        what is there after Ctrl-C and how one goes on, in a sentence; of a group, by the verb below
    """

    name: str
    run: Callable[..., Any] | typer.Typer | str
    part: str = OTHERS
    order: int = 1000
    short_help: str = ""
    examples: tuple[str, ...] = ()
    hidden: bool = False
    kept: str | Mapping[str, str] = ""

    def command(self, below: str = "") -> Any:
        """Typer command of this verb; `below`: its parent verb."""
        run = pkgutil.resolve_name(self.run) if isinstance(self.run, str) else self.run
        if isinstance(run, typer.Typer):
            _complete(run, self.name, self.examples)
            run.rich_markup_mode = None  # the framed help takes longer to import than all the rest
            command: Any = get_group(run)
            for name, verb in verbs_below(self.name):
                command.add_command(verb.command(self.name), name)
        else:
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            epilog = _epilog(f"{below} {self.name}".strip(), self.examples)
            alone.command(self.name, epilog=epilog, hidden=self.hidden)(run)
            command = get_command(alone)
        for leaf in (command, *getattr(command, "commands", {}).values()):
            leaf.context_class = _Context
            message = self.kept if isinstance(self.kept, str) else self.kept.get(leaf.name, "")
            if leaf.callback is not None and message:
                leaf.callback = _telling(leaf.callback, message)
        command.name = self.name
        command.short_help = self.short_help or command.short_help or _first_sentence(run) or None
        return command


VERBS: Final = Registry("verb", Verb, extensible=False)


def verbs_below(name: str) -> Registry[Verb]:
    """Verbs of packages below a verb with subcommands."""
    return Registry("verb", Verb, group=f"{VERBS.group}.{name}", extensible=False)


class _Commands(MutableMapping[str, Any]):
    """Commands by the names of verbs, each made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name not in VERBS:
                raise KeyError(name)
            self._made[name] = VERBS.get(name).command()
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*VERBS.names(), *self._made}))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in self._made or name in VERBS


class _Formatter(TyperGroup.context_class.formatter_class):
    """Help folded by words however narrow the terminal is, with the names that packages offer."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None):
        super().__init__(indent_increment, width, max_width)
        columns = get_terminal_size().columns
        self.narrow = width is None and columns < NARROW
        if self.narrow:
            self.width = max(columns - 2, 20)

    def write_dl(self, rows: Any, col_max: int = 30, col_spacing: int = 2) -> None:
        """`{vivavoce.protocols}` in a help stands for what that group of entry points offers."""
        named_rows = [(first, _GROUP.sub(_names_of, second)) for first, second in rows]
        super().write_dl(named_rows, self.width // 3 if self.narrow else col_max, col_spacing)


class _Context(TyperGroup.context_class):
    formatter_class = _Formatter


def _names_of(group: re.Match[str]) -> str:
    return ", ".join(dict.fromkeys(point.name for point in installed_points(group[1]))) or "none is installed"


class Verbs(TyperGroup):
    """The list of all verbs, by what one does with them."""

    context_class = _Context

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.commands))
        parts: dict[str, list[tuple[int, str, str]]] = {part: [] for part in (*PARTS, OTHERS)}
        for name in self.commands:
            try:
                verb = VERBS.get(name)
                help_line = verb.short_help or self.commands[name].get_short_help_str(formatter.width)
            except InputError as error:  # a package that cannot be loaded keeps no other from being shown
                parts[OTHERS].append((0, name, str(error)))
                continue
            if not verb.hidden:
                parts.get(verb.part, parts[OTHERS]).append((verb.order, name, help_line))
        for title, rows in parts.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), summary) for _, name, summary in sorted(rows)])


def _telling(run: Callable[..., Any], kept: str) -> Callable[..., Any]:
    """The function, reporting what is kept when it is stopped. Raises Stopped."""

    @wraps(run)
    def told(*given: Any, **named: Any) -> Any:
        try:
            return run(*given, **named)
        except KeyboardInterrupt:
            raise Stopped(kept) from None

    return told


def _complete(group: typer.Typer, name: str, examples: tuple[str, ...]) -> None:
    """Put examples under the verbs of a group, and let its list show their first sentences whole."""
    below = [verb.name or "" for verb in group.registered_commands]
    for verb in group.registered_commands:
        first = verb.name == below[0]
        options = [
            example
            for example in examples
            if _begins(example) == verb.name or (first and _begins(example) not in below)
        ]
        verb.epilog = _epilog(name, tuple(options))
        verb.short_help = verb.short_help or _first_sentence(verb.callback) or None


def _begins(example: str) -> str:
    return example.partition(" ")[0]


def _epilog(name: str, examples: tuple[str, ...]) -> str | None:
    lines = "\n".join(f"  vivavoce {name} {example}".rstrip() for example in examples)
    return f"\b\nExamples:\n{lines}" if examples else None


def _first_sentence(run: object) -> str:
    doc = inspect.getdoc(run) if inspect.isfunction(run) else None
    return " ".join((doc or "").split("\n\n")[0].split())
