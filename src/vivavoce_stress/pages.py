"""Linguistic stress tests on the dashboard: review of variants, and verdicts on what stayed unsure."""

import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import FileResponse, RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk, desk_of
from vivavoce.dashboard.language import gettext, ngettext, told, worded
from vivavoce.dashboard.page import DashboardPage, DueAction, MenuItem
from vivavoce.dashboard.pages_annotation import memoized
from vivavoce.dashboard.security import Needs, field, own_form, who_of
from vivavoce.log.models import StoredEvent
from vivavoce.log.stress_events import (
    ReplayFinished,
    VariantsProposed,
    VerdictsOfPeople,
    stress_rows,
    stress_stream,
    stress_titles,
)
from vivavoce_stress.base import STRESS_TESTS, StressTest, state_of
from vivavoce_stress.failures import KINDS
from vivavoce_stress.learnt import lexicon
from vivavoce_stress.review import LONGEST, Reviews, difference, reviewed
from vivavoce_stress.verdict_queue import VERDICTS, JudgedCase, VerdictQueue, given

FOLDER: Final = Path(__file__).parent
_INSTEAD: Final = re.compile(r"(?P<new>.+) for (?P<old>.+)")  # rule of a synonym
router = APIRouter(prefix="/stress")
Desk_ = Annotated[Desk, Depends(desk_of)]
Form_ = Annotated[FormData, Depends(own_form)]
Decides: Final = Depends(Needs("researcher"))


def due_decisions(request: Request, desk: Desk) -> list[DueAction]:
    """Variants and verdicts that wait for whoever looks; read anew when the log has moved on."""
    who = who_of(request)
    if not who.may("researcher"):
        return []
    data, cache_key = str(desk.board.whole.position), f"stress_due {who.name}"
    reviews, second, verdicts = memoized(request, cache_key, data, lambda: _waiting(desk, who.name))
    actions = list[DueAction]()
    if second:
        text = ngettext(
            "%(num)s stress variant needs a second reviewer",
            "%(num)s stress variants need a second reviewer",
            second,
        )
        actions.append(DueAction(text, "/stress/review"))
    if reviews:
        text = ngettext("%(num)s stress variant to review", "%(num)s stress variants to review", reviews)
        actions.append(DueAction(text, "/stress/review"))
    if verdicts:
        text = ngettext("%(num)s stress test to judge", "%(num)s stress tests to judge", verdicts)
        actions.append(DueAction(text, "/stress/verdicts"))
    return actions


def _waiting(desk: Desk, name: str) -> tuple[int, int, int]:
    """Variants that nobody looked at, those that somebody else did and a second is to, and verdicts."""
    stream = list(desk.log.events(stress_stream(desk.study.name)))
    reviews = Reviews.of(stream)
    waiting = reviews.waiting(name)
    second = sum(bool(reviews.reviews.get(item.item_id)) for item in waiting)
    return len(waiting) - second, second, VerdictQueue.of(stream).counts().all


PAGE: Final = DashboardPage(
    name="stress",
    router=router,
    menu=(MenuItem("/stress", N_("Stress tests"), 700),),
    templates=FOLDER / "templates",
    help="how-to/stress-test-a-bot",
    due=due_decisions,
)


@router.get("")
def stress(request: Request, desk: Desk_) -> Response:
    """Dashboard page: waiting decisions, results by test, and agreement of reviewers, rules and people."""
    from vivavoce_stress.scores import agree

    stream, name = list(desk.log.events(stress_stream(desk.study.name))), who_of(request).name
    people = VerdictsOfPeople.of(stream)
    reviews, queue = Reviews.of(stream), VerdictQueue.of(stream)
    decisions = [reviews.decision(key) for key in reviews.items]
    facts = {
        "items": len(reviews.items),
        "waiting": len(reviews.waiting(name)),
        "approved": sum(decision is not None and decision.text is not None for decision in decisions),
        "second": bool(decisions) and all(decision is not None for decision in decisions),
        "agreement": agree(reviews.pairs()),
        "disputed": len(reviews.disputed()),
        "lexicon": _lexicon(reviews),
        "waits": queue.counts(),
        "cases": len(queue.cases),
        "earlier": sum(people.earlier.get(run_id, 0) for run_id in queue.runs),
        "carried": sum(people.carried.get(run_id, 0) for run_id in queue.runs),
        "mine": len(queue.judged_by(name)),
        "runs": _runs(request, desk, stream),
        "proposing": _proposing(request),
        "again": _again(desk),
        "decides": who_of(request).may("researcher"),
        "talked": desk.board.see(lambda board: bool(board.dialogues)),
    }
    return desk.page(request, "stress.html", **facts)


def _lexicon(reviews: Reviews) -> dict[str, Any]:
    """Words learnt from reviews, one line for each replacement, whatever its approved forms."""
    learnt, approved = lexicon(reviews), Counter[tuple[str, ...]]()
    for entry in learnt.entries:
        approved[tuple(entry[name] for name in ("test", "language", "before", "after"))] += entry["approved"]
    return {"version": learnt.version, "entries": [(*words, n) for words, n in approved.items()]}


