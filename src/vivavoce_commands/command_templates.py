"""Templates: a robot's actions and their arguments, in a file; annotations are checked against them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.core.errors import UnknownName, nearest
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import read_yaml
from vivavoce_commands.notation import REPEAT, REPEATED, Argument, Listed, Predicate, Words, write_argument

SHIPPED: Final = Path(__file__).parent / "actions"
QUANTITY: Final = "quantity"
MANNER: Final = "manner"
MOST_MANNERS: Final = 4
_PLACE = re.compile(r"\[?[^\[\]/?]+\]?")


@dataclass(frozen=True, slots=True)
class TemplatePlace:
    """One argument of an action: what kinds of things may stand there, and whether it may be absent."""

    kinds: tuple[str, ...]
    lists: bool
    optional: bool

    @property
    def name(self) -> str:
        return " or ".join(self.kinds)


@dataclass(frozen=True, slots=True)
class Proposal:
    """An argument that nobody said, taken from what was said before in the same recipe."""

    place: TemplatePlace
    argument: Argument
    source: Predicate


class _Action(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    means: str = Field("", description="action in English")
    arguments: list[str] = Field(
        description="places in order; `/` between kinds, `[kind]` allows a list, `?` optional place"
    )


class CommandTemplates(BaseModel):
    """The actions of a robot in one language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str = Field(description="BCP 47 language tag of the action names")
    quantity_words: list[str] = Field([], description="quantity words without a digit")
    things: dict[str, str] = Field({}, description="kind of thing that each word names")
    actions: dict[str, _Action] = Field(min_length=1, description="arguments of each action")

    @cached_property
    def places(self) -> dict[str, tuple[TemplatePlace, ...]]:
        """The places of every action, in order."""
        return {name: tuple(map(_place, action.arguments)) for name, action in self.actions.items()}

    @cached_property
    def quantities(self) -> frozenset[str]:
        return frozenset(word.casefold() for word in self.quantity_words)

    def is_quantity(self, argument: Argument) -> bool:
        """True if it is a quantity: it begins with a digit or a quantity word."""
        first = argument.options[0]
        if isinstance(first, Listed):
            return False
        text = first.text.casefold()
        return text[:1].isdigit() or text in self.quantities or text.split()[0] in self.quantities

    def kind(self, argument: Argument) -> str | None:
        """The kind of thing that the argument names, where the templates know it."""
        first = argument.options[0]
        return self.things.get(first.text.casefold()) if isinstance(first, Words) else None


def _place(text: str) -> TemplatePlace:
    kinds = _PLACE.findall(text.removesuffix("?"))
    return TemplatePlace(tuple(kind.strip("[]") for kind in kinds), "[" in text, text.endswith("?"))


def shipped_templates() -> list[str]:
    """The templates that ship with this version, such as `kitchen-it`."""
    return sorted(path.stem for path in SHIPPED.glob("*.yaml"))


def read_templates(name: str | Path) -> CommandTemplates:
    """Templates by the name of shipped ones, or from a file.

    Raises  InputError at the first thing that is wrong in the file; UnknownName if there is no such file
    """
    path = SHIPPED / f"{name}.yaml"
    if not path.is_file():
        path = Path(name)
    if not path.is_file():
        raise UnknownName("command templates", str(name), shipped_templates(), place="--templates")
    source = read_yaml(path)
    if source.problems:
        raise source.problems[0].error()
    try:
        return CommandTemplates.model_validate(source.data)
    except ValidationError as error:
        problems = problems_of(error, source, CommandTemplates)
        raise max(problems, key=lambda problem: problem.hint.startswith("did you mean")).error() from error


def check_predicate(predicate: Predicate, templates: CommandTemplates) -> Iterator[str]:
    """Conflicts with the action's template, as messages.

    A quantity stands before the noun that it belongs to, so it may stand before a complement too.
    """
    if predicate.action == REPEAT:
        return
    places = templates.places.get(predicate.action)
    if places is None:
        yield f"unknown action {predicate.action!r}; {nearest(predicate.action, list(templates.places))}"
        return
    nouns = [argument for argument in predicate.arguments if not templates.is_quantity(argument)]
    non_quantity = [place for place in places if place.kinds != (QUANTITY,)]
    needed = [place for place in non_quantity if not place.optional]
    most = len(non_quantity) + (
        MOST_MANNERS - 1 if any(place.kinds == (MANNER,) for place in non_quantity) else 0
    )
    if len(nouns) < len(needed):
        missing = needed[len(nouns)].name
        yield f"{predicate.action} lacks an argument: {missing} (between asterisks if it is implicit)"
    if len(nouns) > most:
        extra = write_argument(nouns[most])
        yield (
            f"{predicate.action} has {len(nouns)} arguments besides quantities, at most {most} "
            f"allowed: {extra}"
        )
    if not any(place.lists for place in places) and any(_is_list(noun) for noun in nouns):
        yield f"{predicate.action} does not accept a list"


