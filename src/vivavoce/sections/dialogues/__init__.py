"""The course of dialogues, in measures."""
