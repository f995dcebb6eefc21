"""Recruitment and money: where participants come from, what they are paid, and a ledger of every payment."""
