"""The reference page of domain files, made from their models: `python -m vivavoce.simulation.reference`."""

from typing import Final

from vivavoce.core.reference import model_tables
from vivavoce.simulation.domain import SimulatedDomain, domain_names
from vivavoce.study.ontology import Ontology

_HEAD: Final = """# Domain files

<!-- Made by `python -m vivavoce.simulation.reference`; edit the models, not this page. -->

Two kinds of YAML files describe the subject of dialogues:

- [An ontology](#an-ontology) is for systems that find venues, or anything else with searchable values. The
  key `ontology:` of [the study file](study-file.md) names it. Tasks, the rule-based parser, task success and
  simulated users are based on it.
- [A domain of simulated users](#a-domain-of-simulated-users) is for systems that do things: top up a card,
  route a call, switch a lamp. `vivavoce simulate tasks FILE` makes tasks from it, and
  `vivavoce simulate STUDY --domain FILE` simulates users.

`vivavoce check` (ontology) and `vivavoce simulate` (domain) report unknown keys with their line. "By
language" means a mapping such as `{en: ..., it: ...}`.

## An ontology

Kinds of venue, slots with their values in words, and the venues. Values match when they are equal
after normalisation (case, spaces, punctuation at the edges), never by substring; every value meets
`dontcare`. Another kind of venue is another goal: constraints never reach across kinds. The keys
`before`, `phrase`, `wish`, `anything` and `asked_as` are the parts of task texts in each language of
the study. `vivavoce init` writes an ontology to start from. A complete example:

```yaml
{ontology}```

"""

_DOMAIN: Final = """## A domain of simulated users

The goals of users, how they express them, and what a system's words mean. Included: {names}. A complete
example:

```yaml
{domain}```

"""

ONTOLOGY_EXAMPLE: Final = """\
ontology: library
types:
  book:
    en: {text: book, article: a book, plural: books}
slots:
  subject:
    constraint: true
    names: {en: subject}
    phrase: {en: "about {value}"}
    wish: {en: "be {phrase}"}
    anything: {en: any subject will do}
    values:
      birds: {en: {text: birds, synonyms: [ornithology]}}
      rivers: {en: {text: rivers}}
  shelf:
    request: true
    names: {en: shelf}
    asked_as: {en: the shelf}
    asks: {en: [where is it, which shelf]}
dontcare: {en: [any subject, it does not matter]}
venues:
  - {id: b1, name: Wings, type: book, slots: {subject: birds, shelf: A 3}}
  - {id: b2, name: The Po, type: book, slots: {subject: rivers, shelf: C 1}}
"""

DOMAIN_EXAMPLE: Final = """\
domain: lamps
goals:
  switch_lamp:
    text: {en: "Have the lamp in the {room} switched on."}
    slots: {room: [kitchen, hall]}
    opening: {en: [I need light]}
    opening_with: {en: ["switch on the lamp in the {room}"]}
    done: [{slot: switched, value: "{room}"}]
slots:
  room:
    say: {en: ["the {value}", "in the {value}"]}
    values:
      kitchen: {en: kitchen}
      hall: {en: hall}
cues:
  - {act: request, slot: room, en: "which room"}
  - {act: inform, slot: switched, en: "lamp in the (?P<value>kitchen|hall) is on"}
"""


def domain_reference() -> str:
    """The whole page, Markdown."""
    names = ", ".join(f"`{name}`" for name in domain_names())
    parts = [
        _HEAD.replace("{ontology}", ONTOLOGY_EXAMPLE),
        model_tables({"ontology": Ontology}, 3),
        _DOMAIN.replace("{names}", names).replace("{domain}", DOMAIN_EXAMPLE),
        model_tables({"domain": SimulatedDomain}, 3),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


if __name__ == "__main__":
    print(domain_reference(), end="")
