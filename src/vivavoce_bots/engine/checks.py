"""Checks of a bot file of one's own: a mistake is one line with file, place, value and next step."""

from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from string import Formatter
from types import ModuleType
from typing import Any, NoReturn, get_args, get_origin

from vivavoce_bots.engine.bot_file import (
    BOTS,
    BotFileError,
    Slot,
    Task,
    is_wording,
    languages_of,
    localise,
    read_yaml,
)

MAPPINGS = ("settings", "variants", "parts", "slots", "tasks", "prompts", "table", "intents", "chat", "words")
KEYS = {"summary": str, "domain": bool, "feelings": dict, "synonyms": list, **dict.fromkeys(MAPPINGS, dict)}
SLOT_TYPES = ("choice", "number", "date", "time", "name", "list")
SLOT_KEYS = {field.name: field.type for field in fields(Slot) if field.name not in ("name", "groups")}
SLOT_KEYS |= {"from": str, "values": Any}
TASK_KEYS = {field.name: field.type for field in fields(Task) if field.name != "name"}
TASK_KEYS |= {"says": Any}
COMMON = read_yaml(BOTS / "common.yaml")
PROMPTS = ("greeting", "abilities", "help")
FORMS: dict[Any, str] = {
    str: 'a text: "..."',
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a mapping: {key: value}",
    list[str]: 'a list of texts: ["...", "..."]',
    list[float]: "a list of numbers: [1, 10]",
    dict[str, str]: 'a mapping to texts: {key: "..."}',
    dict[str, list[str]]: 'a mapping to lists of texts: {key: ["...", "..."]}',
    dict[str, Any]: "a mapping: {key: value}",
}


def check_source(file: str, source: dict[str, Any]) -> None:
    """Check the outline of a bot file, and that each of its texts is there in all of its languages.

    Raises  BotFileError: the first mistake
    """
    Check(file).outline(source)


def check_bot(file: str, source: dict[str, Any], backend: ModuleType | None) -> None:
    """Check a bot file that is merged with what all bots share, in each of its languages.

    Raises  BotFileError: the first mistake
    """
    for language in source["languages"]:
        Check(file).bot(localise(source, language), backend)


