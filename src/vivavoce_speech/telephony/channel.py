"""The channel `phone`: participants call the laboratory, or are called by it."""

from collections.abc import Mapping
from typing import Any, get_args

from vivavoce.core.errors import InputError
from vivavoce.core.ports import require_free
from vivavoce.core.yaml_source import KeyPath, Source
from vivavoce.steps.base import SPOKEN
from vivavoce.study.channel import Channel
from vivavoce.study.file import StudyFile
from vivavoce.study.model import Study
from vivavoce.study.step_kind import Information, Message
from vivavoce.study.steps import DialoguePlan
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.state import VisitState
from vivavoce_speech.dialogue.speech_check import speech_doubts, speech_problems
from vivavoce_speech.telephony.outbound import MARK, Refusal
from vivavoce_speech.telephony.switchboard import Switchboard


class PhoneChannel(Channel):
    """Dialogues by telephone: participants call, or are called."""

    name = "phone"
    spoken, calls_out = True, True
    problems = frozenset(f"{MARK}{word}" for word in (*get_args(Refusal), "not_agreed"))

    @property
    def router(self) -> Any:
        from vivavoce_speech.telephony.pages import router

        return router

    def participant_info(self, study: Study) -> Information:
        lead = Message(
            "Thank you for your interest. In this study you call a computer program by telephone and help "
            "us evaluate it."
        )
        return Information(lead, needs=(Message("A telephone."),), keeps=(SPOKEN,))

    def preregistration_line(self) -> str:
        return "by telephone"

    def missing(self, study: Study) -> list[InputError]:
        return speech_problems(study, "telephone", study.telephone) if study.telephone else []

    def doubts(self, study: Study) -> list[str]:
        return speech_doubts(study, "telephone", study.telephone) if study.telephone else []

    def check(self, at: KeyPath, plan: DialoguePlan, file: StudyFile, source: Source) -> None:
        if file.telephone is None:
            problem = "telephone dialogues need the section `telephone`"
            source.report((*at, "channel"), problem, "add telephone: {number: ...}")
        if plan.gate != "code":
            problem = f"gate {plan.gate!r}: the page cannot detect the end of a call"
            source.report((*at, "gate"), problem, "set gate: code")
        if plan.external is not None:
            problem = "the step already shows a telephone number"
            source.report((*at, "external"), problem, "remove it, or set channel: text")

    def bridges(self, file: StudyFile) -> bool:
        return True

    def require(self, study: Study) -> None:
        """Check that the ports for Asterisk are free."""
        asterisk = study.telephone.asterisk if study.telephone is not None else None
        if asterisk is None:
            return
        for name in ("agi", "audio"):
            host, _, port = getattr(asterisk, name).rpartition(":")
            hint = "set another address, here and in Asterisk's dial plan"
            require_free(host.strip("[]"), int(port), place=f"telephone.asterisk.{name}", hint=hint)

    def open(self, engine: SessionEngine) -> Switchboard:
        if engine.study.telephone is None:
            raise LookupError("telephone dialogues need the section `telephone` in the study file")
        return Switchboard(engine, engine.study.telephone)

    def facts(self, study: Study, line: Any, state: VisitState, problem: str | None) -> Mapping[str, object]:
        """Call state: whether a call may be requested, its status, and whether it goes on."""
        facts = {"telephone": study.telephone}
        outbound = line.outbound if line is not None else None
        if outbound is None:
            return facts | {"calls": False, "told": "", "active": False}
        call = outbound.progress(state.visit_id)
        active = call.status in ("calling", "ringing", "talking")
        wrong = problem if problem in self.problems else None
        call_state = wrong or (call.outcome if call.status == "over" and call.outcome else call.status)
        return facts | {"calls": True, "told": call_state, "active": active}