def _is_list(argument: Argument) -> bool:
    return any(isinstance(option, Listed) for option in argument.options)


def propose_implicit(
    predicate: Predicate, before: Sequence[Predicate], templates: CommandTemplates
) -> list[Proposal]:
    """Arguments that the action needs and nobody said, found in what was said before.

    Input   `before`: the predicates of the same recipe so far, in order
    Output  for each needed place that stands empty the latest thing of a fitting kind, marked as implicit
    Empty   nothing is lacking, or nothing that fits was said
    """
    filled = _filled(predicate, templates)
    proposals: list[Proposal] = []
    for place in templates.places.get(predicate.action, ()):
        if place.optional or place in filled:
            continue
        for earlier in reversed(before):
            fitting = [
                argument
                for argument, stood in _standing(earlier, templates)
                if argument not in predicate.arguments and (templates.kind(argument) or stood) in place.kinds
            ]
            if fitting:
                proposals.append(Proposal(place, _implicit(fitting[-1]), earlier))
                break
    return proposals


def propose_several(
    predicate: Predicate, before: Sequence[Predicate], templates: CommandTemplates, most: int = 3
) -> list[Proposal]:
    """As `propose_implicit`, with up to so many different things for each place: a person chooses.

    Output  for each place first what the templates know to be of its kind, in the order of the kinds, then
            the latest
    """
    filled = _filled(predicate, templates)
    proposals: list[Proposal] = []
    for place in templates.places.get(predicate.action, ()):
        if place.optional or place in filled:
            continue
        fitting: dict[Argument, tuple[int, Predicate]] = {}
        for earlier in reversed(before):
            for argument, stood in reversed(list(_standing(earlier, templates))):
                kind_of_argument = templates.kind(argument)
                if argument not in predicate.arguments and (kind_of_argument or stood) in place.kinds:
                    rank = place.kinds.index(kind_of_argument) if kind_of_argument else len(place.kinds)
                    fitting.setdefault(_implicit(argument), (rank, earlier))
        ordered = sorted(fitting.items(), key=lambda pair: pair[1][0])
        proposals += [Proposal(place, argument, earlier) for argument, (_, earlier) in ordered[:most]]
    return proposals


def with_proposal(predicate: Predicate, proposal: Proposal, templates: CommandTemplates) -> Predicate:
    """The predicate with a proposed argument where the template has its place."""
    order = list(templates.places.get(predicate.action, ()))
    place = order.index(proposal.place)
    standing = list(_taken(predicate, templates))
    behind = [argument for argument, stood in standing if order.index(stood) < place]
    at = predicate.arguments.index(behind[-1]) + 1 if behind else 0
    arguments = (*predicate.arguments[:at], proposal.argument, *predicate.arguments[at:])
    return predicate._replace(arguments=arguments)


def _filled(predicate: Predicate, templates: CommandTemplates) -> set[TemplatePlace]:
    """The places of the action that its arguments take, in order; a known kind finds its own place."""
    return {place for _, place in _taken(predicate, templates)}


def _standing(predicate: Predicate, templates: CommandTemplates) -> Iterator[tuple[Argument, str]]:
    for argument, place in _taken(predicate, templates):
        yield argument, place.kinds[0]


def _taken(predicate: Predicate, templates: CommandTemplates) -> Iterator[tuple[Argument, TemplatePlace]]:
    free = [place for place in templates.places.get(predicate.action, ()) if place.kinds != (QUANTITY,)]
    for argument in predicate.arguments:
        if templates.is_quantity(argument) or argument == REPEATED:
            continue
        kind = templates.kind(argument)
        place = next(
            (candidate for candidate in free if kind in candidate.kinds),
            free[0] if free and kind is None else None,
        )
        if place is not None:
            free.remove(place)
            yield argument, place


def _implicit(argument: Argument) -> Argument:
    return Argument(tuple(option._replace(implicit=True) for option in argument.options))
