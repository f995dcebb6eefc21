"""Questionnaires as data: an instrument is a scoring key, a wording gives its sentences in one language."""

from vivavoce.questionnaires.instrument import INSTRUMENTS, Instrument, Item, Wording, load_wording

__all__ = ["INSTRUMENTS", "Instrument", "Item", "Wording", "load_wording"]
