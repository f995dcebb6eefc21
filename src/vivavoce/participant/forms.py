"""The questionnaire that a visit is at, and incomplete forms that came back."""

from vivavoce.steps.form import Form, blank_form
from vivavoce.study.model import Study
from vivavoce.study.step_kind import form_of
from vivavoce.trial.state import VisitState


def asked_form(study: Study, state: VisitState) -> Form | None:
    """The questionnaire that the visit is at; None when it is elsewhere."""
    if state.phase == "feedback":
        step, number = state.dialogue_plan.feedback[state.position], state.round
    elif state.phase == "page":
        step, number = form_of(state.current_step), None
    else:
        step, number = None, None
    if step is None:
        return None
    channel = state.dialogue.channel if state.dialogue else "text"
    return blank_form(
        study,
        step.name,
        state.language,
        step=state.step,
        round=number,
        position=state.position,
        channel=channel,
    )