@router.post("/propose", dependencies=[Decides])
def propose(request: Request, desk: Desk_, form: Form_) -> Response:
    """Have variants of what was said in the dialogues proposed, beside the pages."""
    from vivavoce_stress.planning import RunChoice, queue_for_review
    from vivavoce_stress.sampling import interactions_of

    def queue() -> None:
        desk.snapshots.run(
            lambda snapshot: queue_for_review(
                desk.study, desk.log, interactions_of(snapshot.dataset), RunChoice()
            )
        )

    if _proposing(request) != "now":
        request.app.state.stress_proposing = desk.snapshots.submit(queue)
    return RedirectResponse("/stress", 303)


def _proposing(request: Request) -> str:
    """True while variants are being proposed; or the reason why they could not be; or nothing."""
    future: Future[None] | None = getattr(request.app.state, "stress_proposing", None)
    if future is None:
        return ""
    if not future.done():
        return "now"
    return told(problem) if isinstance(problem := future.exception(), InputError) else ""


def _runs(request: Request, desk: Desk, stream: list[StoredEvent]) -> list[dict[str, Any]]:
    """The figures of each system's last run, from the log as it stands."""
    return memoized(request, "stress_runs", str(len(stream)), lambda: _figures(stream))


def _figures(stream: list[StoredEvent]) -> list[dict[str, Any]]:
    from vivavoce_stress.blocks import WHY_UNTRIED
    from vivavoce_stress.scores import score

    rows = list(stress_rows(stream))
    last = {row["system"]: row["run_id"] for row in rows}
    titles = stress_titles(stream)
    runs = [score([row for row in rows if row["run_id"] == run_id], "log") for run_id in last.values()]
    for test_row in (test for run in runs for test in run["tests"]):
        test_row["title"], test_row["why_untried"] = (
            titles.get(test_row["name"], ""),
            WHY_UNTRIED.get(state_of(test_row), ""),
        )
    for run in runs:
        run["whole"]["why_untried"] = ""
    return runs


def _again(desk: Desk, *, report: bool = False) -> str:
    """The command of the study's campaign that runs the tests again, or only writes the report anew.

    Empty  it is of no campaign: ""
    """
    campaign = desk.study.folder.resolve().parent.parent
    if not (campaign / "campaign.yaml").is_file():
        return ""
    if report:
        return f"vivavoce campaign report {campaign}"
    people = desk.log.usual_scope(desk.study.name) == "people"
    return f"vivavoce campaign run {campaign}{' --people' if people else ''}"


@router.get("/review", dependencies=[Decides])
def review(request: Request, desk: Desk_, skip: str = "") -> Response:
    """The next utterance that this person may decide."""
    return _review_page(request, desk, skip=skip)


@router.post("/review", dependencies=[Decides])
def decide(request: Request, desk: Desk_, form: Form_) -> Response:
    reviews, name = _reviews(desk), who_of(request).name
    item = reviews.items.get(field(form, "item"))
    if item is None:
        raise HTTPException(404, gettext("Utterance not found."))
    chosen, typed = field(form, "proposal"), field(form, "text", most=LONGEST + 1)
    proposal = int(chosen) if chosen.isascii() and chosen.isdigit() and len(chosen) < 4 else None
    try:
        event = reviewed(item, name, field(form, "decision"), typed, proposal)
    except InputError as error:
        problem = f"{worded(error.problem)}: {worded(error.hint)}"
        return _review_page(request, desk, 422, only=item, problem=problem, typed=typed)
    desk.log.transact_now(lambda tx: tx.append(stress_stream(desk.study.name), event))
    return RedirectResponse("/stress/review", 303)


@router.get("/cases", dependencies=[Decides])
def cases(request: Request, desk: Desk_) -> Response:
    """Every case of each system's last run, numbered as in reports, and where to judge it."""
    queue, name = _queue(desk), who_of(request).name
    runs = dict[str, list[dict[str, Any]]]()
    for (run_id, _), judged in queue.cases.items():
        blind = judged.asked is not None and not judged.people
        runs.setdefault(run_id, []).append(
            {
                "one": judged,
                "pieces": difference(judged.case.original, judged.case.variant),
                "blind": blind,
                "mine": name in judged.people,
            }
        )
    return desk.page(request, "stress_cases.html", runs=runs, named=_named(), systems=queue.systems)


@router.get("/verdicts", dependencies=[Decides])
def verdicts(
    request: Request,
    desk: Desk_,
    run: str = "",
    case: str = "",
    kept: str = "",
    others: str = "",
    listed: str = "",
) -> Response:
    """The next case whose verdict this person may give, or the one that they come back to.

    kept    the case whose verdict was stored just now, of `run`
    others  what others have judged is shown, too
    listed  they come from the list of all cases, and go back to it
    """
    stream = list(desk.log.events(stress_stream(desk.study.name)))
    queue, name = VerdictQueue.of(stream), who_of(request).name
    fresh, waiting = queue.fresh(name), queue.waiting(name)
    judged = queue.cases.get((run, case)) or next(iter(waiting if others else fresh), None)
    mine = queue.judged_by(name)
    facts = _case_facts(
        judged, [alike for alike in fresh if judged and alike.pattern == judged.pattern], name
    )
    return desk.page(
        request,
        "stress_verdict.html",
        **facts,
        left=len(fresh),
        mine=mine,
        name=name,
        named=_named(),
        last=queue.cases.get((run, kept)),
        second=len(waiting) - len(fresh),
        others=others,
        listed=listed,
        kinds=KINDS,
        agreements=[] if judged else [run["agreement"] for run in _runs(request, desk, stream)],
        again=_again(desk, report=True),
    )


