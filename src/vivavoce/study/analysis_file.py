"""The section `analysis` of a study file: comparisons and the end of data collection."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from vivavoce.core.validation import mistake
from vivavoce.study.exclusion import TRIVIAL, Exclusion
from vivavoce.study.settings import Flag, Number, Settings, Whole

Correction = Literal["holm", "benjamini_hochberg", "bonferroni", "none"]
StoppingRule = Literal["obrien_fleming", "pocock", "anytime"]
Flagged = Literal["question", "help", "error_message", "rejection_prompt", "timeout_prompt", "barge_in"]
Teller = Literal["log", "experts"]


class Primary(Settings):
    """The comparison that the study was designed for, declared before it runs."""

    measure: str = Field(title="Compared measure", description="name of the measure")
    compare: list[str] = Field(
        [], title="Systems", description="systems to compare (default: all of the study)"
    )
    alpha: Number = Field(0.05, gt=0, lt=1, title="Alpha", description="significance level")
    margin: Number | None = Field(
        None,
        gt=0,
        title="Margin of this comparison (non-inferiority)",
        description="smallest difference that matters, in the unit of the measure",
    )

    @field_validator("compare")
    @classmethod
    def _more_than_one(cls, systems: list[str]) -> list[str]:
        if len(systems) == 1:
            raise mistake(
                f"{systems[0]!r} has no system to be compared with",
                "name at least two systems, or leave the key out for all",
            )
        return systems


class Preferences(Settings):
    """Test of preference between the versions of transcript pairs, for every variable and question."""

    test: Literal["chi_square", "exact"] = Field(
        "chi_square",
        description="test of one question's choices against an even split; exact: binomial, for n below 10",
    )
    alpha: Number = Field(0.05, gt=0, lt=1, description="significance level")


class Stopping(Settings):
    """End of data collection. With a rule, the trial pauses once its primary comparison is decided."""

    shorthand = "words"

    words: str | None = Field(
        None, title="In a sentence", description="end of data collection as a sentence for readers"
    )
    rule: StoppingRule | None = Field(
        None,
        title="Rule",
        description=(
            "stopping rule for the primary comparison, applied by the dashboard; none: no automatic pause"
        ),
    )
    participants: Whole | None = Field(
        None,
        ge=2,
        le=1_000_000,
        title="Participants",
        description=(
            "planned participants (finished visits), the target of the overview; with a rule, the "
            "trial pauses there at the latest"
        ),
    )
    interim_analyses: Whole = Field(
        5,
        ge=1,
        le=50,
        title="Interim analyses",
        description="number of planned interim analyses, evenly spaced; `anytime`: one after every visit",
    )
    futility: Flag = Field(
        True,
        title="Stop early for futility",
        description="also pause for futility",
    )
    power: Number = Field(
        0.8,
        gt=0.5,
        lt=1,
        title="Power",
        description="statistical power; also used for the futility rule",
    )

    @model_validator(mode="after")
    def _planned(self) -> "Stopping":
        if self.rule in ("obrien_fleming", "pocock") and self.participants is None:
            raise mistake(
                f"the rule {self.rule} needs a planned number of participants",
                "add, for example, participants: 60",
            )
        return self


class Analysis(Settings):
    """Research questions and analysis plan of the study; frozen with the first participant."""

    primary: Primary | None = Field(
        None, title="Primary comparison", description="the primary comparison, declared in advance"
    )
    secondary: list[Primary] = Field([], description="secondary comparisons, declared in advance")
    preferences: Preferences | None = Field(
        None, description="comparisons of transcripts, one per variable and question, declared in advance"
    )
    correction: Correction = Field(
        "holm",
        title="Correction for multiple comparisons",
        description="adjustment of p over all declared comparisons: primary, secondary, transcripts",
    )
    margin: Number | None = Field(
        None,
        gt=0,
        lt=1,
        title="Margin of all success rates (non-inferiority, equivalence)",
        description=(
            "smallest difference of a success rate that matters, for comparisons without their own "
            "margin; other measures declare it with their comparison"
        ),
    )
    exclude: list[Exclusion] = Field(
        [Exclusion.model_validate(TRIVIAL)],
        description=(
            "rules that exclude dialogues and participants from all measures, such as `[trivial, "
            "{user_turns: '< 3'}, {outcome: withdrew}]`; `[]` excludes nothing"
        ),
    )
    flags: dict[Flagged, Teller] = Field(
        {},
        description=(
            "preferred source of each flag of a turn, such as `{barge_in: experts}` (default: the "
            "log); the other source fills gaps"
        ),
    )
    notes: list[str] = Field(
        [], description="notes for readers of the preregistration and report; they exclude nothing"
    )
    stopping: Stopping | None = Field(
        None, title="End of data collection", description="end of data collection: a sentence, or a rule"
    )

    @model_validator(mode="after")
    def _something_to_watch(self) -> "Analysis":
        if self.stopping is not None and self.stopping.rule is not None and self.primary is None:
            raise mistake(
                "a stopping rule needs a primary comparison", "add primary: {measure: ..., compare: [a, b]}"
            )
        return self

    @property
    def margins(self) -> dict[str, float]:
        """Equivalence margins by measure; under `rates` that of success rates without their own."""
        asked = [*([self.primary] if self.primary else []), *self.secondary]
        own = {one.measure: one.margin for one in asked if one.margin is not None}
        return own | ({"rates": self.margin} if self.margin is not None else {})

    def over(self, systems: list[str]) -> "Analysis":
        """This analysis for the given systems: a comparison that names none includes all.

        Empty   a comparison with fewer than two systems is dropped, such as a preset's in a study of one
        system
        """
        asked = [
            one if one.compare else one.model_copy(update={"compare": systems})
            for one in (*([self.primary] if self.primary else []), *self.secondary)
        ]
        possible = [one for one in asked if len(one.compare) > 1]
        first = possible[:1] if self.primary and asked[0] in possible else []
        return self.model_copy(
            update={"primary": first[0] if first else None, "secondary": possible[len(first) :]}
        )
