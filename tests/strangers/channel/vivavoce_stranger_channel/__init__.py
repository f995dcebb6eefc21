"""Dialogues by text message: a gateway posts what a telephone sends, and gets back what it is answered."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import JSONResponse

import vivavoce as vv

UNKNOWN = "Please send the word that stands on your page first."
router = APIRouter()


@router.post("/message")
async def message(
    request: Request,
    number: Annotated[str, Form()],
    text: Annotated[str, Form()],
    key: Annotated[str, Form()],
) -> JSONResponse:
    return JSONResponse({"answers": await request.app.state.site.lines["message"].answers(number, text, key)})


class Gateway:
    """Which telephone talks in which visit, until the service stops."""

    def __init__(self, engine: Any) -> None:
        self.engine, self.words, self.visits = engine, {}, {}

    async def start(self) -> None: ...
    async def stop(self) -> None: ...

    def announced(self) -> list[str]:
        return ["messages      POST /message (number, text, key)"]

    def word(self, visit_id: str) -> str:
        """What a telephone sends to be known as the one of a visit."""
        word = visit_id[-6:].upper()
        self.words[word] = visit_id
        return word

    async def answers(self, number: str, text: str, key: str) -> list[str]:
        if (visit_id := self.words.get(text.strip().upper())) is not None:
            self.visits[number] = visit_id
            return ["You can write now. STOP ends it."]
        if (visit_id := self.visits.get(number)) is None:
            return [UNKNOWN]
        dialogue = (await self.engine.state(visit_id)).dialogue
        if text.strip().upper() == "STOP":
            await self.engine.end_dialogue(visit_id, dialogue.dialogue_id)
            return ["Thank you. Please go back to your page."]
        said = await self.engine.say(visit_id, dialogue.dialogue_id, key=key, text=text)
        after = said.seq
        while (dialogue := (await self.engine.state(visit_id)).dialogue).unanswered is not None:
            news = await self.engine.updates(visit_id, after, 10.0)
            after = news[-1].seq if news else after
        return [turn.text for turn in dialogue.turns[said.turn_index + 1 :]]


class Messages(vv.Channel):
    name = "message"
    spoken, calls_out = False, False
    router = router

    def participant_info(self, study: vv.Study) -> vv.Information:
        lead = vv.Message("In this study you send text messages to a computer program.")
        return vv.Information(
            lead,
            needs=(vv.Message("A telephone that sends text messages."),),
            keeps=(vv.Message("What you send, but not your number."),),
        )

    def preregistration_line(self) -> str:
        return "by text message"

    def require(self, study: vv.Study) -> None:
        """Nothing: the gateway comes to us."""

    def open(self, engine: Any) -> Gateway:
        return Gateway(engine)

    def facts(self, study: vv.Study, line: Any, state: Any, problem: str | None) -> dict[str, Any]:
        return {"word": line.word(state.visit_id) if line is not None else ""}
