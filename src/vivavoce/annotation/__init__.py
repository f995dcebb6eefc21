"""Judgements of people and programs about logged turns."""
