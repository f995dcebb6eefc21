"""A population as a YAML file: shares of habits, groups, the model of satisfaction, and a seed.

    population: town
    simulated: true
    seed: 3
    habits:
      patience: 3..8                      # whole numbers, each as likely
      forgetfulness: 0.1                  # the same for everybody
      over_informing: {beta: [3, 2]}
      dialogues: {values: {1: 0.6, 2: 0.3, 10: 0.1}}
    groups:
      hurried: {share: 0.2, habits: {patience: 1..2}}

What is left out is as for the population that is used without a file. `like: chatty` takes the habits of a
shipped population, in `populations/`, for those left out.
"""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from vivavoce.core.errors import UnknownName, nearest
from vivavoce.core.validation import load_model, mistake, shown_value
from vivavoce.simulation.satisfaction import Satisfaction
from vivavoce.simulation.sayings import SayingEntry, Sayings
from vivavoce.simulation.user_profile import HABITS, MOST_DIALOGUES, PlanContext, Population

_WHOLE = ("patience", "dialogues")
_SHIPPED: Final = Path(__file__).parent / "populations"


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Spread(_Data):
    """How a habit is spread over people; exactly one key."""

    beta: tuple[float, float] | None = Field(None, description="beta distribution on 0 to 1")
    pareto: float | None = Field(
        None, gt=0, description="distribution of whole numbers from 1 with a long tail"
    )
    values: dict[str, float] | None = Field(None, description="share of people by value")
    low: float | None = None
    high: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _parse(cls, given: Any) -> Any:
        if isinstance(given, int | float) and not isinstance(given, bool):
            return {"low": given, "high": given}
        if isinstance(given, str) and ".." in given:
            low, _, high = given.partition("..")
            return {"low": low.strip(), "high": high.strip()}
        if not isinstance(given, dict):
            raise mistake(f"{shown_value(given)} is not a distribution", "write 0.2, 3..8, or {beta: [2, 8]}")
        return given

    @model_validator(mode="after")
    def _sound(self) -> "Spread":
        if self.low is not None and self.high is not None and self.low > self.high:
            raise mistake(f"{self.low:g}..{self.high:g} is reversed", f"write {self.high:g}..{self.low:g}")
        if self.beta is not None and min(self.beta) <= 0:
            raise mistake("a beta distribution needs two numbers above 0", "write {beta: [2, 8]}")
        if self.values is not None:
            shares, strange = (
                list(self.values.values()),
                [value for value in self.values if not _is_number(value)],
            )
            if strange or not shares or min(shares) < 0 or sum(shares) <= 0:
                raise mistake(
                    "shares by value need numbers and shares above 0", "write {values: {3: 0.5, 4: 0.5}}"
                )
        return self

    def draw(self, *, whole: bool) -> PlanContext:
        """A function that draws one person's habit."""
        if self.beta is not None:
            alpha, beta = self.beta
            return lambda random: random.betavariate(alpha, beta)
        if self.pareto is not None:
            shape = self.pareto
            return lambda random: min(MOST_DIALOGUES, int(random.paretovariate(shape)))
        if self.values is not None:
            values, shares = [float(value) for value in self.values], list(self.values.values())
            return lambda random: random.choices(values, shares)[0]
        low, high = self.low or 0.0, self.high or 0.0
        if whole:
            return lambda random: random.randint(int(low), int(high))
        return lambda random: random.uniform(low, high)

    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value that can be drawn."""
        if self.beta is not None:
            return 0.0, 1.0
        if self.pareto is not None:
            return 1.0, MOST_DIALOGUES
        if self.values is not None:
            values = [float(value) for value in self.values]
            return min(values), max(values)
        return self.low or 0.0, self.high or 0.0


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _checked(habits: dict[str, Spread]) -> dict[str, Spread]:
    for name, spread in habits.items():
        if name not in HABITS:
            raise mistake(f"unknown habit {name!r}", nearest(name, list(HABITS)))
        low, high = spread.bounds()
        least, most = (0 if name == "patience" else 1, 1000) if name in _WHOLE else (0, 1)
        if low < least or high > most:
            raise mistake(f"{name} is outside {least} to {most}", f"keep it from {least} to {most}")
    return habits


def population_names() -> list[str]:
    """The populations that ship with this version."""
    return sorted(path.stem for path in _SHIPPED.glob("*.yaml"))


def _shipped(name: str) -> str:
    if name not in population_names():
        raise mistake(f"unknown population {name!r}", nearest(name, population_names()))
    return name


_Like = Annotated[str, AfterValidator(_shipped)]


class PopulationGroup(_Data):
    """A share of the people, with habits of their own."""

    share: float = Field(gt=0, le=1)
    like: _Like | None = Field(None, description="bundled population that supplies the other habits")
    habits: dict[str, Spread] = {}

    @field_validator("habits")
    @classmethod
    def _known(cls, habits: dict[str, Spread]) -> dict[str, Spread]:
        return _checked(habits)


class Weights(_Data):
    """The weights of the model of satisfaction; those left out stay as they are."""

    base: float | None = None
    success: float | None = None
    turn: float | None = None
    expected_turns: int | None = None
    unhelpful: float | None = None
    leniency: float | None = Field(None, ge=0)
    mood: float | None = Field(None, ge=0)


class PopulationFile(_Data):
    """A population of simulated users."""

    population: str = Field(description="name of the population")
    simulated: Literal[True] = Field(True, description="always true: its members are simulated")
    seed: int = Field(1, description="random seed; the same seed gives the same users")
    like: _Like | None = Field(None, description="bundled population that supplies the other habits")
    word_error_rate: Spread | None = Field(
        None, description="word error rate between user and system, drawn once per user"
    )
    habits: dict[str, Spread] = Field({}, description="habits of all users")
    groups: dict[str, PopulationGroup] = Field(
        {}, description="groups of users by name; the remaining users belong to no group"
    )
    satisfaction: Weights = Weights.model_validate({})
    sayings: dict[str, tuple[SayingEntry, ...]] = Field(
        {}, description="sentences of real callers by language, in place of the bundled ones"
    )
    source: dict[str, Any] = Field({}, description="source of the figures; for documentation only")

    @field_validator("habits")
    @classmethod
    def _known(cls, habits: dict[str, Spread]) -> dict[str, Spread]:
        return _checked(habits)

    @field_validator("word_error_rate")
    @classmethod
    def _possible(cls, spread: Spread | None) -> Spread | None:
        if (
            spread is not None
            and spread.beta is None
            and not 0 <= spread.bounds()[0] <= spread.bounds()[1] <= 0.9
        ):
            raise mistake("a word error rate is outside 0 to 0.9", "keep it from 0 to 0.9")
        return spread

    @field_validator("groups")
    @classmethod
    def _shares(cls, groups: dict[str, PopulationGroup]) -> dict[str, PopulationGroup]:
        total = sum(group.share for group in groups.values())
        if total > 1 + 1e-9:
            raise mistake(f"the shares of the groups sum to {total:g}", "reduce the sum to at most 1")
        return groups

    def people(self, seed: int | None = None) -> Population:
        """The population; another seed gives other people with the same habits."""
        weights = {name: value for name, value in self.satisfaction.model_dump().items() if value is not None}
        groups = tuple(
            (name, group.share, _draws(group.habits, group.like)) for name, group in self.groups.items()
        )
        return Population(
            self.seed if seed is None else seed,
            _draws(self.habits, self.like),
            groups,
            Satisfaction(**weights),
            self.population,
            self.word_error_rate.draw(whole=False) if self.word_error_rate else None,
            {language: Sayings(sayings) for language, sayings in self.sayings.items()},
        )


def _draws(habits: dict[str, Spread], like: str | None) -> dict[str, PlanContext]:
    if like is not None:
        habits = {**read_population(_SHIPPED / f"{like}.yaml").habits, **habits}
    return {name: spread.draw(whole=name in _WHOLE) for name, spread in habits.items()}


def usual_population() -> PopulationFile:
    """The population that is used without a file."""
    return PopulationFile.model_validate({"population": "default"})


def find_population(name: str) -> PopulationFile:
    """A shipped population by its name, or a file.

    Raises  UnknownName: neither; InputError: the file is wrong, with its first fault
    """
    path = Path(name)
    if name in population_names() and not path.exists():
        return read_population(_SHIPPED / f"{name}.yaml")
    if not path.suffix and not path.exists():
        raise UnknownName("population", name, population_names())
    return read_population(path)


def read_population(path: Path) -> PopulationFile:
    """The population of a file.

    Raises  InputError: its first fault, with its place
    """
    return load_model(path, PopulationFile)
