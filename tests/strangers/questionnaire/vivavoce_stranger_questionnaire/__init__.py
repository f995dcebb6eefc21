"""The folders beside this file hold a scoring key and its sentences."""
