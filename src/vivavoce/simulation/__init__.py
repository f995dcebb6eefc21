"""Simulated users and channel noise; everything they take part in is marked as simulated.

Agenda: `agenda_user` for venues, `domain_agenda_user` for other goals. Noise: `asr_channel`.
"""
