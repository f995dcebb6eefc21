"""What the house tells and keeps: channels and programmes of the television, recordings, messages."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.spotting import Entry, Spotter, tokens
from vivavoce_bots.house.clauses import Clause
from vivavoce_bots.house.home import Home

_FEW: Final = 4  # words of a clause that names a programme and tells nothing else
_NUMBER: Final = re.compile(r"\d")
_ONE_ONLY: Final = re.compile(
    r"\b(?:(?:the|that) (?:one|message) (?:about|from|of|with)|not (?:both|all)"
    r"|(?:only|just) (?:the|that) \w+|quello (?:di|del|della|dell|su|sulla|che)|non (?:tutti|entrambi)"
    r"|solo (?:il|quello|quella))\b",
    re.I,
)
# What a service asks back, and the sentence for it.
SERVED: Final = {
    "programme": "which_channel", "television": "which_channel", "recording": "which_channel",
    "delete": "delete",
}  # fmt: skip


class Served(NamedTuple):
    """What a service says and does, and what it asks back."""

    text: str
    acts: tuple[Act, ...]
    asks: str | None = None


class Memory(Protocol):
    """What a service remembers in a conversation."""

    language: str
    state: dict[str, str]
    messages: bool
    channel: str | None
    told_of: str | None
    about: tuple[str, ...]
    recording: tuple[str, ...]


class Services:
    """The services of one flat."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._channels = {language: self._spotter(language) for language in ("en", "it")}

    def _spotter(self, language: str) -> Spotter:
        spotter = Spotter()
        for name, channel in self._home.channels.items():
            for phrase in channel[language]["words"]:
                spotter.learn(str(phrase), Entry("channel", name))
            for phrase in self._home.programmes[name]["words"][language]:
                spotter.learn(phrase, Entry("channel", name))
        return spotter

    def channel(self, session: Memory, text: str) -> str | None:
        """The channel that a text names, by itself or by one of its programmes."""
        found = self._channels[session.language].find(text, tokens(text))
        return found[-1].entry.slot if found else None

    def asks(self, service: str) -> tuple[Act, ...]:
        if service == "delete":
            return (stating("confirm", "done", "messages_deleted"),)
        return (Act("request", "channel"),)

    def told(self, session: Memory, clause: Clause, words: Mapping[str, Any]) -> Served | None:
        """What a clause asks of a service; None where it asks nothing of one."""
        if (
            clause.did("machine")
            or clause.deed == "delete"
            or (clause.deed == "play" and not clause.reference.said)
        ):
            return self._machine(session, clause, words)
        watching = set(session.about) <= {"television"} and session.told_of is not None
        if clause.deed == "on" and clause.reference.it and clause.reference.kind is None and watching:
            return self._of_channel(session, "television", "", words)  # put that on
        if clause.deed == "record":
            return self._of_channel(session, "recording", " ".join(clause.said), words)
        plain = clause.did("programme") and not (clause.deed or clause.asks or clause.did("guide", "channel"))
        if plain and session.channel and self.channel(session, " ".join(clause.said)) == session.channel:
            return None  # just a quiz, well
        on = session.about == ("television",) and session.state.get("television", "off") != "off"
        spoken_of = clause.did("programme") and (clause.asks or not clause.loose or len(clause.said) <= _FEW)
        if on and spoken_of and not (clause.asks or clause.did("guide")) and session.channel:
            return self._of_channel(session, "television", " ".join(clause.said), words)
        asked = clause.asks and clause.did("channel") and self.channel(session, " ".join(clause.said))
        if clause.did("guide") or (spoken_of and clause.deed != "watch") or asked:
            return self._of_channel(session, "programme", " ".join(clause.said), words)
        other = clause.reference.kind not in (None, "television")
        tunes = clause.did("channel") or spoken_of or (clause.deed == "watch" and not other)
        said = " ".join(clause.said)
        named = clause.reference.kind == "television" and self.channel(session, said) and clause.deed != "off"
        if tunes and clause.asks and session.channel is not None:
            name = self._home.channels[session.channel][session.language]["name"]
            return Served(words["shows"].format(name=name), (stating("inform", "channel", session.channel),))
        if tunes or named:
            return self._of_channel(session, "television", said, words)
        return None

    def answered(
        self, session: Memory, service: str, heard: Heard, words: Mapping[str, Any]
    ) -> Served | None:
        """What the answer to a service's question brings about; None where it is no answer to that."""
        if service == "delete":
            return self._deleted(session, heard, words)
        if heard.did("negate") and self.channel(session, heard.text) is None:
            return Served(words["kept"], ())
        if self.channel(session, heard.text) is None or heard.did("kind", "plural", "called", "machine"):
            return None
        return self._of_channel(session, service, heard.text, words)

    def _of_channel(self, session: Memory, service: str, text: str, words: Mapping[str, Any]) -> Served:
        channel = self.channel(session, text)
        if channel is None and _NUMBER.search(in_digits(text, session.language)):
            return Served(words["no_channel"], (), service)
        if channel is None and service == "television":  # watch that: what was told of last
            channel, session.told_of = session.told_of, None
        if channel is None and service == "recording":  # record it
            channel = session.told_of or session.channel
        if channel is None and service == "programme":
            return self._evening(session, words)
        if channel is None:
            return Served("", (), service)
        language = session.language
        name = self._home.channels[channel][language]["name"]
        told = self._home.programmes[channel][language]
        acts = (stating("inform", "done", service), stating("inform", "channel", channel))
        if service == "television":
            session.channel = channel
            session.state[service] = "on"
            return Served(words["tuned"].format(name=name), acts)
        if service == "recording":
            session.recording = (*session.recording, channel)
            return Served(words["recorded"].format(name=name, told=told), acts)
        session.told_of = channel
        return Served(words["programme"].format(name=name, told=told).replace("su il ", "sul "), acts)

    def _evening(self, session: Memory, words: Mapping[str, Any]) -> Served:
        """What is on all channels, where none was named."""
        listed = [
            f"{channel[session.language]['name']}: {self._home.programmes[name][session.language]}"
            for name, channel in self._home.channels.items()
        ]
        return Served(
            words["evening"].format(told="; ".join(listed)), (stating("inform", "done", "programme"),)
        )

    def _machine(self, session: Memory, clause: Clause, words: Mapping[str, Any]) -> Served:
        messages = self._home.messages[session.language] if session.messages else ()
        if clause.deed == "delete" and messages:
            if _ONE_ONLY.search(" ".join(clause.said)):
                return Served(words["all_or_none"], (), "delete")
            return Served("", (), "delete")
        acts = (stating("inform", "done", "messages"), stating("inform", "messages", str(len(messages))))
        if not messages:
            return Served(words["none_there"], acts)
        return Served(words["messages"].format(count=len(messages), first=" ".join(messages)), acts)

    def _deleted(self, session: Memory, heard: Heard, words: Mapping[str, Any]) -> Served | None:
        """Only a clear yes deletes."""
        if heard.did("affirm") and not heard.did("negate"):
            session.messages = False
            return Served(words["deleted"], (stating("inform", "done", "messages_deleted"),))
        if _ONE_ONLY.search(heard.text):
            return Served(f"{words['all_or_none']} {words['kept_messages']}", ())
        return Served(words["kept_messages"], ()) if heard.did("negate") else None
