"""What is on the television: channels, programmes and their times, what is shown, what will be recorded."""

import re
from collections.abc import Mapping
from typing import Any, Final, Protocol

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.spotting import Entry, Spotter, tokens
from vivavoce_bots.house.home import Home
from vivavoce_bots.house.messages import Served
from vivavoce_bots.house.snippets import Snippet, forms

_NUMBER: Final = re.compile(r"\d")
_SHORT: Final = 4  # letters of a number's word
_TO_WATCH: Final = re.compile(r"\b(?:watch|see|guardare|vedere)\b", re.I)
_FEW: Final = 4  # words of a snippet that names a channel and nothing else


class Watched(Protocol):
    """What is remembered of the television."""

    language: str
    state: dict[str, str]
    channel: str | None
    told_of: str | None
    about: tuple[str, ...]
    recording: tuple[str, ...]
    just: tuple[str, str] | None
    topic: str | None


class TelevisionGuide:
    """The channels of one flat's television and their evening."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._channels = {language: self._spotter(language, plain=True) for language in ("en", "it")}
        self._named = {language: self._spotter(language, plain=False) for language in ("en", "it")}

    def _spotter(self, language: str, *, plain: bool) -> Spotter:
        """`plain`: numbers alone and programmes name a channel, too."""
        spotter = Spotter()
        for name, channel in self._home.channels.items():
            for phrase in map(str, channel[language]["words"]):
                if plain or (len(phrase) > _SHORT and phrase not in ("primo", "secondo")):
                    spotter.learn(phrase, Entry("channel", name))
            for phrase in self._home.programmes[name]["words"][language] if plain else ():
                spotter.learn(phrase, Entry("channel", name))
        return spotter

    def channel(self, memory: Watched, text: str, *, named: bool = False) -> str | None:
        """The channel that a text names, by itself or by one of its programmes; the last of several."""
        known = (self._named if named else self._channels)[memory.language]
        found = known.find(text, tokens(text))
        return found[-1].entry.slot if found else None

    def programme(self, memory: Watched, text: str) -> str | None:
        """The channel of the programme that a text names."""
        said = tokens(text)
        for name, one in self._home.programmes.items():
            if any(word in said for word in one["words"][memory.language]):
                return name
        return None

    def take(
        self, memory: Watched, said: Snippet, words: Mapping[str, Any], around: str, *, other: bool
    ) -> Served | None:
        """What a snippet asks of the television's channels; None where it asks nothing of them.

        around  the whole turn
        other   whether the snippet names a device that is no television
        """
        known, text = forms(memory.language), said.text
        if known["record"].search(text):
            return self._record(memory, said, words, around)
        if (
            known["lasts"].search(text)
            and said.asks
            and (memory.topic == "television" or self.programme(memory, text))
        ):
            return Served(words["length"])
        so_far = around[: around.find(text)]
        radio = known["radio"].search(so_far) and not known["screen"].search(around)
        if known["radio"].search(text) and not known["screen"].search(text):
            asks = said.asks and (known["channel"].search(text) or known["guide"].search(text))
            asks = asks or known["tuned_to"].search(text)  # the radio on two
            return Served(words["one_station"]) if asks or known["on_radio"].search(text) else None
        if said.asks and known["stations"].search(text) and not known["screen"].search(around):
            return Served(words["one_station"])
        if memory.recording and memory.topic == "television" and known["part_of"].search(text):
            return Served(words["whole_evening"])
        if said.asks and known["channel"].fullmatch(text):
            return Served("")  # channel??
        programme = self.programme(memory, text)
        wanted = programme or self.channel(memory, text, named=True)
        if wanted and memory.just and not (other or said.asks) and known["rather"].search(around):
            return self._instead(memory, wanted, words)
        on_radio = radio or (memory.about == ("radio",) and not known["screen"].search(around))
        if on_radio and not (known["guide"].search(text) or programme) and known["channel"].search(text):
            return Served(words["one_station"])
        if other:
            return None
        asked = self._asked(memory, said, words, so_far, wanted)
        return asked or self._wished(memory, said, words, around, wanted)

    def _asked(
        self, memory: Watched, said: Snippet, words: Mapping[str, Any], so_far: str, wanted: str | None
    ) -> Served | None:
        """The answer to what a snippet asks of the programmes; `wanted` is the channel that it names."""
        known, text = forms(memory.language), said.text
        if known["watch"].search(text) and known["tuned_to"].search(text) and not known["when"].match(text):
            return None  # put it on two already, so that I am ready when it begins
        programme, shown = self.programme(memory, text), known["shown"].search(text)
        spoken_of = self.programme(memory, so_far)
        off = memory.state.get("television", "off") == "off"
        if said.asks and known["when"].search(text) and not programme and spoken_of:
            return self._when(memory, so_far, spoken_of, words)  # there is a concert? at what time?
        asks_when = said.asks or known["when"].match(text) or known["tell"].search(text)
        if programme and known["when"].search(text) and asks_when:
            return self._when(memory, text, programme, words)
        if said.asks and shown and not wanted:  # there is cycling; what channel is it on?
            spoken_of = spoken_of or (memory.told_of if off else None)
            return self._told(memory, spoken_of, words) if spoken_of else self._shown(memory, words)
        if said.asks and wanted and (shown or (wanted == memory.channel and memory.just)) and not programme:
            return self._shown(memory, words)
        if known["guide"].search(text) and known["watch"].search(text) and wanted and not said.asks:
            return self._tuned(memory, wanted, words)
        if known["guide"].search(text) or (said.asks and wanted):
            return self._told(memory, self.channel(memory, text), words)
        return None

    def _wished(
        self, memory: Watched, said: Snippet, words: Mapping[str, Any], around: str, wanted: str | None
    ) -> Served | None:
        """The channel that a snippet wants to be shown; `wanted` is the one that it names."""
        known, text = forms(memory.language), said.text
        programme, watches = self.programme(memory, text), known["watch"].search(text)
        screen, few = known["screen"].search(text), len(text.split()) <= _FEW
        topic = memory.topic == "television" or screen or memory.about == ("television",)
        named = known["channel"].search(text) or (wanted and not programme)
        if _TO_WATCH.search(text) and screen and not (wanted or programme or said.asks):
            return self._tune(memory, text, words)
        if named and (watches or screen or len(text.split()) <= 2 * _FEW):
            return self._tune(memory, text, words)
        if known["number"].search(text) and (
            (watches and known["tuned_to"].search(text)) or (topic and (watches or screen or few))
        ):
            return self._tune(memory, text, words)
        if programme and _TO_WATCH.search(text) and known["record"].search(around):
            return Served("")  # my nephew wants to see the match: record it
        if programme and watches and not said.asks:
            return self._tuned(memory, programme, words)
        if watches and topic and memory.told_of and known["that_one"].search(text):
            return self._tuned(memory, memory.told_of, words)
        spoken_of = self.programme(memory, around[: around.find(text)])
        if spoken_of and watches and topic and not programme and known["that_one"].search(text):
            return self._tuned(memory, spoken_of, words)  # the film will do, put it on
        if (
            programme
            and topic
            and few
            and known["please"].search(text)
            and not known["record"].search(around)
        ):
            return self._tuned(memory, programme, words)
        if programme and known["one_with"].match(text) and known["watch"].search(around):
            return self._tuned(memory, programme, words)  # put on the.. the one with the news
        bare = said.asks or len(text.split()) <= 2
        if programme and memory.topic != "television" and few and bare and not watches:
            return self._told(memory, programme, words)
        return Served("") if programme else None

    def answered(
        self, memory: Watched, service: str, text: str, words: Mapping[str, Any], *, no: bool, any_: bool
    ) -> Served | None:
        """What the answer to `which channel?` brings about; None where it is no answer to that."""
        if forms(memory.language)["radio"].search(text) and not forms(memory.language)["screen"].search(text):
            return None
        channel = self.channel(memory, text) or (next(iter(self._home.channels)) if any_ else None)
        if channel is None and no:
            return Served(words["kept"])
        if channel is None and _NUMBER.search(in_digits(text, memory.language)) and len(text.split()) <= _FEW:
            return Served(words["no_channel"], (), service)
        if channel is None:
            return None
        return (
            self._recorded(memory, channel, text, words)
            if service == "recording"
            else self._tuned(memory, channel, words)
        )

    def condensed(self, memory: Watched, told: list[str], words: Mapping[str, Any]) -> list[str]:
        """What is told, without the evening of a channel that is told with all, or by its hour."""
        kept = list(told)
        for name, one in self._home.programmes.items():
            evening = self._evening(memory, name)
            hours = {str(each["says"]) for each in one["times"][memory.language]}
            alone = words["programme"].format(name=self._name(memory, name), told=evening)
            alone = alone.replace("su il ", "sul ")
            if any(text in hours or (evening in text and text != alone) for text in kept):
                kept = [text for text in kept if text != alone]
            name = self._name(memory, name)
            if words["recorded"].format(name=name, told=evening) in kept:
                kept = [text for text in kept if text != words["will_record"].format(names=name)]
        return kept

    # --- what it does ------------------------------------------------------------------------------------

    def _name(self, memory: Watched, channel: str) -> str:
        return str(self._home.channels[channel][memory.language]["name"])

    def _evening(self, memory: Watched, channel: str) -> str:
        return str(self._home.programmes[channel][memory.language])

    def _tune(self, memory: Watched, text: str, words: Mapping[str, Any]) -> Served:
        channel = self.channel(memory, text)
        if forms(memory.language)["unwanted"].search(text):
            return Served("")
        if channel is not None:
            return self._tuned(memory, channel, words)
        if _NUMBER.search(in_digits(text, memory.language)):
            return Served(words["no_channel"], (Act("canthelp"),), "television")
        return Served("", (), "television")

    def _tuned(self, memory: Watched, channel: str, words: Mapping[str, Any]) -> Served:
        memory.channel, memory.topic, memory.about = channel, "television", ("television",)
        memory.just = ("television", channel)
        if memory.state.get("television", "off") == "off":
            memory.state["television"] = "on"
        acts = (stating("inform", "done", "television"), stating("inform", "channel", channel))
        return Served(words["tuned"].format(name=self._name(memory, channel)), acts)

    def _instead(self, memory: Watched, channel: str, words: Mapping[str, Any]) -> Served:
        """`No, the concert`: what was recorded or shown just now was another channel."""
        service, wrong = memory.just or ("television", "")
        if service == "television":
            return self._tuned(memory, channel, words)
        if wrong != channel:
            memory.recording = tuple(one for one in memory.recording if one != wrong)
        return self._recorded(memory, channel, "", words)

    def _shown(self, memory: Watched, words: Mapping[str, Any]) -> Served:
        memory.topic = "television"
        if memory.state.get("television", "off") == "off":
            return Served(words["screen_off"])
        if memory.channel is None:
            return Served(words["shows_none"])
        name = self._name(memory, memory.channel)
        return Served(words["shows"].format(name=name), (stating("inform", "channel", memory.channel),))

    def _told(self, memory: Watched, channel: str | None, words: Mapping[str, Any]) -> Served:
        memory.topic = "television"
        done = stating("inform", "done", "programme")
        if channel is None:
            listed = "; ".join(
                f"{self._name(memory, one)}: {self._evening(memory, one)}" for one in self._home.channels
            )
            channels = tuple(stating("inform", "channel", one) for one in self._home.channels)
            return Served(words["evening"].format(told=listed), (done, *channels))
        memory.told_of = channel
        told = words["programme"].format(
            name=self._name(memory, channel), told=self._evening(memory, channel)
        )
        return Served(told.replace("su il ", "sul "), (done, stating("inform", "channel", channel)))

    def _when(self, memory: Watched, text: str, channel: str, words: Mapping[str, Any]) -> Served:
        """The time of a programme: of what comes first, or behind what."""
        memory.topic, memory.told_of = "television", channel
        said = tokens(text)
        both = self._home.programmes[channel]["times"][memory.language]
        for form in both:
            if any(word in said for word in form["words"]):
                return Served(str(form["says"]), (stating("inform", "done", "programme"),))
        return self._told(memory, channel, words)

    # --- recordings --------------------------------------------------------------------------------------

    def _record(self, memory: Watched, said: Snippet, words: Mapping[str, Any], around: str) -> Served:
        known, text = forms(memory.language), said.text
        channel = self.channel(memory, text)
        memory.topic = "television"
        if known["not_record"].search(text):
            gone = (channel,) if channel in memory.recording else memory.recording
            memory.recording = tuple(one for one in memory.recording if one not in gone)
            names = " ".join(words["not_recorded"].format(name=self._name(memory, one)) for one in gone)
            return Served(names or words["nothing_recorded"])
        asks_for = known["suggests"].match(text)
        if (
            known["recorded"].search(text)
            and not asks_for
            and (said.asks or not known["record_it"].search(text))
        ):
            if not memory.recording:
                return Served(words["nothing_recorded"])
            names = words["and"].join(self._name(memory, one) for one in memory.recording)
            return Served(words["will_record"].format(names=names))
        channel = channel or self.programme(memory, around) or self.channel(memory, around, named=True)
        channel = (
            channel
            or memory.told_of
            or (memory.channel if memory.state.get("television", "off") != "off" else None)
        )
        if channel is None:
            return Served("", (), "recording")
        return self._recorded(memory, channel, around, words)

    def _recorded(self, memory: Watched, channel: str, text: str, words: Mapping[str, Any]) -> Served:
        memory.topic, memory.told_of, memory.just = "television", channel, ("recording", channel)
        again = channel in memory.recording
        memory.recording = tuple(dict.fromkeys((*memory.recording, channel)))
        acts = (stating("inform", "done", "recording"), stating("inform", "channel", channel))
        name, told = self._name(memory, channel), self._evening(memory, channel)
        return Served(
            words["will_record" if again else "recorded"].format(name=name, names=name, told=told), acts
        )
