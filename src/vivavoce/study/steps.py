"""The steps of a visit, as the session walks them."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.questionnaires.instrument import About

Gate = Literal["code", "dialogue", "none"]
Presentation = Literal["together", "in-turn"]
Versions = Literal["both", "one"]

LATER_STEPS: Final = ("annotate",)


class _Step(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @property
    def document(self) -> str | None:
        """The Markdown file that participants read in the step; None: there is none."""
        return None


class _TextStep(_Step):
    """A text to read."""

    file: str

    @property
    def document(self) -> str:
        return self.file


class Range(_Step):
    """From min to max, both included."""

    min: int
    max: int

    def __str__(self) -> str:
        return str(self.min) if self.min == self.max else f"{self.min}..{self.max}"


class Nontrivial(_Step):
    """What makes a dialogue count: fewer user turns earn no code."""

    user_turns: int = 1


class ConsentStep(_TextStep):
    """A text that the participant must agree to."""

    kind: Literal["consent"] = "consent"


class InstructionsStep(_TextStep):
    """A text to read before the dialogues."""

    kind: Literal["instructions"] = "instructions"


class DebriefStep(_TextStep):
    """A text to read at the end."""

    kind: Literal["debrief"] = "debrief"


class QuestionnaireStep(_Step):
    """A form: after each dialogue where it belongs to a dialogue step's `feedback`, else once.

    admit  codes by item that a participant must answer with to go on; none where everybody may
    """

    kind: Literal["questionnaire"] = "questionnaire"
    name: str
    about: About
    admit: dict[str, Range] = {}


class DialogueStep(_Step):
    """Dialogues with systems under test, one task each, followed by the feedback forms.

    gate      code: the form opens with the earned code; dialogue: it opens when the dialogue was not trivial;
              none: it is open
    channel   how participants talk: text, voice, or one that a package offers, such as phone
    elsewhere None when the chat is in the page; else the file that says where the system is reached
    """

    kind: Literal["dialogue"] = "dialogue"
    repeat: Range
    gate: Gate
    nontrivial: Nontrivial
    channel: str = "text"
    elsewhere: str | None = None
    feedback: tuple[QuestionnaireStep, ...] = ()

    @property
    def document(self) -> str | None:
        return self.elsewhere


class Balance(_Step):
    """How far the transcripts of a pair may be apart.

    tokens   difference of their lengths, as a share of the control's
    turns    difference in number of turns
    changed  tokens removed or added, whichever is more, as a share of what the system says
    """

    tokens: float = 0.25
    turns: int = 0
    changed: float = 0.6


class CompareStep(_Step):
    """Pairs of transcripts, one of every variable, each followed by a choice for every question.

    minimum_s    a whole response shorter than this is flagged, and where `accept_fast` is off not accepted;
                 who is not accepted gets a completion code only with `code_if_not_accepted`
    attention    pairs marked so are mixed in
    repeats      pairs shown once more at the end with the sides changed
    seed         the same seed gives the same plan of orders, sides and pairs
    """

    kind: Literal["compare"] = "compare"
    pairs: str
    variables: tuple[str, ...]
    questions: tuple[str, ...]
    ties: bool = False
    strength: bool = False
    presentation: Presentation = "together"
    minimum_s: float = 180.0
    accept_fast: bool = True
    code_if_not_accepted: bool = False
    attention: bool = False
    repeats: int = 0
    balance: Balance = Balance()
    seed: int = 1


class RateStep(_Step):
    """Transcripts of the same pairs, read one at a time and rated on a questionnaire.

    versions  both: everybody reads both versions of a pair, first one of every variable, then the others;
              one: only the first
    attention the broken transcripts of pairs marked so are mixed in
    """

    kind: Literal["rate"] = "rate"
    pairs: str
    name: str
    variables: tuple[str, ...]
    versions: Versions = "both"
    attention: bool = False
    balance: Balance = Balance()
    seed: int = 1


class ArenaStep(_Step):
    """Bouts: two anonymous systems answer the same messages side by side, and the participant votes.

    bouts     how many, each with another pair of systems where there are enough
    turns     most messages of a bout
    both_bad  `both are bad` may be voted beside a tie
    names     what is masked in the answers: names of systems, and what the study adds
    """

    kind: Literal["arena"] = "arena"
    bouts: int = 1
    turns: int = 6
    both_bad: bool = True
    names: tuple[str, ...] = ()


class TranscribeStep(_Step):
    """Recordings to write down, some of them with a known transcript (gold).

    audio       folder of the recordings
    each        recordings of one visit, known ones included
    gold        share of known ones, at least `least_gold` of them
    accuracy    least word accuracy over them; below it nothing of the participant's counts, and they get a
                completion code only with `code_if_not_accepted`
    prefill     what the recogniser heard stands in the field already; it biases
    """

    kind: Literal["transcribe"] = "transcribe"
    items: str
    audio: Path
    each: int = 20
    gold: float = 0.2
    least_gold: int = 3
    accuracy: float = 0.8
    code_if_not_accepted: bool = False
    prefill: bool = False


class ElicitStep(_Step):
    """Commands to a robot, one for each stimulus.

    stimuli  file that holds them; by: how commands are given where there is a microphone
    seconds  longest recording, of one command, or of all of them where they are recorded at once
    answer   how the robot says `understood`
    """

    kind: Literal["elicit"] = "elicit"
    stimuli: str
    by: Literal["speech", "text"] = "speech"
    redo: bool = True
    seconds: float = 60.0
    at_once: bool = False
    microphone_distance_m: float | None = None
    answer: Literal["text", "voice", "none"] = "text"


class ListenStep(_Step):
    """Short clips, each heard whole and then rated, or compared with another.

    audio    folder of the clips
    method   opinion: one clip, 1 to 5; pairs: which of two is better
    each     clips, or pairs, that one participant judges
    hearing  tones: short tones are counted first
    seed     the same seed gives each participant the same clips in the same order
    """

    kind: Literal["listen"] = "listen"
    clips: str
    audio: Path
    method: Literal["opinion", "pairs"] = "opinion"
    each: int = 20
    ties: bool = True
    hearing: Literal["tones", "none"] = "tones"
    seed: int = 1


class OfferedStep(_Step):
    """A step of another package.

    settings  what is written in the study file, checked by the step's own model
    material  what the step has read of the files that they name
    """

    kind: str
    settings: Any
    material: Any = None


OwnStep: TypeAlias = Annotated[
    ConsentStep
    | InstructionsStep
    | DialogueStep
    | CompareStep
    | RateStep
    | ArenaStep
    | ListenStep
    | TranscribeStep
    | ElicitStep
    | QuestionnaireStep
    | DebriefStep,
    Field(discriminator="kind"),
]
Step: TypeAlias = OwnStep | OfferedStep
