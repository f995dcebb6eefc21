"""Discourse strategies that change words and nothing else: empathy and alignment (Guerini et al. 2018)."""

import re

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.text import stem, tokenise


class Strategies:
    """Words that take up the user's feelings, and the user's own words for things."""

    def __init__(self, bot: BotFile) -> None:
        self.empathy, self.alignment = bot.settings["empathy"], bot.settings["alignment"]
        self.feelings = [
            ({stem(word) for word in feeling["words"]}, feeling["says"]) for feeling in bot.feelings.values()
        ]
        self.synonyms = bot.synonyms

    def take_up_feeling(self, text: str) -> str:
        """First words to someone who is worried or glad; none without empathy."""
        stems = {stem(word) for word in tokenise(text)} if self.empathy else set()
        return next((says for words, says in self.feelings if words & stems), "")

    def note_words(self, text: str, called: dict[str, str]) -> None:
        """Remember what the user calls the things that have several names."""
        spoken = f" {' '.join(tokenise(text))} "
        for names in self.synonyms if self.alignment else []:
            spoken_names = [name for name in names if f" {name.lower()} " in spoken]
            called |= {names[0]: spoken_names[0]} if spoken_names else {}

    @staticmethod
    def align(text: str, called: dict[str, str]) -> str:
        """The bot's sentence in the words of the user."""
        for usual, spoken_name in called.items():
            text = re.sub(rf"\b{re.escape(usual)}\b", spoken_name, text)
        return text
