"""No room but that of languages names one: a language is added without an edit of the code."""

import ast
from pathlib import Path

import vivavoce
from vivavoce.languages.base import LANGUAGES, OURS

ROOT = Path(vivavoce.__file__).parent.parent
PACKAGES = [path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "vivavoce_bots"]
NAMING = {
    "vivavoce_stress": "dictionaries and grammar of a language as code",
    "vivavoce_commands/kitchen": "articles and verbs of two languages as code",
    "vivavoce_commands/cli.py": "the default of that corpus",
    "vivavoce_commands/importers/sugar.py": "the language of the corpus that it reads",
    "vivavoce_campaign/campaign_file.py": "the defaults of IDIAL 2018, an Italian evaluation",
}


def test_no_room_but_that_of_languages_names_a_language() -> None:
    ours = {name for name, one in LANGUAGES if one.folder.parent == OURS} - {"en"}
    assert ours and {"vivavoce", "vivavoce_stress"} < set(PACKAGES)
    found = set()
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    for file in files:
        names = {
            one.value for one in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(one, ast.Constant)
        }
        if not file.is_relative_to(OURS) and ours & names:
            found.add(str(file.relative_to(ROOT)))
    named = {place for place in NAMING if any(Path(file).is_relative_to(place) for file in found)}
    assert named == set(NAMING), "it names none any more: take it out of the list"
    assert not [file for file in found if not any(Path(file).is_relative_to(place) for place in NAMING)]
