"""Shared code of annotators' pages: the workplace, progress, names of recordings.

The first page leads to the first kind of judgement in the study.
"""

import hashlib
import hmac
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from vivavoce.annotation.workplace import Workplace, annotator_key
from vivavoce.participant.accounts import SignedIn
from vivavoce.participant.sign_in import HOME, ThisExpert
from vivavoce.participant.site import ThisSite, site_of
from vivavoce.study.judgement_kind import JudgementKind

router = APIRouter(include_in_schema=False)


def first_kind(site: ThisSite) -> JudgementKind:
    """First kind of judgement; a study without any has no such page."""
    if not site.study.judgement_kinds:
        raise HTTPException(404)
    return site.study.judgement_kinds[0]


@router.get(HOME)
def home(first: Annotated[JudgementKind, Depends(first_kind)], site: ThisSite, who: ThisExpert) -> Response:
    """Start page of the study's judgements."""
    return site.to(first.address)


def workplace_of(kind: JudgementKind) -> Callable[[Request], Any]:
    """Dependency that gives a page the study's workplace of a kind, the same one while pages are served."""

    def find(request: Request) -> Workplace:
        site, state = site_of(request), request.app.state
        if not hasattr(state, "workplaces"):
            state.workplaces = {}
        if kind.name not in state.workplaces:
            state.workplaces[kind.name] = kind.open(site.study, site.engine.log)
        return state.workplaces[kind.name]

    return find


def key_of(who: SignedIn) -> str:
    """The pseudonym by which the log knows an annotator."""
    return annotator_key(who.account_id or "")


def progress_of(request: Request, workplace: Workplace, who: SignedIn) -> dict[str, Any]:
    """Progress of an annotator on the home page: finished, held, in progress, nothing left."""
    mine = workplace.see().of_annotator(key_of(who))
    finished = sum(work.finished_at is not None for work in mine.values())
    return {
        "finished": finished,
        "under_way": len(mine) > finished,
        "held": len(workplace.waiting()),
        "nothing": "nothing" in request.query_params,
    }


def to_next(site: ThisSite, workplace: Workplace, who: SignedIn) -> Response:
    """To the work that is due, taken from the queue where there is none; home again where nothing is left."""
    address = workplace.kind.address
    dialogue = workplace.next_dialogue(key_of(who))
    return site.to(f"{address}?nothing=1" if dialogue is None else f"{address}/work")


def recording_key(secret: str, dialogue_id: str, recording_id: str) -> str:
    """A name for a recording that tells nothing and cannot be guessed."""
    message = f"recording\0{dialogue_id}\0{recording_id}".encode()
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()[:32]
