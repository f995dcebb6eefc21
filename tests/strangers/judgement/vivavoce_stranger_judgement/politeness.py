"""How polite a system is: an annotator judges all its turns of a dialogue on one page, on a scale."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import Field

from vivavoce.annotation.judgement import DialogueJudgement
from vivavoce.annotation.workplace import JudgementRefused, Workplace
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Place
from vivavoce.participant.judging import key_of, progress_of, to_next, workplace_of
from vivavoce.participant.sign_in import ThisExpert, expert_page
from vivavoce.participant.site import ThisSite
from vivavoce.study.schemes import Scheme
from vivavoce.study.settings import Settings, Whole
from vivavoce.study.step_files import StepFiles


class PolitenessSettings(Settings):
    """How polite every turn of the system is."""

    points: Whole = Field(5, ge=2, le=9, description="of the scale: 1 is rude, the last one very polite")


class Politeness(DialogueJudgement):
    name = "politeness"
    settings = PolitenessSettings
    pages = "vivavoce_stranger_judgement.politeness:router"
    invitation = "Judge politeness"
    title = "Politeness"

    def plan(self, settings: PolitenessSettings, files: StepFiles) -> PolitenessSettings:
        return settings

    def schemes(self, plan: PolitenessSettings) -> Sequence[Scheme]:
        points = [str(number) for number in range(1, plan.points + 1)]
        labels = [{"label": one, "key": one, "text": one} for one in points]
        facts = {"scheme": self.name, "about": "system", "scale": "ordinal", "required": True}
        return (Scheme.model_validate({**facts, "title": self.title, "labels": labels}),)


POLITENESS = Politeness()
ADDRESS = POLITENESS.address
ThisWorkplace = Annotated[Workplace, Depends(workplace_of(POLITENESS))]
router = APIRouter()


@router.get(ADDRESS)
def home(request: Request, workplace: ThisWorkplace, who: ThisExpert) -> Response:
    return expert_page(request, "politeness_home", **progress_of(request, workplace, who))


@router.post(f"{ADDRESS}/next")
def begin(site: ThisSite, workplace: ThisWorkplace, who: ThisExpert) -> Response:
    return to_next(site, workplace, who)


@router.get(f"{ADDRESS}/work")
def work(
    request: Request, site: ThisSite, workplace: ThisWorkplace, who: ThisExpert, gap: bool = False
) -> Response:
    """The dialogue that is due, with what has been said of it."""
    key = workplace.current(key_of(who))
    if key is None:
        return site.to(ADDRESS)
    judged = workplace.see().of_annotator(key_of(who))[key].judged
    given = {place.turn_index: said.labels[0].label for place, said in judged.items()}
    (scale,) = workplace.schemes
    return expert_page(
        request, "politeness", dialogue=workplace.dialogue(key), scale=scale, given=given, gap=gap
    )


@router.post(f"{ADDRESS}/work")
async def judge(request: Request, site: ThisSite, workplace: ThisWorkplace, who: ThisExpert) -> Response:
    """What was chosen stays, whatever else is missing; once nothing is, the dialogue is finished."""
    form = await request.form()
    key = str(form.get("dialogue", ""))
    chosen = {str(name)[5:]: str(point) for name, point in form.items() if str(name).startswith("turn_")}
    try:
        for turn, point in chosen.items():
            place = Place(POLITENESS.name, int(turn) if turn.isdecimal() else -1)
            workplace.give(key_of(who), key, place, [LoggedLabel(label=point)])
        workplace.finish(key_of(who), key)
    except JudgementRefused:
        return site.to(f"{ADDRESS}/work?gap=1")
    return to_next(site, workplace, who)
