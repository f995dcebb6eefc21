"""Domain files: an ontology and its venues, as slots, questions and table of a bot file.

The section `search` of a bot file holds the wordings: `slot` of each slot that can be searched by,
`question` of each slot that can be asked for, `wordings` of slots with certain names. `{name}` and
`{asked_as}` are words of the domain file.
"""

from typing import Any

from vivavoce_bots.engine.text import tokenise

TYPE = "type"
HOURS = "hours"
TIMED = ("day", "time")


def with_ontology(data: dict[str, Any], domain: dict[str, Any], language: str) -> dict[str, Any]:
    """Bot file in one language with the slots, questions and venues of a domain file."""
    wording = data["search"]
    table = {str(venue["name"]): _row(venue) for venue in domain["venues"]}
    slots = {TYPE: _type_slot(wording, domain["types"], language)}
    slots |= {
        name: _slot(wording, name, entry, language)
        for name, entry in domain["slots"].items()
        if entry.get("constraint")
    }
    has_hours = any(HOURS in row for row in table.values())
    own = {
        name: {**slot, "indifferent": [slot["any"]]}
        for name, slot in data["slots"].items()
        if name not in TIMED or has_hours
    }
    slots |= {**own, "name": {"from": "table", "optional": True}}
    questions = {
        f"ask_{name}": _question(wording, name, entry, language)
        for name, entry in domain["slots"].items()
        if entry.get("request")
    }
    searched = [name for name in slots if name != "name"]
    tasks = {**data["tasks"], **questions}
    tasks["find"] = {**tasks["find"], "slots": searched}
    indifferent = [*data["intents"]["dontcare"], *_words_of(domain.get("dontcare"), language, [])]
    intents = {**data["intents"], "dontcare": list(dict.fromkeys(indifferent))}
    intents |= {f"dontcare {name}": slots[name].pop("indifferent") for name in searched}
    kinds = [_words_of(words, language, {}) for words in domain["types"].values()]
    return {
        **data,
        "slots": slots,
        "tasks": tasks,
        "intents": intents,
        "table": table,
        "search": {**wording, "kinds": [kind.get("plural", kind.get("text", "")) for kind in kinds]},
    }


def _words_of(node: Any, language: str, otherwise: Any) -> Any:
    """Entry of a language, or of the first one that there is."""
    if not node:
        return otherwise
    return node.get(language, next(iter(node.values())))


def _row(venue: dict[str, Any]) -> dict[str, Any]:
    values = {str(slot): str(value) for slot, value in venue["slots"].items()}
    return {"names": [str(venue["name"])], TYPE: str(venue["type"]), **values}


def _names_of(words: dict[str, Any]) -> list[str]:
    others = [words[key] for key in ("phrase", "plural") if words.get(key)]
    return [str(name) for name in dict.fromkeys([words["text"], *others, *(words.get("synonyms") or [])])]


def _type_slot(wording: dict[str, Any], types: dict[str, Any], language: str) -> dict[str, Any]:
    words = {str(kind): _words_of(entry, language, {}) for kind, entry in types.items()}
    return {
        "optional": True,
        "values": {kind: _names_of(entry) for kind, entry in words.items()},
        "phrases": {kind: entry.get("article", entry["text"]) for kind, entry in words.items()},
        **wording["slot"],
        **wording["wordings"][TYPE],
        "indifferent": [wording["wordings"][TYPE]["any"]],
    }


def _slot(wording: dict[str, Any], name: str, entry: dict[str, Any], language: str) -> dict[str, Any]:
    word = str(_words_of(entry.get("names"), language, name))
    asks = _words_of(entry.get("asks"), language, [])
    words = {str(key): _words_of(value, language, {}) for key, value in (entry.get("values") or {}).items()}
    template = {**wording["slot"], **wording["wordings"].get(name, {})}
    anything = _words_of(entry.get("anything"), language, "")
    return {
        **template,
        "ask": template["ask"].format(name=word),
        "optional": True,
        "label": word,
        "names": [word],
        "nouns": list(dict.fromkeys([*word.split(), *(ask for ask in asks if " " not in ask)])),
        "indifferent": [
            *filter(None, [anything]),
            *(form.format(name=word) for form in template["indifferent"]),
        ],
        "say": _words_of(entry.get("phrase"), language, "{value}"),
        "any": anything or template["any"].format(name=word),
        "values": {key: _names_of(value) for key, value in words.items()},
        "phrases": {key: value["phrase"] for key, value in words.items() if value.get("phrase")},
        "types": [str(kind) for kind in entry.get("types") or []],
    }


def _question(wording: dict[str, Any], name: str, entry: dict[str, Any], language: str) -> dict[str, Any]:
    word = str(_words_of(entry.get("names"), language, name))
    asked_as = _words_of(entry.get("asked_as"), language, word)
    asks = [str(ask) for ask in dict.fromkeys([word, *_words_of(entry.get("asks"), language, [])])]
    template = wording["question"]
    examples = [pattern.format(asked_as=asked_as) for pattern in template["examples"]]
    return {
        "act": "request",
        "argument": name,
        "label": word,
        "keywords": [" ".join(tokenise(ask)) for ask in asks],
        "examples": list(dict.fromkeys([*examples, *asks, *template["others"].get(name, [])])),
        "outcomes": {"detail": template["hours" if name == HOURS else "detail"]},
    }
