"""The channel `phone`: participants call the laboratory, or are called by it."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Any, get_args

from vivavoce.core.errors import InputError
from vivavoce.core.extras import install_command
from vivavoce.core.ports import require_free
from vivavoce.core.yaml_source import KeyPath, Source
from vivavoce.steps.base import SPOKEN
from vivavoce.study.channel import Channel
from vivavoce.study.file import StudyFile
from vivavoce.study.model import Study
from vivavoce.study.outbound import Outbound
from vivavoce.study.step_kind import Information, Message
from vivavoce.study.steps import DialoguePlan
from vivavoce.study.telephone import AsteriskSettings, Telephone
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
        if study.telephone is None:
            return []
        doubts = speech_doubts(study, "telephone", study.telephone)
        return [*doubts, *telephone_warnings(study.telephone)]

    def check(self, at: KeyPath, plan: DialoguePlan, file: StudyFile, source: Source) -> None:
        if file.telephone is None:
            problem = "telephone dialogues need the section `telephone`"
            source.report((*at, "channel"), problem, "add telephone: {number: ...}")
        else:
            check_telephone(file.telephone, source)
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


def check_telephone(telephone: Telephone, source: Source) -> None:
    """Report incomplete settings of the telephone, once for all steps."""
    if telephone.asterisk is not None:
        _check_ports(telephone.asterisk, source)
    if telephone.number is None and telephone.outbound is None:
        hint = "write the number to dial, or outbound: {allowed: [...]} for calls from the laboratory"
        source.report(("telephone", "number"), "'number' is missing", hint)
    source.problems[:] = dict.fromkeys(source.problems)


def _check_ports(asterisk: AsteriskSettings, source: Source) -> None:
    """Report duplicate addresses and invalid ports."""
    for name in ("agi", "audio"):
        address: str = getattr(asterisk, name)
        if int(address.rpartition(":")[2]) > 65_535:
            path = ("telephone", "asterisk", name)
            source.report(path, f"{address!r}: invalid port", "write one from 1 to 65535")
    if asterisk.agi == asterisk.audio:
        problem = f"{asterisk.audio!r} is where Asterisk asks for the route"
        source.report(("telephone", "asterisk", "audio"), problem, "write another port")


def telephone_warnings(telephone: Telephone) -> list[str]:
    """Warnings about reachable ports and impossible calls, one line each."""
    found = outbound_warnings(telephone.outbound, os.environ) if telephone.outbound is not None else []
    if telephone.asterisk is None:
        return found
    for name in ("agi", "audio"):
        address: str = getattr(telephone.asterisk, name)
        if not _on_loopback(address):
            problem = f"{address} is reachable from other machines, which could then make calls"
            hint = "write 127.0.0.1, or admit only Asterisk in the firewall"
            found.append(str(InputError(problem, place=f"telephone.asterisk.{name}", hint=hint)))
    return found


def _on_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def outbound_warnings(outbound: Outbound, environment: Mapping[str, str]) -> list[str]:
    """Reasons why participants cannot be called, one line each."""
    input_errors: list[InputError] = []
    place = "telephone.outbound"
    if outbound.exchange is None and any(one.startswith("+") for one in outbound.allowed):
        problem = "outbound calls need an exchange"
        input_errors.append(InputError(problem, place=f"{place}.exchange", hint="write its HOST:PORT"))
    name = outbound.password[2:-1] if outbound.password else ""
    if name and not environment.get(name):
        hint = f"set the environment variable {name} where the service starts"
        input_errors.append(
            InputError(f"secret ${{{name}}} is not set", place=f"{place}.password", hint=hint)
        )
    if outbound.password and outbound.username is None:
        hint = "add our user name at the exchange"
        input_errors.append(
            InputError("a password without a user name", place=f"{place}.username", hint=hint)
        )
    if find_spec("phonenumbers") is None:
        hint = install_command("telephone")
        input_errors.append(
            InputError("the package phonenumberslite is not installed", place=place, hint=hint)
        )
    return [str(input_error) for input_error in input_errors]
