"""Counts the carbohydrates of a meal, in English and Italian, with strategies to switch."""
