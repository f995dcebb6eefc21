"""The page for a visit's state, and its content."""

from hashlib import sha256
from typing import Any, Final

from babel.numbers import format_decimal
from fastapi.responses import HTMLResponse

from vivavoce.languages.base import locale_of
from vivavoce.log.history import DialogueHistory
from vivavoce.participant.arena import arena_page
from vivavoce.participant.documents import read_document
from vivavoce.participant.forms import asked_form
from vivavoce.participant.i18n import page_language
from vivavoce.participant.site import Site
from vivavoce.participant.stimulus import stimulus_page
from vivavoce.participant.transcript import growing, offered, transcript
from vivavoce.steps.form import Form, filled_form
from vivavoce.study.channel import channel_of
from vivavoce.study.recruiter import HandBack
from vivavoce.study.step_kind import consent_of, kind_of
from vivavoce.trial.codes import new_key
from vivavoce.trial.state import VisitState

PROBLEMS: Final = {
    "unknown",
    "reused",
    "other_visit",
    "too_many",
    "not_over",
    "paused",
    "too_long",
    "empty",
    "busy",
    "too_fast",
}


def visit_page(
    site: Site,
    state: VisitState,
    *,
    problem: str | None = None,
    confirm: bool = False,
    view: str = "",
    back: HandBack | None = None,
    fingerprint: str | None = None,
) -> HTMLResponse:
    """Current page of a visit.

    problem  a word of PROBLEMS that the page explains; confirm: ask whether a short dialogue shall end
    back     what the recruiter gives whoever is done; None: nobody recruited them
    fingerprint  of the log at the end of the visit, which the participant may note
    view     what of a stimulus is asked for, where its page shows it in parts; again: the last one anew
    """
    facts = common(state, problem)
    language = state.language
    if state.phase == "ended":
        back = back or HandBack(state.completion_code)
        facts |= {"outcome": state.outcome, "cap": state.cap, "fingerprint": fingerprint}
        return site.page("end", language, **facts, code=back.code, back=back)
    if state.battles_due is not None:
        return arena_page(site, state, facts)
    if state.phase == "ready":
        return _between(site, state, facts)
    if state.phase == "stimulus":
        return stimulus_page(site, state, facts, view)
    form = asked_form(site.study, state)
    if form is not None:
        return _form(site, state, facts, form)
    if state.phase == "page":
        return _text(site, state, facts)
    return _dialogue(site, state, facts, problem, confirm)


def common(state: VisitState, problem: str | None = None) -> dict[str, Any]:
    known_problem = problem if problem in PROBLEMS else None
    return {"state": state, "in_visit": True, "problem": known_problem}


def task_words(dialogue: DialogueHistory, language: str) -> str:
    """Task in this language, else in the dialogue's, else in any; "" without a task."""
    return ((dialogue.task or {}).get("text") or {}).get(language) or dialogue.task_text or ""


def _form(site: Site, state: VisitState, facts: dict[str, Any], form: Form) -> HTMLResponse:
    """A questionnaire, blank or as it came back with something missing."""
    entered = site.unfinished.entered(state.visit_id, form.place)
    draft = sha256(f"{state.visit_id}:{form.place}".encode()).hexdigest()[:16]
    dialogue = state.dialogue if form.round is not None else None
    return site.page(
        "questionnaire",
        state.language,
        **facts,
        draft=draft,
        form=form if entered is None else filled_form(form, entered),
        entries=transcript(dialogue, state.dialogue_plan.shows) if dialogue else [],
    )


def _text(site: Site, state: VisitState, facts: dict[str, Any]) -> HTMLResponse:
    step = state.current_step
    if step is None:
        raise LookupError("a visit past its last step has ended")
    document, kind = read_document(site.study.text(step, state.language)), kind_of(step)
    if consent_of(step) is not None:
        return site.page("consent", state.language, **facts, document=document)
    return site.page("text", state.language, of=kind, **facts, document=document, kind=kind)


def _between(site: Site, state: VisitState, facts: dict[str, Any]) -> HTMLResponse:
    first, over = state.round == 0 and state.fruitless == 0, site.engine.rules.time_over(state)
    return site.page(
        "paused" if first and not over else "between",
        state.language,
        **facts,
        repeat=state.repeat,
        over=over,
        needed=state.dialogue_plan.nontrivial.user_turns,
    )


def _dialogue(
    site: Site, state: VisitState, facts: dict[str, Any], problem: str | None, confirm: bool
) -> HTMLResponse:
    step, dialogue = state.dialogue_plan, state.dialogue
    channel = channel_of(step.channel)
    if dialogue is None:
        raise LookupError("a visit that is talking has a dialogue")
    in_chat = channel is None or channel.in_chat
    facts |= {
        "dialogue": dialogue,
        "repeat": state.repeat,
        "task": task_words(dialogue, state.language),
        "embedded": step.external is None and in_chat,
        "left_s": site.engine.rules.left_s(state),
    }
    if channel is not None:
        facts["problem"] = problem if problem in channel.problems else facts["problem"]
        line = site.lines.get(channel.name)
        facts.update(channel.facts(site.study, line, state, facts["problem"]))
    if channel is not None and not in_chat:
        return site.page(channel.page, state.language, of=channel, **facts)
    if step.external is not None:
        document = read_document(site.study.document(step.external, state.language))
        return site.page("elsewhere", state.language, **facts, document=document)
    too_short = step.gate != "none" and not dialogue.nontrivial(step)
    waiting = dialogue.running and (dialogue.unanswered is not None or not dialogue.greeted)
    minutes, spoken = site.study.limits.dialogue_minutes, page_language(state.language)
    facts.update(minutes=minutes, minutes_shown=format_decimal(minutes, "0.##", locale=locale_of(spoken)))
    chat, of = (channel.page, channel) if channel is not None else ("chat", None)
    return site.page(
        chat if dialogue.running else "code",
        state.language,
        of=of,
        **facts,
        entries=transcript(dialogue, step.shows),
        choices=offered(dialogue),
        waiting=waiting,
        growing=growing(dialogue),
        too_short=too_short,
        confirm=confirm and too_short,
        needed=step.nontrivial.user_turns,
        max_chars=site.study.limits.max_chars,
        key=new_key("form"),
        tab=site.tabs.take_over(state.visit_id),
        seq=state.seq,
    )
