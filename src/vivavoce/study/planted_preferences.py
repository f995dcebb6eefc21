"""Preferences that a researcher plants into simulated judges, to see whether the plan would find them.

Source  a judge has a leaning, normal over judges, and chooses the experimental version where leaning and
        chance stay below the quantile of its share: the probit model of Thurstone (1927), case V
"""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from random import Random
from statistics import NormalDist
from typing import Final, NamedTuple

from vivavoce.core.errors import InputError, nearest

NORMAL: Final = NormalDist()
ALIKE: Final = 0.2
EVEN: Final = 0.5
TIED: Final = 1 / 3  # of a simulated judge's choices, where ties are allowed
HINT: Final = "write empathy=0.65, or empathy:satisfaction=0.65 for one question: above 0, below 1"


class PlantedPreferences(NamedTuple):
    """Preferences of simulated judges.

    shares  of decided choices for the experimental version (0 to 1), by variable and question, None for any
    alike   how alike one judge's answers about one variable are: latent correlation, 0 up to below 1
    """

    shares: Mapping[tuple[str, str | None], float]
    alike: float = ALIKE

    def share(self, variable: str, question: str) -> float | None:
        """The share that was planted; None: none was, and judges choose by chance."""
        return self.shares.get((variable, question), self.shares.get((variable, None)))

    def chooses(self, variable: str, question: str, judge: Random, chance: Random) -> bool | None:
        """Choice of a judge, True for the experimental version; None: no preference set.

        Input   judge: the same for all of their questions about the variable; chance: another for each
        """
        share = self.share(variable, question)
        if share is None:
            return None
        drawn = sqrt(self.alike) * judge.gauss(0, 1) + sqrt(1 - self.alike) * chance.gauss(0, 1)
        return drawn < NORMAL.inv_cdf(share)

    def facts(self) -> dict[str, float]:
        """Preferences for the log."""
        named = {":".join(filter(None, key)): share for key, share in self.shares.items()}
        return {**{f"prefers {name}": share for name, share in named.items()}, "alike": self.alike}


def read_planted(
    words: Iterable[str], variables: Sequence[str], questions: Sequence[str], alike: float = ALIKE
) -> PlantedPreferences:
    """Preferences as they are written: VARIABLE=SHARE or VARIABLE:QUESTION=SHARE.

    Raises  InputError: no such variable or question, or a share that is none
    """
    shares: dict[tuple[str, str | None], float] = {}
    for word in words:
        name, _, text = word.rpartition("=")
        variable, question = (name, None) if name in variables else _parts(name)
        if variable not in variables:
            raise InputError(
                f"no variable {variable!r}", place=f"--prefer {word}", hint=nearest(variable, list(variables))
            )
        if question is not None and question not in questions:
            raise InputError(
                f"no question {question!r}", place=f"--prefer {word}", hint=nearest(question, list(questions))
            )
        shares[variable, question] = _share(text, word)
    return PlantedPreferences(shares, alike)


def _parts(name: str) -> tuple[str, str | None]:
    variable, colon, question = name.rpartition(":")
    return (variable, question) if colon else (name, None)


def _share(text: str, word: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1:
        raise InputError(f"cannot read the preference {word!r}", place="--prefer", hint=HINT)
    return value
