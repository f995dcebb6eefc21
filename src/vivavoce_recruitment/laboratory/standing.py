"""States of a booking, such as open or waiting, and the addresses of the pages that show them."""

from datetime import datetime
from typing import Final, Literal

from vivavoce_recruitment.laboratory.bookings import Booking, plain_code
from vivavoce_recruitment.laboratory.settings import LaboratorySettings

PARAMETER: Final = "seat"
"""Link parameter with the booking code."""
INVITATION: Final = "invitation"
"""Link parameter with the invitation token."""
Standing = Literal["unknown", "cancelled", "early", "open", "late", "begun"]


def booking_page(code: str) -> str:
    """Path of the page with a booking's state."""
    return f"/laboratory/booking?{PARAMETER}={plain_code(code)}"


def booking_link(address: str, token: str) -> str:
    """Link for an invited person to book; `address` is that of the participants' pages."""
    return f"{address.rstrip('/')}/laboratory?{INVITATION}={token}"


def may_wait(settings: LaboratorySettings, booking: Booking, now: datetime) -> bool:
    """True if somebody with this booking may be in the laboratory but cannot begin there alone."""
    today = settings.local(booking.start).date() == settings.local(now).date()
    return today and standing_of(settings, booking, now) in ("early", "late", "begun")


def standing_of(settings: LaboratorySettings, booking: Booking | None, now: datetime) -> Standing:
    """State of a booking: open, or the reason why its owner cannot begin now."""
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
