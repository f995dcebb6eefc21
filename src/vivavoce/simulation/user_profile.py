"""Caller profiles of simulated participants; populations are drawn with a seed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from random import Random
from typing import TYPE_CHECKING, Final

from vivavoce.simulation.satisfaction import Satisfaction
from vivavoce.study.planted_preferences import PlantedPreferences

if TYPE_CHECKING:
    from vivavoce.simulation.sayings import Sayings

MOST_DIALOGUES: Final = 60


@dataclass(frozen=True, slots=True)
class UserProfile:
    """One caller's habits; shares are probabilities between 0 and 1.

    patience         unhelpful system turns in a dialogue before the caller hangs up
    forgetfulness    that a constraint of the task is not thought of unless asked
    over_informing   that more than one thing is said in a turn
    opens_in_full    that the first wish says more than one thing; as `over_informing` where it is None
    carefulness      that a misunderstanding in what the system says is noticed and corrected
    curiosity        that another venue is asked for, once in a dialogue
    optimism         that a dialogue that failed is rated as successful all the same
    dialogues        how many dialogues the caller would like to hold
    fickleness       that the caller changes their mind once in a dialogue
    terseness        that a thing is said in as few words as will do
    denies           that a correction begins with a no; else what is right is said and nothing denied
    only_denies      that what is asked to be confirmed wrongly is answered by a mere no
    gives_up         that a wish is given up where nothing matches; else it is said again
    steadiness       that a sentence of real callers is chosen as short or long as others in the dialogue
    asks_whether     that it is asked, once in a dialogue, whether what is offered is as wanted
    thanks_first     that thanks are said alone, and the farewell after them
    knowledge        that a question can be answered at once; else the caller does not know, the first time
    disagrees        that what the system says or offers is contradicted, though nothing be wrong with it
    asks_back        that the system is asked to say it again, in place of an answer
    digresses        that something else is talked of, in place of an answer
    fragments        that a turn breaks off before anything is said
    fragments_first  that the first turn breaks off; as `fragments` where it is None
    breaks_off_again  that a turn that broke off is followed by another
    two_at_once      that a turn says a second thing, of another kind
    misspells        that a word of four letters or more is misspelt
    switches_language  that a turn is said in another language
    """

    patience: int
    forgetfulness: float
    over_informing: float
    carefulness: float
    curiosity: float
    optimism: float
    dialogues: int
    fickleness: float = 0.0
    terseness: float = 0.0
    denies: float = 1.0
    opens_in_full: float | None = None
    only_denies: float = 0.0
    gives_up: float = 1.0
    steadiness: float = 0.0
    asks_whether: float = 0.0
    thanks_first: float = 0.0
    knowledge: float = 1.0
    disagrees: float = 0.0
    asks_back: float = 0.0
    digresses: float = 0.0
    fragments: float = 0.0
    fragments_first: float | None = None
    breaks_off_again: float = 0.0
    two_at_once: float = 0.0
    misspells: float = 0.0
    switches_language: float = 0.0

    def departures(self) -> dict[str, float]:
        """Traits by which this caller does other than answer; nobody has any who is not told to."""
        shares = {name: getattr(self, name) for name in _DEPARTURES}
        return {name: share for name, share in shares.items() if share != _DEPARTURES[name]}


HABITS: Final = tuple(field.name for field in fields(UserProfile))
_DEPARTURES: Final = {field.name: field.default for field in fields(UserProfile)[HABITS.index("knowledge") :]}
PlanContext = Callable[[Random], float]

DEFAULT_HABITS: Final[dict[str, PlanContext]] = {
    "patience": lambda random: random.randint(3, 8),
    "forgetfulness": lambda random: random.betavariate(1.2, 8),
    "over_informing": lambda random: random.betavariate(3, 2),
    "carefulness": lambda random: random.betavariate(6, 1.5),
    "curiosity": lambda random: random.betavariate(1.2, 7),
    "optimism": lambda random: random.betavariate(2, 3),
    "dialogues": lambda random: min(MOST_DIALOGUES, int(random.paretovariate(0.8))),
    "fickleness": lambda random: random.betavariate(1, 19),
}


def draw_traits(random: Random, habits: dict[str, PlanContext] | None = None) -> UserProfile:
    """One caller. The number of dialogues has a long tail: half want one or two, a few want dozens."""
    draws = {**DEFAULT_HABITS, **(habits or {})}
    habit_values = {name: draws[name](random) for name in HABITS if name in draws}
    return UserProfile(
        patience=int(habit_values.pop("patience")),
        dialogues=max(1, int(habit_values.pop("dialogues"))),
        **habit_values,
    )


class Population:
    """Callers by number; the same seed gives the same callers in whatever order they are asked for.

    groups        (share, habits) of kinds of callers; a caller belongs to one of them, else to none
    satisfaction  how their answers to questionnaires come about
    noise         draws a caller's word error rate; the same for everybody where there is none
    sayings       sentences of real callers, by language, in which they say what they mean
    planted       what they prefer as judges of transcripts; by chance where there is nothing
    """

    planted: PlantedPreferences | None = None

    def __init__(
        self,
        seed: int,
        habits: dict[str, PlanContext] | None = None,
        groups: tuple[tuple[str, float, dict[str, PlanContext]], ...] = (),
        satisfaction: Satisfaction = Satisfaction(),
        name: str = "default",
        noise: PlanContext | None = None,
        sayings: "Mapping[str, Sayings] | None" = None,
    ) -> None:
        self._seed, self._habits, self._groups = seed, habits or {}, groups
        self.satisfaction, self.name, self.seed, self._noise = satisfaction, name, seed, noise
        self.sayings = sayings or {}

    def traits(self, caller: int) -> UserProfile:
        _, habits = self._of_group(caller)
        return draw_traits(self.random(caller, "traits"), {**self._habits, **habits})

    def error_rate(self, caller: int, otherwise: float) -> float:
        """The word error rate of a caller's telephone, where the population tells it; else the other one."""
        return self._noise(self.random(caller, "noise")) if self._noise else otherwise

    def group(self, caller: int) -> str | None:
        """The name of the group that a caller belongs to; None where they belong to none."""
        return self._of_group(caller)[0]

    def random(self, caller: int, purpose: str) -> Random:
        """A generator of chance for one caller and purpose, such as `dialogue 3`."""
        return Random(f"{self._seed}:{caller}:{purpose}")

    def _of_group(self, caller: int) -> tuple[str | None, dict[str, PlanContext]]:
        if not self._groups:
            return None, {}
        at = self.random(caller, "group").random()
        for name, share, habits in self._groups:
            if at < share:
                return name, habits
            at -= share
        return None, {}
