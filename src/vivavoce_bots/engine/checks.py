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

KEYS = {"summary": str, "domain": bool, "synonyms": list}
KEYS |= dict.fromkeys(("settings", "variants", "prompts", "table", "intents", "words"), dict)
KEYS |= dict.fromkeys(("parts", "slots", "tasks", "chat", "feelings"), dict[str, dict])
SLOT_TYPES = ("choice", "number", "date", "time", "name", "list")
SLOT_KEYS = {field.name: field.type for field in fields(Slot) if field.name not in ("name", "groups")}
SLOT_KEYS |= {"from": str, "values": Any}
TASK_KEYS = {field.name: field.type for field in fields(Task) if field.name != "name"}
TASK_KEYS |= {"says": Any}
COMMON = read_yaml(BOTS / "common.yaml")
TASK_SETTINGS = ("first_task", "usual_task", "escalation")
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
}


class Check:
    """Checks of one file; the first mistake is a BotFileError."""

    def __init__(self, file: str) -> None:
        self.file = file

    def refuse(self, place: str, problem: str) -> NoReturn:
        raise BotFileError(f"{self.file}: {place}: {problem}")

    def outline(self, source: dict[str, Any]) -> None:
        """Check the outline of a bot file, and that each of its texts is there in all of its languages."""
        self._languages("", source, languages_of(source))
        self._keys("", source, {**KEYS, "synonyms": Any})
        for variant, change in source.get("variants", {}).items():
            if not isinstance(change, list):
                self._type(f"variants.{variant}", change, dict)
                continue
            for part in change:
                self._known(f"variants.{variant}", "part", part, COMMON["parts"] | source.get("parts", {}))
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
        children = dict(enumerate(node)) if isinstance(node, list) else node
        for key, child in children.items() if isinstance(children, dict) else ():
            self._languages(f"{place}.{key}".lstrip("."), child, languages)

    def bot(self, source: dict[str, Any], backend: ModuleType | None) -> None:
        """Check a bot file that is merged with what all bots share, in each of its languages."""
        for language in source["languages"]:
            self._bot(localise(source, language), backend)

    def _bot(self, data: dict[str, Any], backend: ModuleType | None) -> None:
        self._keys("", {key: value for key, value in data.items() if key != "languages"}, KEYS)
        self._settings(data)
        self.slots, self.table = data.get("slots", {}), data.get("table", {})
        self.takes_domain = bool(data.get("domain"))
        if self.takes_domain:
            self._function("domain", "apply_domain", backend)
        for part, trigger in {"chat": "examples", "feelings": "words"}.items():
            for name, entry in data[part].items():
                place = f"{part}.{name}"
                self._keys(place, entry, {trigger: list[str], "says": Any})
                self._required(place, entry, (trigger, "says"))
                self._text(f"{place}.says", entry["says"], ["abilities"])
        self._keys("words", data["words"], _kinds_of(localise(COMMON["words"], "en")))
        for name, slot in self.slots.items():
            self._slot(name, slot)
        if not data.get("tasks"):
            self.refuse("tasks", 'is missing. Add a task: {hours: {examples: [...], says: "..."}}')
        reserved = sorted({*COMMON["intents"], *data["chat"]})
        for name, task in data["tasks"].items():
            if name in reserved:
                self.refuse(f"tasks.{name}", f"is a reserved name, as are {', '.join(reserved)}. Rename it")
            self._task(name, task, backend)
            is_started = name in map(data["settings"].get, TASK_SETTINGS) or hasattr(backend, "read")
            if not (is_started or task.get("examples") or task.get("keywords")):
                self.refuse(f"tasks.{name}", "is never started. Add `examples: [...]`, or `keywords:`")
        self._prompts(data["prompts"])

    def _settings(self, data: dict[str, Any]) -> None:
        self._keys("settings", data["settings"], _kinds_of(COMMON["settings"]))
        for key in TASK_SETTINGS:
            if data["settings"][key]:
                self._known(f"settings.{key}", "task", data["settings"][key], data.get("tasks", {}))
        for slot in data["settings"]["lasting_slots"]:
            self._known("settings.lasting_slots", "slot", slot, data.get("slots", {}))

    def _slot(self, name: str, slot: dict[str, Any]) -> None:
        place = f"slots.{name}"
        self._keys(place, slot, SLOT_KEYS)
        kind = slot.get("type", "choice")
        self._known(f"{place}.type", "type", kind, SLOT_TYPES)
        self._values(f"{place}.values", slot.get("values", []))
        if slot.get("from"):
            self._type("table", self.table, dict[str, dict])
            self._values("table", {name: row.get("names", []) for name, row in self.table.items()})
        has_values = self.table if slot.get("from") else slot.get("values") or self.takes_domain
        if kind in ("choice", "list") and not has_values:
            self.refuse(place, "has no values. Add `values:`, a `table:`, or a `type:` such as number")
        if not slot.get("optional") and not slot.get("ask"):
            self.refuse(place, 'has no question. Add `ask: "..."`, or `optional: true`')
        for key, of_type in {"range": "number", "hours": "time"}.items():
            if key in slot and kind != of_type:
                self.refuse(f"{place}.{key}", f"is only for slots with `type: {of_type}`. Leave it out")
            if len(slot.get(key, "12")) != 2:
                self.refuse(f"{place}.{key}", f"must be {FORMS[list[float]]}, not {slot[key]!r}")
        if slot.get("rest"):
            self._known(f"{place}.rest", "slot", slot["rest"], self.slots)
        self._row_text(f"{place}.ask_quantity", slot.get("ask_quantity", ""), ["value"], slot.get("from"))
        for key, known in {"say": ["value"], "which": ["names"], "ack": self.slots}.items():
            self._text(f"{place}.{key}", slot.get(key, ""), known)

    def _values(self, place: str, values: Any) -> None:
        """Check that each value has at least one name."""
        is_list = isinstance(values, list)
        self._type(place, values, list[str] if is_list else dict)
        for value, names in () if is_list else values.items():
            self._type(f"{place}.{value}", [names] if isinstance(names, str) else names, list[str])
            if not names:
                self.refuse(f"{place}.{value}", "is empty. Add a name")

    def _task(self, name: str, task: dict[str, Any], backend: ModuleType | None) -> None:
        place = f"tasks.{name}"
        self._keys(place, task, TASK_KEYS)
        for key in ("slots", "uses", "fits"):
            for slot in task.get(key, ()):
                self._known(f"{place}.{key}", "slot", slot, self.slots)
        if bool(task.get("says")) == bool(task.get("call")):
            problem = "has both `says` and `call`" if task.get("says") else "has no answer"
            self.refuse(place, f'{problem}. Write `says: "..."`, or `call:`, a back-end function')
        for key in ("call", "check"):
            if task.get(key):
                self._function(f"{place}.{key}", task[key], backend)
        names = [*task.get("slots", ()), "phrases"]
        self._text(f"{place}.confirm", task.get("confirm", ""), names)
        required = [slot for slot in task.get("slots", ()) if not self.slots[slot].get("optional")]
        has_row = any(self.slots[slot].get("from") for slot in required)
        self._row_text(f"{place}.says", task.get("says", ""), [*required, "phrases"], has_row)

    def _row_text(self, place: str, text: Any, known: list[str], has_row: Any) -> None:
        """Check a text, which may have fields that are in each row of the table."""
        for name, row in self.table.items() if has_row else ():
            self._text(f"{place} of table.{name}", text, [*known, *row])
        if not has_row:
            self._text(place, text, known)

    def _function(self, place: str, function: str, backend: ModuleType | None) -> None:
        file = self.file.removesuffix(".yaml") + ".py"
        if backend is None:
            self.refuse(place, f"calls {function!r}, but there is no {file}. Write it, or leave the key out")
        functions = [name for name, value in vars(backend).items() if callable(value) and name[0] != "_"]
        self._known(place, f"function of {file}", function, functions)

    def _prompts(self, prompts: dict[str, Any]) -> None:
        has_list = any(slot.get("ask_quantity") for slot in self.slots.values())
        self._required("prompts", prompts, [*PROMPTS, *["anything_else"] * has_list])
        common = dict.fromkeys(PROMPTS, "{abilities}") | localise(COMMON["prompts"], "en")
        for name in common:
            self._text(f"prompts.{name}", prompts[name], field_names(common[name]))

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

    def _required(self, place: str, node: dict[str, Any], keys: Iterable[str]) -> None:
        for key in keys:
            if not node.get(key):
                self.refuse(f"{place}.{key}", f'is missing. Add `{key}: "..."`')

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
        """Check a value, or each entry of a mapping such as dict[str, list[str]]."""
        if get_origin(kind) is dict and isinstance(value, dict):
            for key, child in value.items():
                self._type(f"{place}.{key}", child, get_args(kind)[1])
        elif not is_of_type(value, kind):
            self.refuse(place, f"must be {FORMS.get(kind, FORMS[dict])}, not {value!r}")


def _kinds_of(entries: dict[str, Any]) -> dict[str, Any]:
    """Types of settings or words: those of their defaults; lists are of texts."""
    forms = {dict: dict[str, list[str]], list: list[str]}
    return {name: forms.get(type(value), type(value)) for name, value in entries.items()}


def field_names(text: Any) -> list[str]:
    """Names in braces of a text, or of texts that are used in turn.

    Raises  ValueError: a brace is alone
    """
    texts = text if isinstance(text, list) else [text]
    return [name for part in texts for _, name, _, _ in Formatter().parse(part) if name is not None]


def is_of_type(value: Any, kind: Any) -> bool:
    """True if a value of YAML is of a type such as list[str]; a mapping's entries do not matter."""
    if kind is Any or isinstance(value, bool):
        return kind in (Any, bool)
    if get_origin(kind) is list:
        return isinstance(value, list) and all(is_of_type(child, get_args(kind)[0]) for child in value)
    return isinstance(value, (int, float) if kind is float else get_origin(kind) or kind)
