"""Two anonymous systems side by side: what of them is shown, the message to both, the vote.

No name of a system, connector or condition is given to a template: only sides, and texts with names masked.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, JSONResponse, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from vivavoce.log.arena_events import Vote
from vivavoce.log.events import SystemTurnFailed
from vivavoce.log.history import DialogueHistory, Turn
from vivavoce.participant.documents import read_growing, read_message
from vivavoce.participant.site import Site, ThisSite, ThisVisit
from vivavoce.study.steps import BattlePlan
from vivavoce.trial.arena import BoutState
from vivavoce.trial.codes import new_key
from vivavoce.trial.errors import Refused
from vivavoce.trial.masking import masked, names_to_mask, settled
from vivavoce.trial.state import VisitState

router = APIRouter(include_in_schema=False)
Key = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
BoutKey = Annotated[str, Field(max_length=64)]


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """A side's messages as HTML with names masked; broken: it failed in the middle."""

    html: Markup
    broken: bool = False


@dataclass(frozen=True, slots=True)
class ShownExchange:
    """A message with both answers; None where one is missing. Greetings: no message."""

    number: int
    message: str
    left: ShownAnswer | None
    right: ShownAnswer | None


def shown_exchanges(bout: BoutState, plan: BattlePlan, names: tuple[str, ...]) -> list[ShownExchange]:
    """Content of the page, greetings first; of awaited answers the part in `growing`."""
    sides = [_answers(side, names) for side in bout.sides]
    messages = [""] + [turn.text for turn in bout.left.turns if turn.party == "user"]
    exchanges = [
        ShownExchange(number, message, sides[0][number], sides[1][number])
        for number, message in enumerate(messages)
    ]
    if not bout.settled:
        exchanges[-1] = ShownExchange(
            exchanges[-1].number, exchanges[-1].message, *growing(bout, plan, names)
        )
    greeted = exchanges[0].left is not None or exchanges[0].right is not None
    return exchanges if greeted else exchanges[1:]


def growing(
    bout: BoutState, plan: BattlePlan, names: tuple[str, ...]
) -> tuple[ShownAnswer | None, ShownAnswer | None]:
    """Visible part of two answers while one is awaited: nothing, unless the step streams them.

    Note  whole answers appear at the same moment, so that speed reveals nobody; streamed ones are
      equally long meanwhile, unless each has its own pace
    """
    if plan.answers != "streamed":
        return None, None
    awaited = [not side.greeted or side.unanswered is not None for side in bout.sides]
    lengths = [len(side.growing) for side, waits in zip(bout.sides, awaited, strict=True) if waits]
    reach = min(lengths, default=0) if plan.pace == "same" else None
    left_answer, right = (
        _begun(side.growing if waits else "\n\n".join(_said(side)[-1]), reach, names)
        for side, waits in zip(bout.sides, awaited, strict=True)
    )
    return left_answer, right


def _begun(words: str, reach: int | None, names: tuple[str, ...]) -> ShownAnswer | None:
    """Visible part of an answer, without an end that may become a name."""
    html = read_growing(masked(settled(words[:reach], names), names))
    return ShownAnswer(html) if html else None


def _said(side: DialogueHistory) -> list[list[str]]:
    """The words of a side before the first message and after each; also those at which it failed."""
    texts: list[list[str]] = [[]]
    for line in side.lines:
        if isinstance(line, Turn) and line.party == "user":
            texts.append([])
        elif text := line.text if isinstance(line, Turn) else getattr(line.event, "shown", ""):
            texts[-1].append(text)
    return texts


def _answers(side: DialogueHistory, names: tuple[str, ...]) -> list[ShownAnswer | None]:
    """Messages of a side before the first message and after each; None where it sent nothing."""
    broken = {event.reply_to for event in side.of(SystemTurnFailed)}
    user_turns = [None, *(turn.turn_index for turn in side.turns if turn.party == "user")]
    answers: list[ShownAnswer | None] = []
    for number, texts in zip(user_turns, _said(side), strict=True):
        html = Markup("\n").join(read_message(masked(text, names)) for text in texts).strip()
        answers.append(ShownAnswer(html, number in broken) if html else None)
    return answers


def arena_page(site: Site, state: VisitState, facts: dict[str, Any]) -> HTMLResponse:
    """Current page of the battle: waiting, voting or writing; between battles an offer to go on."""
    step, bout = state.battle_plan, state.bout
    if bout is None:
        return site.page("arena_pause", state.language, **facts)
    return site.page(
        "arena",
        state.language,
        **facts,
        bout=bout.event.bout_id,
        number=state.round + 1,
        total=step.battles,
        exchanges=shown_exchanges(bout, step, names_to_mask(site.study, step)),
        waiting=not bout.settled,
        streamed=step.answers == "streamed",
        vote_due=bout.vote_due,
        exchange=bout.exchange,
        left_over=step.turns - bout.exchange,
        both_bad=step.both_bad,
        may_finish=bout.may_finish,
        max_chars=site.study.limits.max_chars,
        key=new_key("message"),
        seq=state.seq,
    )


class MessageForm(BaseModel):
    """A message to both sides."""

    key: Key
    bout: BoutKey
    text: str = Field("", alias="item-text")


@router.post("/arena/say")
async def say(site: ThisSite, visit_id: ThisVisit, message: Annotated[MessageForm, Form()]) -> Response:
    site.count_turn(visit_id)
    try:
        await site.engine.bouts.say(visit_id, message.bout, key=message.key, text=message.text)
    except Refused as refusal:
        return site.to(f"/visit?problem={refusal.reason}")
    return site.to("/visit#latest")


@router.post("/arena/vote")
async def vote(
    site: ThisSite,
    visit_id: ThisVisit,
    bout: Annotated[str, Form(max_length=64)],
    exchange: Annotated[int, Form(ge=1, le=10_000)],
    choice: Annotated[Literal["left", "right", "tie", "both_bad"], Form()],
) -> Response:
    chosen: Vote = choice
    await site.engine.bouts.vote(visit_id, bout, exchange=exchange, choice=chosen)
    return site.to("/visit#latest")


@router.post("/arena/finish")
async def finish(site: ThisSite, visit_id: ThisVisit, bout: Annotated[str, Form(max_length=64)]) -> Response:
    await site.engine.bouts.finish(visit_id, bout)
    return site.to("/visit")


@router.get("/arena/state")
async def standing(
    site: ThisSite,
    visit_id: ThisVisit,
    after: Annotated[int, Query(ge=0)] = 0,
    wait: Annotated[float, Query(ge=0, le=25)] = 0,
) -> Response:
    """Status of awaited answers and their visible part; waits for news. Names no system."""
    stored = await site.news(visit_id, after, wait)
    state = await site.engine.state(visit_id)
    bout, seq = state.bout, max(after, stored[-1].seq if stored else 0)
    if bout is None or bout.settled:
        return JSONResponse({"waiting": False, "seq": seq, "growing": []})
    plan = state.battle_plan
    answers = growing(bout, plan, names_to_mask(site.study, plan))
    return JSONResponse(
        {"waiting": True, "seq": seq, "growing": [answer.html if answer else "" for answer in answers]}
    )
