"""Events of linguistic stress tests: what was proposed, reviewed, planned, replayed and judged.

They stand in a stream of their own, `stress/<study>`: replays are no visits of participants and are counted
with none of their dialogues.
"""

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.log.event import Event

Arm = Literal["clean", "variant"]
StressVerdict = Literal["pass", "fail", "clarification", "unsure", "invalid_variant"]
Decision = Literal["accept", "edit", "reject", "write"]


def stress_stream(study: str) -> str:
    """The stream of a study's stress tests; a suite is a study of its own name."""
    return f"stress/{study}"


class LoggedProposal(BaseModel):
    """One variant that an operator proposed, best first among its like."""

    model_config = ConfigDict(frozen=True)
    text: str
    rule: str
    confidence: float
    edits: list[dict[str, Any]] = Field(default_factory=list)


class VariantsProposed(Event):
    """An utterance with its proposals for one test, to be reviewed.

    item_id  the same for the same utterance in the same place and the same test
    double   a second person reviews it too
    """

    kind = "variants_proposed"
    item_id: str
    test: str
    language: str
    dialogue_id: str
    turn_index: int
    original: str
    previous: str | None
    proposals: list[LoggedProposal]
    double: bool = False


class VariantReviewed(Event):
    """A person's decision on an item; the same person's later one takes the place of the earlier.

    text      the approved variant; null when all were rejected
    proposal  0-based, which proposal was accepted or edited; null when written anew
    """

    kind = "variant_reviewed"
    item_id: str
    reviewer: str
    decision: Decision
    text: str | None
    proposal: int | None = None


class StressRunPlanned(Event):
    """A run begins: everything that will be replayed, so that it can be taken up again.

    plan            twelve hexadecimal digits over cases and settings: the same plan can be taken up
    not_applicable  test, dialogue (or null for all) and the reason in words
    titles          of the tests by name, as they were registered; earlier runs have none
    release         what whoever runs it calls the system's release; null where nobody said
    """

    kind = "stress_run_planned"
    run_id: str
    plan: str
    system: str
    settings: dict[str, Any]
    cases: list[dict[str, Any]]
    not_applicable: list[dict[str, Any]] = Field(default_factory=list)
    titles: dict[str, str] = Field(default_factory=dict)
    release: str | None = None


class ReplayBegun(Event):
    """A conversation with the system under test begins; one without an end was interrupted."""

    kind = "replay_begun"
    run_id: str
    case_id: str
    arm: Arm
    repetition: int
    conversation: str


class ReplayFinished(Event):
    """One conversation of a run came to its end.

    met       the task's goal was reached; null where that cannot be known
    met_at    position in `turns` of what told it, `met_words` in it; null of a goal that words do not tell.
              Of a goal that was not reached `met_words` are those with another value than the task's
    failure   why the system gave no answer; null when it answered
    injected  position in `turns` of the utterance under test; null when the system ended before it
    outage    it was the system that failed
    again     the same replay is tried again, for it was an outage, or an original that went astray; this one
              counts nowhere
    """

    kind = "replay_finished"
    run_id: str
    case_id: str
    arm: Arm
    repetition: int
    conversation: str
    turns: list[dict[str, Any]]
    injected: int | None
    met: bool | None = None
    met_at: int | None = None
    met_words: str | None = None
    failure: str | None = None
    outage: bool = False
    again: bool = False
    duration_s: float | None = None


class CaseJudged(Event):
    """Outcome of one case: its admission, and the verdict with the rung that decided.

    rung       task_outcome, acts, exact_match, evidence, guards, similarity, model, person; null when nothing
               could
    outage     the system failed whenever it was tried: no verdict; a later event of the case may have one
    suspicion  what a rung that may not decide thinks: pass, fail or clarification
    why        the reason as `LocalizedText.facts` writes it, with its values; null: see `reason`
    reason     an English sentence, of logs before `why`
    replays    one entry a repetition of either arm, judged by the same ladder against the other clean ones
    """

    kind = "case_judged"
    run_id: str
    case_id: str
    admitted: bool
    verdict: StressVerdict | None
    rung: str | None
    suspicion: str | None = None
    reason: str = ""
    why: dict[str, Any] | None = None
    similarity: float | None = None
    replays: list[dict[str, Any]] = Field(default_factory=list)
    outage: bool = False


class VerdictGiven(Event):
    """A person's verdict on a case; it stands above every automatic one.

    instead  what the system did instead of serving the user as before; null: the person said nothing of it
    chosen   the person chose the case among all, where it may be seen what the rules had said: such verdicts
             count, but say nothing of how far rules and people agree
    """

    kind = "verdict_given"
    run_id: str
    case_id: str
    judge: str
    verdict: StressVerdict
    remark: str = ""
    instead: str | None = None
    chosen: bool = False


class StressRunFinished(Event):
    """Every case of a run was judged."""

    kind = "stress_run_finished"
    run_id: str


STRESS_EVENTS: Final[tuple[type[Event], ...]] = (
    VariantsProposed,
    VariantReviewed,
    StressRunPlanned,
    ReplayBegun,
    ReplayFinished,
    CaseJudged,
    VerdictGiven,
    StressRunFinished,
)