@router.post("/verdicts", dependencies=[Decides])
def give(request: Request, desk: Desk_, form: Form_) -> Response:
    """Store a verdict; where it was asked for, of all cases of the same pattern."""
    queue, name = _queue(desk), who_of(request).name
    judged = queue.cases.get((field(form, "run"), field(form, "case", most=500)))
    if judged is None:
        raise HTTPException(404, gettext("Case not found."))
    alike = [fresh for fresh in queue.fresh(name) if fresh is not judged and fresh.pattern == judged.pattern]
    chosen = [judged, *(alike if field(form, "alike") else [])]
    verdict, remark = field(form, "verdict"), field(form, "remark", most=1000)
    try:
        events = [given(judged_case, name, verdict, remark, field(form, "instead")) for judged_case in chosen]
    except InputError as error:
        raise HTTPException(422, told(error)) from None
    stream = stress_stream(desk.study.name)
    desk.log.transact_now(lambda tx: [tx.append(stream, event) for event in events])
    if field(form, "listed"):
        return RedirectResponse(f"/stress/cases#{quote(judged.case.case_id)}", 303)
    params = {"others": "1"} if field(form, "others") else {}
    place = urlencode({"run": judged.run_id, "kept": judged.case.case_id, **params})
    return RedirectResponse(f"/stress/verdicts?{place}", 303)


@router.get("/pages.css")
def style() -> Response:
    return FileResponse(FOLDER / "static" / "pages.css", media_type="text/css")


@router.get("/keys.js")
def keys() -> Response:
    return FileResponse(FOLDER / "static" / "keys.js", media_type="text/javascript")


def _reviews(desk: Desk) -> Reviews:
    return Reviews.of(desk.log.events(stress_stream(desk.study.name)))


def _queue(desk: Desk) -> VerdictQueue:
    return VerdictQueue.of(desk.log.events(stress_stream(desk.study.name)))


def _review_page(
    request: Request,
    desk: Desk,
    status: int = 200,
    *,
    skip: str = "",
    only: VariantsProposed | None = None,
    problem: str = "",
    typed: str = "",
) -> Response:
    waiting = _reviews(desk).waiting(who_of(request).name)
    later = [item for item in waiting if item.item_id != skip] or waiting
    item = only or next(iter(later), None)
    facts: dict[str, Any] = {
        "item": item,
        "left": len(waiting),
        "problem": problem,
        "typed": typed,
        "again": _again(desk),
    }
    if item is not None:
        facts["test"] = _test(item.test)
        facts["proposals"] = [
            (proposal, told_rule(proposal.rule), difference(item.original, proposal.text))
            for proposal in item.proposals
        ]
    return desk.page(request, "stress_review.html", status, **facts)


def told_rule(rule: str) -> str:
    """Description of the change to an utterance, in the reader's language if there is a translation."""
    if (translated := worded(rule)) != rule:
        return translated
    if (match := _INSTEAD.fullmatch(rule)) is None:
        return rule
    return gettext("“%(new)s” for “%(old)s”", new=match["new"], old=match["old"])


def _named() -> dict[str, str]:
    """The verdicts in words; each begins with its key."""
    return {
        "pass": gettext("Pass: served equally well"),
        "fail": gettext("Fail"),
        "clarification": gettext("Clarification: asks again"),
        "unsure": gettext("Unsure"),
        "invalid_variant": gettext("Invalid: different meaning"),
    }


def _case_facts(one: JudgedCase | None, alike: Sequence[JudgedCase], name: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"one": one, "verdicts": VERDICTS}
    if one is not None:
        facts["test"], facts["before"] = _test(one.case.test), one.people.get(name)
        facts["pieces"] = difference(one.case.original, one.case.variant)
        facts["alike"] = [similar for similar in alike if similar is not one]
        facts["sides"] = [
            (gettext("With the original"), _turns(one.clean)),
            (gettext("With the variant"), _turns(one.variant)),
        ]
    return facts


def _turns(replay: ReplayFinished | None) -> list[dict[str, Any]]:
    if replay is None:
        return []
    return [
        {"party": turn["party"], "text": turn["text"], "injected": place == replay.injected}
        for place, turn in enumerate(replay.turns)
    ]


def _test(name: str) -> StressTest:
    """The test by its name; a suite may bring tests of its own."""
    if name in STRESS_TESTS:
        return STRESS_TESTS.get(name)
    return StressTest(
        name=name, title=N_("a custom test of the suite"), family="spelling", meaning="", source=""
    )
