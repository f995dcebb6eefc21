"""Names that no list knows, such as those of persons: values of `name` slots."""

from collections.abc import Collection

from vivavoce_bots.engine.bot_file import BotFile, Slot
from vivavoce_bots.engine.text import BREAKS
from vivavoce_bots.engine.values import Mention

_LONGEST_NAME = 3  # words


class NameFinder:
    """Finds names by the words around them: my surname is Conti, to Maria, or nothing but Maria."""

    def __init__(self, bot: BotFile, fillers: Collection[str], vocabulary: Collection[str]) -> None:
        self.slots = {slot.name: slot for slot in bot.slots.values() if slot.type == "name"}
        own_words = [word for slot in self.slots.values() for word in (*slot.nouns, *slot.markers)]
        self.vocabulary = {*vocabulary, *own_words}
        self.small = {*fillers, *bot.words["corrections"], *BREAKS}

    def find(
        self,
        tokens: list[str],
        mentions: list[Mention],
        open_slots: Collection[str],
        asked: Collection[str],
        capitals: set[str],
    ) -> list[Mention]:
        """Names of the open slots; `asked` are those that a bare name answers."""
        listed = {mention.slot for mention in mentions}
        covered = {position for mention in mentions for position in range(mention.start, mention.end)}
        names: list[Mention] = []
        named_places: set[int] = set()
        for slot in self.slots.values():
            if slot.name not in {*open_slots, *asked} or slot.name in listed:
                continue
            runs = self._runs(tokens, covered, named_places, capitals)
            place = self._labelled(slot, tokens, named_places) or self._marked(slot, tokens, runs)
            if not place and slot.name in asked:
                place = self._bare(slot, tokens, runs, capitals)
            if place and len(place) <= _LONGEST_NAME:
                names += self._mentions(slot, tokens, place)
                named_places |= set(place)
        return names

    def _labelled(self, slot: Slot, tokens: list[str], taken: set[int]) -> range | None:
        """Words behind a noun of the slot: my surname is Conti."""
        other_nouns = {noun for slot_beside in self.slots.values() for noun in slot_beside.nouns} - set(
            slot.nouns
        )
        if other_nouns & set(tokens) or not set(slot.nouns) & set(tokens):
            return None
        start = next((place + 1 for place, word in enumerate(tokens) if word in slot.nouns), len(tokens))
        skipped = {*slot.nouns, *slot.markers, *self.small} - BREAKS
        while start < len(tokens) and tokens[start] in skipped:
            start += 1
        end = start
        while end < len(tokens) and tokens[end] not in BREAKS and end not in taken:
            end += 1
        return range(start, end) if 0 < end - start < _LONGEST_NAME else None

    @staticmethod
    def _marked(slot: Slot, tokens: list[str], runs: list[range]) -> range | None:
        """Unknown words behind a marker: to Maria."""
        return next((run for run in runs if run.start and tokens[run.start - 1] in slot.markers), None)

    def _bare(self, slot: Slot, tokens: list[str], runs: list[range], capitals: set[str]) -> range | None:
        """Words with a capital, or unknown words that are all of an answer but for small words."""
        capital_run = next((run for run in runs if capitals.issuperset(tokens[run.start : run.stop])), None)
        if capital_run is not None and "?" not in tokens:
            return capital_run
        small = {*self.small, *slot.nouns, *slot.markers}
        outside = [word for place, word in enumerate(tokens) if not any(place in run for run in runs)]
        return runs[0] if runs and set(outside) <= small else None

    def _runs(self, tokens: list[str], covered: set[int], taken: set[int], capitals: set[str]) -> list[range]:
        """Places of words that are unknown, or written with a capital."""
        runs: list[range] = []
        for place, word in enumerate(tokens):
            is_known = word in self.vocabulary or len(word) < 2 or place in covered
            if not word.isalpha() or place in taken or (is_known and word not in capitals):
                continue
            if runs and runs[-1].stop == place:
                runs[-1] = range(runs[-1].start, place + 1)
            else:
                runs.append(range(place, place + 1))
        return runs

    def _mentions(self, slot: Slot, tokens: list[str], place: range) -> list[Mention]:
        """The name; with `rest`, its words behind the first are the value of that slot."""
        end = place.start + 1 if slot.rest and len(place) > 1 else place.stop
        parts = [(slot.name, place.start, end)]
        if end < place.stop:
            parts.append((slot.rest, end, place.stop))
        return [
            Mention(name, " ".join(tokens[start:stop]).title(), start, stop) for name, start, stop in parts
        ]
