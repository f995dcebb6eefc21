"""The answering machine: its messages one by one, from whom, when, said again, kept and deleted."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.house.home import Home
from vivavoce_bots.house.snippets import Snippet, forms

Chosen = tuple[int, ...]
_FEW: Final = 5  # words of an answer that names a message and says nothing else


class Served(NamedTuple):
    """What a service says and does, and what it asks back."""

    text: str
    acts: tuple[Act, ...] = ()
    asks: str | None = None


class Memory(Protocol):
    """What the answering machine remembers: the messages that are left, the one that was told last."""

    language: str
    messages: Chosen
    told_message: Chosen
    topic: str | None


class AnsweringMachine:
    """The answering machine of one flat."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def named(self, memory: Memory, text: str) -> Chosen:
        """The messages that a text means by who left them, by what they are about, or by their number."""
        every = self._home.messages[memory.language]
        found = [
            at for at, one in enumerate(every) if re.search(rf"\b(?:{'|'.join(one['words'])})\b", text, re.I)
        ]
        if not found and (memory.topic == "messages" or forms(memory.language)["message"].search(text)):
            for at, name in enumerate(("today_message", "yesterday_message")):
                found += [at] if forms(memory.language)[name].search(text) else []
            for at, name in enumerate(("first_message", "second_message")):
                if not found and forms(memory.language)[name].search(text):
                    found = [*memory.messages[at : at + 1]]
        return tuple(found)

    def take(
        self,
        memory: Memory,
        said: Snippet,
        words: Mapping[str, Any],
        keeps: Chosen,
        around: str,
        near: str,
        *,
        device: bool,
        acts: bool,
    ) -> Served | None:
        """What a snippet asks of the machine; None where it asks nothing of it.

        around  the whole turn
        near    the snippet before this one
        keeps   the messages that the turn says are to stay
        device  whether the snippet names a device or a room
        acts    whether it says what is done with devices
        """
        known, text = forms(memory.language), said.text
        named = self.named(memory, text)
        echoes = said.asks and len(text.split()) == 1 and named  # Paola? which Paola?
        if echoes and len(around.split()) > 1 and memory.topic == "messages":
            return Served("")
        spoken_of = known["message"].search(text) or known["called"].search(text)
        topic = memory.topic == "messages" and not device and not acts
        if known["blinks"].search(text) or (topic and known["lamp_of_it"].search(text)):
            return self._blinking(memory, text, words)
        plainly = known["was_deleted"].match(text) and topic
        if (said.asks or plainly) and known["was_deleted"].search(text) and (spoken_of or topic or named):
            return self.left(memory, words)  # did you keep it or delete it?
        if known["delete"].search(text) and (spoken_of or named or topic) and not (device and not spoken_of):
            return self._delete(memory, said, words, named, keeps, near, around)
        if named and known["keep"].search(text):
            return Served("")
        if known["they_said"].search(text) and known["tell"].search(text) and self.named(memory, near):
            return self._told(memory, self.named(memory, near), words)
        if device or not (spoken_of or named or topic):
            return None
        if known["own_call"].search(text) and not said.asks:
            return Served("")
        if known["return_call"].search(text):
            return None
        if topic and known["keep"].search(text) and not said.asks and len(text.split()) <= 4:
            return Served(words["kept_messages"])
        when, tells = known["when"].search(text), known["tell"].search(text)
        begins = when and (when.start() == 0 or (tells and tells.start() < when.start()))
        if when and (begins or said.asks or (named and len(text.split()) <= _FEW)):
            which = named or self.named(memory, near) or memory.told_message or memory.messages
            return self._told(memory, which, words, "when")
        if known["who"].search(text) and (named or topic) and (said.asks or len(text.split()) <= 3):
            return self._only(memory, named or memory.told_message, words)
        if known["number_of"].search(text) and (named or topic):
            return self._only(memory, named or memory.told_message, words)
        elsewhere = (
            known["message"].search(around)
            or known["called"].search(around)
            or known["blinks"].search(around)
        )
        if (
            topic
            and (said.asks or known["asking"].match(text))
            and known["they_said"].search(text)
            and (named or not elsewhere)
        ):
            return self._only(memory, named or self.named(memory, near) or memory.told_message, words)
        asks = said.asks or known["called"].match(text) is not None
        if spoken_of and not named and (other := known["of_others"].search(text)):
            return self._not_from(memory, other[0], words)
        if named and (said.asks or known["play"].search(text) or known["tell"].search(text) or spoken_of):
            return self._told(memory, named, words)
        by_day = known["today_message"].search(text) or known["yesterday_message"].search(text)
        if named and topic and by_day and len(text.split()) <= _FEW:
            return self._told(memory, named, words)
        if topic and known["other_message"].search(text) and known["keep"].search(text):
            return Served("")
        if topic and known["other_message"].search(text) and (said.asks or len(text.split()) <= 3):
            rest = tuple(message for message in memory.messages if message not in memory.told_message)
            return self._told(memory, rest or memory.messages, words)
        if topic and known["again"].search(text):
            return self._told(memory, self.named(memory, around) or memory.messages, words)
        if spoken_of and not said.asks and known["delete"].search(around):
            return Served("")  # the message! delete it
        if spoken_of and not asks and memory.told_message and not known["play"].search(text):
            return Served("")  # nobody called then
        if spoken_of:
            told = self._told(memory, memory.messages, words)
            waits = known["expects"].search(around) and memory.messages  # my sister was going to ring
            return told._replace(text=f"{told.text} {words['not_from_else']}") if waits else told
        return Served("") if named and memory.topic == "messages" else None

    def answered(
        self, memory: Memory, text: str, words: Mapping[str, Any], *, yes: bool, no: bool
    ) -> Served | None:
        """What the answer to `shall I delete them?` or `shall I play them?` brings about."""
        known, named = forms(memory.language), self.named(memory, text)
        only = known["only"].search(text)
        if named and known["keep"].search(text) and not only:
            return self._deleted(
                memory, tuple(message for message in memory.messages if message not in named), words
            )
        plain = not (yes or no) and len(text.split()) <= _FEW
        if named and (only or known["delete"].search(text) or plain):
            return self._deleted(memory, named, words)
        if yes or (known["delete"].search(text) and not no) or known["all_messages"].search(text):
            return self._deleted(memory, memory.messages, words)
        return Served(words["kept_messages"]) if no else None

    def play(self, memory: Memory, words: Mapping[str, Any]) -> Served:
        return self._told(memory, memory.messages, words)

    # --- what it does ------------------------------------------------------------------------------------

    def _told(self, memory: Memory, which: Chosen, words: Mapping[str, Any], part: str = "says") -> Served:
        every = self._home.messages[memory.language]
        there = tuple(one for one in which if one in memory.messages)
        memory.topic = "messages"
        acts = (
            stating("inform", "done", "messages"),
            stating("inform", "messages", str(len(memory.messages))),
        )
        if not there:
            return Served(words["message_gone" if which and memory.messages else "none_there"], acts)
        memory.told_message = there
        told = " ".join(str(every[one][part]) for one in there)
        if part == "says" and there == memory.messages:
            form = words["messages" if len(there) > 1 else "message"]
            return Served(form.format(count=len(there), first=told), acts)
        return Served(told, acts)

    def left(self, memory: Memory, words: Mapping[str, Any]) -> Served:
        """Which messages there still are."""
        names = [str(self._home.messages[memory.language][message]["of"]) for message in memory.messages]
        return Served(
            words["still_there"].format(left=listed(names, words)) if names else words["none_there"]
        )

    def _only(self, memory: Memory, which: Chosen, words: Mapping[str, Any]) -> Served:
        told = self._told(memory, which or memory.messages, words)
        return told._replace(text=words["no_more_known"].format(told=told.text))

    def _not_from(self, memory: Memory, who: str, words: Mapping[str, Any]) -> Served:
        known = memory.told_message == memory.messages
        told = self._told(memory, memory.messages, words)
        if memory.messages and known:
            return told._replace(text=words["not_from"])
        return told._replace(text=f"{words['not_from']} {told.text}") if memory.messages else told

    def _blinking(self, memory: Memory, text: str, words: Mapping[str, Any]) -> Served:
        memory.topic = "messages"
        if not memory.messages:
            return Served(words["no_blinking"])
        if memory.told_message or forms(memory.language)["put_out"].search(text):
            return Served(words["blinks_until"], (), "delete")
        return Served(words["blinks"].format(count=len(memory.messages)), (), "play")

    def _delete(
        self,
        memory: Memory,
        said: Snippet,
        words: Mapping[str, Any],
        named: Chosen,
        keeps: Chosen,
        near: str,
        around: str,
    ) -> Served:
        known, text = forms(memory.language), said.text
        memory.topic = "messages"
        if known["not_delete"].search(text):
            return Served(words["kept_messages"])
        if not memory.messages:
            return Served(words["none_there"])
        behind = around[around.find(text) + len(text) :]
        if (rather := known["rather_not"].search(behind)) and known["keep"].search(behind, rather.end()):
            return Served(words["kept_messages"])  # delete it? or no, keep it
        if not named and known["other_message"].search(text) and memory.told_message:
            named = tuple(message for message in memory.messages if message not in memory.told_message)
        single = known["single_message"].search(text)
        if not named and single:  # the bicycle is not mine; delete it
            named = self.named(memory, near)
        if not named and single and len(memory.told_message) == 1:
            named = memory.told_message
        if not (named or known["all_messages"].search(text) or known["message"].search(text)):
            named = self.named(memory, near)  # the bicycle! delete it
        if not named and keeps:
            named = memory.messages
        if known["only_asked"].search(text) and said.asks and not named:
            return Served(words["can_delete"], (), "delete")
        named = tuple(one for one in named if one not in keeps)
        return self._deleted(memory, named, words) if named else Served("", (), "delete")

    def _deleted(self, memory: Memory, which: Chosen, words: Mapping[str, Any]) -> Served:
        every = self._home.messages[memory.language]
        gone = tuple(one for one in which if one in memory.messages)
        if not gone:
            return Served(words["message_gone"])
        memory.messages = tuple(message for message in memory.messages if message not in gone)
        memory.topic, memory.told_message = "messages", ()
        acts = (stating("inform", "done", "messages_deleted"),)
        if len(gone) > 1 or not memory.messages:
            return Served(words["deleted"], acts)
        names = [str(every[one]["of"]) for one in (*gone, *memory.messages)]
        return Served(words["deleted_one"].format(gone=names[0], left=listed(names[1:], words)), acts)


def listed(names: Sequence[str], words: Mapping[str, Any]) -> str:
    return str(words["and"]).join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
