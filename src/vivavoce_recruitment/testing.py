"""The contract of recruiters: what each must hold to, ours and anybody's."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from pydantic import BaseModel, ValidationError

from vivavoce.core.clock import ManualClock
from vivavoce.log.store import Log
from vivavoce.study.recruiter import RECRUITERS, HandBack, NotAdmitted, Recruiter
from vivavoce_recruitment.platform import OUTCOMES, PaidRecruiter

STUDY = "contract"


class RecruiterContract:
    """Tests that every recruiter must pass; a subclass says what it is tried with.

    name     its entry point's
    written  sound settings, as a study file has them
    guess    parameters of a link that claims to come from here, without proof
    """

    name: ClassVar[str]
    written: ClassVar[Mapping[str, Any]]
    guess: ClassVar[Mapping[str, str]]

    def test_it_says_what_it_is(self) -> None:
        recruiter = self.recruiter
        assert recruiter.name == self.name and recruiter.summary
        assert issubclass(recruiter.settings, BaseModel)

    def test_an_unknown_key_is_refused(self) -> None:
        try:
            self.recruiter.settings.model_validate({**self.written, "nonsense": True})
        except ValidationError as error:
            assert [detail["type"] for detail in error.errors()] == ["extra_forbidden"]
        else:
            raise AssertionError("nonsense was taken")

    def test_a_link_without_its_parameters_comes_from_elsewhere(self) -> None:
        assert not self.recruiter.claims(self.settings, {})
        assert self.recruiter.claims(self.settings, self.guess)

    def test_a_claim_is_no_proof(self) -> None:
        with self.log() as log:
            try:
                admitted = self.recruiter.admit(self.settings, STUDY, log, self.guess)
            except NotAdmitted:
                return
            assert not admitted.verified

    def test_everybody_is_handed_something_whatever_came_of_the_visit(self) -> None:
        with self.log() as log:
            for outcome in (*OUTCOMES, "timed_out", None):
                handed_back = self.recruiter.hand_back(self.settings, STUDY, log, outcome, "CODE")
                assert isinstance(handed_back, HandBack) and (
                    handed_back.url is None or handed_back.url.startswith("https://")
                )

    def test_codes_differ_by_outcome_and_each_time(self) -> None:
        if isinstance(self.recruiter, PaidRecruiter):
            first, second = self.recruiter.codes(), self.recruiter.codes()
            assert set(first) == set(OUTCOMES)
            assert len({*first.values(), *second.values()}) == 2 * len(OUTCOMES)

    @property
    def recruiter(self) -> Recruiter:
        return RECRUITERS.get(self.name)

    @property
    def settings(self) -> Any:
        return self.recruiter.settings.model_validate(self.written)

    @contextmanager
    def log(self) -> Iterator[Log]:
        """An empty log."""
        with (
            TemporaryDirectory() as folder,
            Log.open(f"sqlite:///{Path(folder) / 'log.sqlite'}", ManualClock()) as log,
        ):
            yield log