class Check:
    """Checks of one file."""

    def __init__(self, file: str) -> None:
        self.file = file

    def refuse(self, place: str, problem: str) -> NoReturn:
        raise BotFileError(f"{self.file}: {place}: {problem}")

    def outline(self, source: dict[str, Any]) -> None:
        self._languages("", source, languages_of(source))
        self._keys("", source, {**KEYS, "synonyms": Any})
        for part, change in source.get("parts", {}).items():
            self._type(f"parts.{part}", change, dict)
        for variant, change in source.get("variants", {}).items():
            for part in change if isinstance(change, list) else ():
                self._known(f"variants.{variant}", "part", part, COMMON["parts"] | source.get("parts", {}))
            if not isinstance(change, list):
                self._type(f"variants.{variant}", change, dict)
        for intent, examples in source.get("intents", {}).items():
            self._known("intents", "intent", intent, COMMON["intents"])
            for language in languages_of(source):
                self._type(f"intents.{intent}", localise(examples, language), list[str])

    def _languages(self, place: str, node: Any, languages: list[str]) -> None:
        """Refuse a text that lacks one of the languages of the file."""
        if is_wording(node):
            for language in languages:
                if language not in node:
                    self.refuse(
                        place, f"has no text in {language!r}. Add `{language}:` as elsewhere in the file"
                    )
        children = (
            node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        )
        for key, child in children:
            self._languages(f"{place}.{key}".lstrip("."), child, languages)

    def bot(self, data: dict[str, Any], backend: ModuleType | None) -> None:
        self._keys("", {key: value for key, value in data.items() if key != "languages"}, KEYS)
        self._settings(data)
        self.slots, self.table = data.get("slots", {}), data.get("table", {})
        self.takes_domain = bool(data.get("domain"))
        if self.takes_domain:
            self._function("domain", "apply_domain", backend)
        for name, entry in data["chat"].items():
            self._small_talk(f"chat.{name}", entry, "examples")
        for name, entry in data["feelings"].items():
            self._small_talk(f"feelings.{name}", entry, "words")
        words = localise(COMMON["words"], "en")
        self._keys("words", data["words"], {word: _kind_of(value) for word, value in words.items()})
        for name, slot in self.slots.items():
            self._slot(name, slot)
        if not data.get("tasks"):
            self.refuse("tasks", 'is missing. Add a task: {hours: {examples: [...], says: "..."}}')
        for name, task in data["tasks"].items():
            self._task(name, task, backend)
        self._prompts(data["prompts"])

    def _small_talk(self, place: str, entry: Any, trigger: str) -> None:
        """Check an entry of words or sentences with an answer."""
        self._type(place, entry, dict)
        self._keys(place, entry, {trigger: list[str], "says": Any})
        for key in (trigger, "says"):
            if not entry.get(key):
                self.refuse(f"{place}.{key}", "is missing. Add it")
        self._text(f"{place}.says", entry["says"], ["abilities"])

    def _settings(self, data: dict[str, Any]) -> None:
        kinds = {
            name: list[str] if value == [] else type(value) for name, value in COMMON["settings"].items()
        }
        self._keys(
            "settings", data["settings"], {**kinds, "strict_intents": list[str], "stock_intents": list[str]}
        )
        for key in ("first_task", "usual_task", "escalation"):
            if data["settings"][key]:
                self._known(f"settings.{key}", "task", data["settings"][key], data.get("tasks", {}))
        for slot in data["settings"]["lasting_slots"]:
            self._known("settings.lasting_slots", "slot", slot, data.get("slots", {}))

    def _slot(self, name: str, slot: Any) -> None:
        place = f"slots.{name}"
        self._type(place, slot, dict)
        self._keys(place, slot, SLOT_KEYS)
        kind = slot.get("type", "choice")
        self._known(f"{place}.type", "type", kind, SLOT_TYPES)
        self._values(place, slot.get("values", {}))
        if slot.get("from"):
            self._rows()
        elif kind in ("choice", "list") and not (slot.get("values") or self.takes_domain):
            self.refuse(place, "has no values. Add `values:`, or another `type:`, such as number")
        if not slot.get("optional") and not slot.get("ask"):
            self.refuse(place, 'has no question. Add `ask: "..."`, or `optional: true`')
        if len(slot.get("range", "12")) != 2:
            self.refuse(f"{place}.range", f"must be {FORMS[list[float]]}, not {slot['range']!r}")
        if slot.get("rest"):
            self._known(f"{place}.rest", "slot", slot["rest"], self.slots)
        self._text(f"{place}.say", slot.get("say", ""), ["value"])
        self._text(f"{place}.ask_quantity", slot.get("ask_quantity", ""), ["value", *self._row_fields()])
        self._text(f"{place}.which", slot.get("which", ""), ["names"])
        self._text(f"{place}.ack", slot.get("ack", ""), self.slots)

    def _rows(self) -> None:
        """Check that each row of the table has names."""
        if not self.table:
            self.refuse("table", "is missing. Add rows: {tea: {names: [tea]}}")
        for name, row in self.table.items():
            self._type(f"table.{name}", row, dict)
            self._names(f"table.{name}.names", row.get("names", []))

    def _values(self, place: str, values: Any) -> None:
        if isinstance(values, list):
            self._type(f"{place}.values", values, list[str])
            return
        self._type(f"{place}.values", values, dict)
        for value, names in values.items():
            self._names(f"{place}.values.{value}", names)

    def _names(self, place: str, names: Any) -> None:
        """Check that a value has at least one name."""
        self._type(place, [names] if isinstance(names, str) else names, list[str])
        if not names:
            self.refuse(place, "is empty. Add a name")

    def _task(self, name: str, task: Any, backend: ModuleType | None) -> None:
        place = f"tasks.{name}"
        self._type(place, task, dict)
        self._keys(place, task, TASK_KEYS)
        for key in ("slots", "uses", "fits"):
            for slot in task.get(key, ()):
                self._known(f"{place}.{key}", "slot", slot, self.slots)
        if not (task.get("says") or task.get("call")):
            self.refuse(place, 'has no answer. Add `says: "..."`, or `call:` with a function of the back end')
        for key in ("call", "check"):
            if task.get(key):
                self._function(f"{place}.{key}", task[key], backend)
        names = [*task.get("slots", ()), "phrases"]
        self._text(f"{place}.confirm", task.get("confirm", ""), names)
        if not task.get("call"):
            self._says(place, task)

    def _says(self, place: str, task: dict[str, Any]) -> None:
        """Check the answer of a task that has no call: each of its fields is always there."""
        required = [slot for slot in task.get("slots", ()) if not self.slots[slot].get("optional")]
        has_row = any(self.slots[slot].get("from") for slot in required)
        self._text(
            f"{place}.says", task["says"], [*required, "phrases", *(self._row_fields() if has_row else ())]
        )

    def _row_fields(self) -> list[str]:
        """Fields that all rows of the table have."""
        rows = [row for row in self.table.values() if isinstance(row, dict)]
        return sorted(set(rows[0]).intersection(*rows[1:]) - {"names"}) if rows else []

    def _function(self, place: str, function: str, backend: ModuleType | None) -> None:
        file = self.file.removesuffix(".yaml") + ".py"
        if backend is None:
            self.refuse(place, f"calls {function!r}, but there is no {file}. Write it, or leave the key out")
        functions = [name for name, value in vars(backend).items() if callable(value) and name[0] != "_"]
        self._known(place, f"function of {file}", function, functions)

    def _prompts(self, prompts: dict[str, Any]) -> None:
        for name in PROMPTS:
            if not prompts.get(name):
                self.refuse(f"prompts.{name}", f'is missing. Add `{name}: "..."`')
        if any(slot.get("ask_quantity") for slot in self.slots.values()) and "anything_else" not in prompts:
            self.refuse("prompts.anything_else", 'is missing for the list. Add `anything_else: "..."`')
        common = localise(COMMON["prompts"], "en")
        for name, text in prompts.items():
            if name in (*PROMPTS, *common):
                known = field_names(common[name]) if name in common else ["abilities"]
                self._text(f"prompts.{name}", text, known)

    def _text(self, place: str, text: Any, known: Iterable[str]) -> None:
        """Check a text, or texts that are used in turn, and the fields in them."""
        if text == []:
            self.refuse(place, "is empty. Add a text")
        for part in text if isinstance(text, list) else [text]:
            self._type(place, part, str)
            try:
                names = field_names(part)
            except ValueError:
                self.refuse(place, f"has a lone brace in {part!r}. Write {{{{ or }}}} for a brace")
            for name in names:
                self._known(place, "field", name, known)

    def _keys(self, place: str, node: dict[str, Any], kinds: dict[str, Any]) -> None:
        for key, value in node.items():
            self._known(place or str(key), "key", key, kinds)
            self._type(f"{place}.{key}".lstrip("."), value, kinds[key])

    def _known(self, place: str, what: str, name: Any, known: Iterable[str]) -> None:
        names = [str(other) for other in known]
        if name in names:
            return
        close = get_close_matches(str(name), names, 1)
        step = f"Did you mean {close[0]!r}?" if close else f"Use one of: {', '.join(names) or 'none yet'}"
        self.refuse(place, f"unknown {what} {name!r}. {step}")

    def _type(self, place: str, value: Any, kind: Any) -> None:
        if not is_of_type(value, kind):
            self.refuse(place, f"must be {FORMS[kind]}, not {value!r}")


def _kind_of(value: Any) -> Any:
    """Type of an entry of words: a list of texts, lists by name, or a text."""
    if isinstance(value, dict):
        return dict[str, list[str]]
    return list[str] if isinstance(value, list) else type(value)


def field_names(text: Any) -> list[str]:
    """Names in braces of a text, or of texts that are used in turn.

    Raises  ValueError: a brace is alone
    """
    texts = text if isinstance(text, list) else [text]
    return [name for part in texts for _, name, _, _ in Formatter().parse(part) if name is not None]


def is_of_type(value: Any, kind: Any) -> bool:
    """True if a value of YAML is of a type such as dict[str, list[str]]."""
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if kind is Any:
        return True
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if not isinstance(value, origin) or (kind is int and isinstance(value, bool)):
        return False
    children = value.values() if isinstance(value, dict) else value
    return not arguments or all(is_of_type(child, arguments[-1]) for child in children)
