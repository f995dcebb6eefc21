"""The section `analysis` of a study file: what is compared, and when collecting ends."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from vivavoce.core.validation import mistake
from vivavoce.study.exclusion import TRIVIAL, Exclusion
from vivavoce.study.settings import Flag, Number, Settings, Whole

Correction = Literal["holm", "benjamini_hochberg", "bonferroni", "none"]
StoppingRule = Literal["obrien_fleming", "pocock", "anytime"]
Flagged = Literal["question", "help", "error_message", "rejection_prompt", "timeout_prompt", "barge_in"]
Teller = Literal["log", "experts"]


class Primary(Settings):
    """The comparison that the study was made for, named before it runs."""

    measure: str = Field(title="What is compared", description="name of the measure")
    compare: list[str] = Field(
        [], title="Systems", description="systems to compare; all of the study when left out"
    )
    alpha: Number = Field(0.05, gt=0, lt=1, title="Alpha", description="level of significance")
    margin: Number | None = Field(
        None, gt=0, title="Margin of this comparison: not worse than (non-inferiority)",
        description="a difference of this measure, in its unit, below which it counts as none",
    )  # fmt: skip

    @field_validator("compare")
    @classmethod
    def _more_than_one(cls, systems: list[str]) -> list[str]:
        if len(systems) == 1:
            raise mistake(
                f"{systems[0]!r} is compared with nothing", "name two systems or more, or none for all"
            )
        return systems


class Preferences(Settings):
    """Whether the versions of a pair of transcripts are preferred alike, for every variable and question."""

    test: Literal["chi_square", "exact"] = Field(
        "chi_square",
        description="of the choices of one question against an even split; exact: binomial, as of under 10",
    )
    alpha: Number = Field(0.05, gt=0, lt=1, description="level of significance")


class Stopping(Settings):
    """When collecting ends. With a rule the trial pauses itself once its primary comparison is decided."""

    shorthand = "words"

    words: str | None = Field(
        None, title="In a sentence", description="when collecting ends, in a sentence for readers"
    )
    rule: StoppingRule | None = Field(
        None,
        title="Rule",
        description="how the dashboard watches the primary comparison; none: nothing pauses by itself",
    )
    participants: Whole | None = Field(
        None, ge=2, le=1_000_000, title="Participants",
        description="planned participants (finished visits), to which the overview counts; a trial with a "
        "rule pauses itself there at the latest, one without goes on",
    )  # fmt: skip
    looks: Whole = Field(
        5, ge=1, le=50, title="Looks",
        description="planned looks, evenly spaced; `anytime` looks after every visit",
    )  # fmt: skip
    futility: Flag = Field(
        True, title="Pause where nothing can be found any more",
        description="pause also where going on is idle",
    )  # fmt: skip
    power: Number = Field(
        0.8, gt=0.5, lt=1, title="Power",
        description="chance to find the planned difference; what is idle is judged by it",
    )  # fmt: skip

    @model_validator(mode="after")
    def _planned(self) -> "Stopping":
        if self.rule in ("obrien_fleming", "pocock") and self.participants is None:
            raise mistake(
                f"the rule {self.rule} has no planned number of participants", "add participants: 60, say"
            )
        return self


class Analysis(Settings):
    """What the study wants to know, and how it will be decided; frozen when the first participant comes."""

    primary: Primary | None = Field(
        None, title="Primary comparison", description="the comparison named in advance"
    )
    secondary: list[Primary] = Field([], description="further comparisons named in advance")
    preferences: Preferences | None = Field(
        None, description="the comparisons of transcripts, one a variable and question, named in advance"
    )
    correction: Correction = Field(
        "holm",
        title="Correction for several comparisons",
        description="adjustment of p over everything that is declared here: primary, secondary, transcripts",
    )
    margin: Number | None = Field(
        None,
        gt=0,
        lt=1,
        title="Margin of all success rates: not worse than, or the same (equivalence)",
        description="a difference of a success rate smaller than this counts as none (equivalence), where "
        "the comparison has no margin of its own; of other measures it is declared with the comparison",
    )
    exclude: list[Exclusion] = Field(
        [Exclusion.model_validate(TRIVIAL)],
        description="dialogues and people that no measure counts: rules, such as "
        "`[trivial, {user_turns: '< 3'}, {outcome: withdrew}]`; `[]` leaves nothing out",
    )
    flags: dict[Flagged, Teller] = Field(
        {},
        description="whose word counts of a turn that log and experts judge, by flag, such as "
        "`{barge_in: experts}`; else the log's. The other fills in, turn by turn, what one lacks",
    )
    notes: list[str] = Field(
        [], description="sentences for readers of preregistration and report; nothing is left out by them"
    )
    stopping: Stopping | None = Field(
        None, title="End of collecting", description="when collecting ends: a sentence, or a rule"
    )

    @model_validator(mode="before")
    @classmethod
    def _read_sentences_as_notes(cls, value: Any) -> Any:
        """`exclusions` held sentences, which nothing could carry out: they are notes."""
        if not isinstance(value, Mapping) or not isinstance(value.get("exclusions"), list):
            return value
        others = {name: one for name, one in value.items() if name != "exclusions"}
        return others | {"notes": [*value["exclusions"], *others.get("notes", [])]}

    @model_validator(mode="after")
    def _something_to_watch(self) -> "Analysis":
        if self.stopping is not None and self.stopping.rule is not None and self.primary is None:
            raise mistake(
                "a stopping rule without a primary comparison", "add primary: {measure: ..., compare: [a, b]}"
            )
        return self

    @property
    def margins(self) -> dict[str, float]:
        """Margins of equivalence by measure; under `rates` that of every success rate without its own."""
        asked = [*([self.primary] if self.primary else []), *self.secondary]
        own = {one.measure: one.margin for one in asked if one.margin is not None}
        return own | ({"rates": self.margin} if self.margin is not None else {})

    def over(self, systems: list[str]) -> "Analysis":
        """This analysis of a study with such systems: a comparison that names none takes them all.

        Empty   a comparison without two systems, as a preset has in a study of one system, falls away
        """
        asked = [one if one.compare else one.model_copy(update={"compare": systems})
                 for one in (*([self.primary] if self.primary else []), *self.secondary)]  # fmt: skip
        possible = [one for one in asked if len(one.compare) > 1]
        first = possible[:1] if self.primary and asked[0] in possible else []
        return self.model_copy(
            update={"primary": first[0] if first else None, "secondary": possible[len(first) :]}
        )
