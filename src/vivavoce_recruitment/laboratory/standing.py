"""How a booking stands: whether its person may begin now, and where the pages say so."""

from datetime import datetime
from typing import Final, Literal

from vivavoce_recruitment.laboratory.bookings import Booking, plain_code
from vivavoce_recruitment.laboratory.settings import LaboratorySettings

PARAMETER: Final = "seat"
"""Of a link, which has the code of a booking."""
Standing = Literal["unknown", "cancelled", "early", "open", "late", "begun"]


def booking_page(code: str) -> str:
    """Where the participants' pages say how a booking stands."""
    return f"/laboratory/booking?{PARAMETER}={plain_code(code)}"


def standing_of(settings: LaboratorySettings, booking: Booking | None, now: datetime) -> Standing:
    """Whether somebody with this booking may begin now, or else why not."""
    if booking is None:
        return "unknown"
    if booking.let_in:
        return "open"
    if booking.visit_id is not None:
        return "begun"
    if booking.seat is None:
        return "cancelled"
    if now < settings.opens(booking.start):
        return "early"
    return "open" if now <= settings.closes(booking.start) else "late"
