"""The recruiter `laboratory`: whoever booked a seat begins in its session, with the code of the booking."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from vivavoce.log.store import Log
from vivavoce.study.recruiter import Admission, HandBack, NotAdmitted
from vivavoce.study.steps import Range
from vivavoce_recruitment.laboratory.bookings import NAME, Bookings, plain_code
from vivavoce_recruitment.laboratory.settings import LaboratorySettings, Words
from vivavoce_recruitment.laboratory.standing import PARAMETER, booking_page, standing_of
from vivavoce_recruitment.platform import SheetRecruiter, Terms


class Laboratory(SheetRecruiter):
    """A code proves who comes, in the session that they booked; it is used at one computer."""

    name = NAME
    settings = LaboratorySettings
    summary = "bookings for supervised laboratory sessions"
    place = "the laboratory"
    columns = ("booking", "outcome", "bonus")

    @property
    def router(self) -> Any:
        from vivavoce_recruitment.laboratory.booking_pages import router

        return router

    def claims(self, settings: LaboratorySettings, query: Mapping[str, str]) -> bool:
        return PARAMETER in query

    def admit(
        self, settings: LaboratorySettings, study: str, log: Log, query: Mapping[str, str]
    ) -> Admission:
        bookings, code = Bookings(log, study), query.get(PARAMETER, "")[:100]
        booking = bookings.of(code)
        if booking is None or standing_of(settings, booking, log.clock.now()) not in ("open", "begun"):
            raise NotAdmitted("not_proven", page=booking_page(code))
        if booking.waiting_since is not None:
            bookings.end_wait(code)
        anywhere = booking.let_in and bookings.use_let_in(code)
        end = settings.session_at(booking.start).end
        return Admission(
            plain_code(code),
            booking.person,
            verified=True,
            page=None if anywhere else booking_page(code),
            until=end if log.clock.now() < end else None,
        )

    def hand_back(
        self, settings: LaboratorySettings, study: str, log: Log, outcome: str | None, code: str | None
    ) -> HandBack:
        return HandBack(code)

    def dialogues(self, settings: LaboratorySettings) -> Range | None:
        return settings.dialogues

    def words(self, settings: LaboratorySettings) -> dict[str, Words]:
        return {"room": settings.room, **({"bring": settings.bring} if settings.bring is not None else {})}

    def terms(self, settings: LaboratorySettings) -> Terms:
        return Terms(
            settings.reward,
            settings.places,
            settings.minutes,
            tuple(settings.bonuses),
            Decimal(0),
            settings.per_dialogue,
            settings.calls,
        )
