"""The architecture as failing tests."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "vivavoce"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGES = [Path(one).name for one in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]]
OURS = [ROOT / "src" / name for name in PACKAGES if name != "vivavoce_bots"]
SHORTEST_MODULE = 40  # where one sibling alone imports it


def test_every_import_contract_is_kept() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_broken_contract_would_be_noticed(tmp_path: Path) -> None:
    config = (ROOT / ".importlinter").read_text(encoding="utf-8")
    reversed_ = tmp_path / "reversed.ini"
    reversed_.write_text(
        config.replace("    languages | stats\n    core\n", "    core\n    languages | stats\n"),
        encoding="utf-8",
    )
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--config", str(reversed_)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode != 0 and "The story runs one way" in run.stdout


def test_importing_a_package_imports_nothing_else() -> None:
    imports = f"import {', '.join(PACKAGES)}"
    code = f"import sys; before = set(sys.modules); {imports}; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(run.stdout.split()) == sorted(PACKAGES)


def test_help_costs_at_most_twice_what_typer_and_rich_cost() -> None:
    imported = "import sys, typer, rich, rich.console, rich.table; print(len(sys.modules))"
    helped = (
        "import sys\nfrom vivavoce.cli.main import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\nprint(len(sys.modules))"
    )
    base, ours = (
        int(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout.splitlines()[-1]
        )
        for code in (imported, helped)
    )
    assert ours <= 2 * base


def imported_by(*words: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = (
        "import sys\nfrom vivavoce.cli.main import app\n"
        f"try: app({list(words)!r})\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stderr.splitlines()[-1].split())


def test_help_reads_what_is_installed_without_the_modules_of_email_and_archives() -> None:
    modules = imported_by("--help")
    assert "typer" in modules and not modules & {"importlib.metadata", "email", "zipfile", "json", "rich"}


def test_a_check_loads_neither_statistics_nor_the_logs_database(tmp_path: Path) -> None:
    from vivavoce.study.scaffold import write_study

    write_study(tmp_path / "study", "cambridge-2011", name="city")
    modules = imported_by("check", str(tmp_path / "study"), "--no-bots")
    idle = {"scipy", "sqlalchemy", "structlog", "statsmodels", "fastapi"}
    assert "pydantic" in modules and not modules & idle


HEAVY = ("statsmodels", "pandas", "sklearn", "scipy.stats", "torch")
SLOW = (*HEAVY, "scipy", "altair", "pyarrow.compute")


@pytest.mark.parametrize(
    ("starting", "slow"),
    [
        ("vivavoce.participant.app", SLOW),
        ("vivavoce.dashboard.app", SLOW),
        ("vivavoce.measures", SLOW),
        ("vivavoce.analysis.summary", HEAVY),
        ("vivavoce.reports.html", HEAVY),
    ],
)
def test_what_starts_waits_for_no_statistics_tables_or_charts(starting: str, slow: Sequence[str]) -> None:
    code = f"import sys, {starting}; print(*[one for one in {slow} if one in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_no_room_has_a_module_for_everything() -> None:
    assert not [path for path in modules() if path.stem in ("utils", "helpers", "misc", "common")]


def test_tracked_files_name_no_package_index_and_no_machine() -> None:
    pattern = r"(p[y]pi\.org|python[h]osted|registry\.n[p]mjs|deb\.[d]ebian\.org|/(wo[r]k|fa[r]m)/[a-z.])"
    found = subprocess.run(
        ["git", "grep", "-nIE", pattern], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    assert found == ""


def modules() -> list[Path]:
    """The modules of all packages but the bots, which are systems under test."""
    return [path for package in OURS for path in sorted(package.rglob("*.py"))]


def test_vivavoce_names_no_package_that_stands_beside_it() -> None:
    """It meets them by entry points, as it meets a stranger's; a lazy import would be one, too."""
    beside = re.compile("|".join(rf"\b{path.name}\b" for path in OURS if path != SOURCE))
    assert beside.pattern
    naming = [str(path) for path in SOURCE.rglob("*.py") if beside.search(path.read_text("utf-8"))]
    assert naming == []


def test_vivavoce_names_no_step_or_protocol_that_a_package_beside_it_offers() -> None:
    points = PROJECT["project"]["entry-points"]
    beside = {
        word
        for shelf in ("steps", "protocols")
        for name, value in points[f"vivavoce.{shelf}"].items()
        if not value.startswith("vivavoce.")
        for word in (name, *re.findall(r"\w+", value)[1:])
    } - {"step", "protocols"}
    assert {"elicit", "elicitation", "sugar-2018"} <= beside
    naming = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in sorted(beside)), re.IGNORECASE)
    texts = (path for path in SOURCE.rglob("*.*") if path.suffix not in (".pyc", ".wav", ".png", ".woff2"))
    assert [path for path in texts if path.is_file() and naming.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("shelf", ["channels", "recognisers", "synthesisers"])
def test_what_listens_speaks_and_calls_stands_beside_vivavoce(shelf: str) -> None:
    found = PROJECT["project"]["entry-points"][f"vivavoce.{shelf}"]
    assert found and [name for name, place in found.items() if place.startswith("vivavoce.")] == []


MEANS_NO_CHANNEL = {
    "vivavoce/connectors/realtime.py": "the voice of a system",
    "vivavoce/dashboard/study_editor/pages_steps.py": "translations",
    "vivavoce/dataset/reader.py": "logs and datasets from before channels stated their facts",
    "vivavoce/dataset/publication.py": "telephone numbers",
    "vivavoce/importers/venues.py": "a slot",
    "vivavoce/study/channel.py": "a connector",
    "vivavoce/study/degradation.py": "a connector",
    "vivavoce/annotation/ontology_lists.py": "a slot",
    "vivavoce/study/renamed_keys.py": "keys of the study file",
    "vivavoce/testing/sample_dialogues.py": "sample data",
    "vivavoce_campaign/runs.py": "the form of a stress case",
    "vivavoce_commands/elicitation/step.py": "the form of an answer",
    "vivavoce_commands/elicitation/stimuli_file.py": "the form of a confirmation",
    "vivavoce_corpora/dstc2.py": "data of a corpus",
    "vivavoce_platforms/telegram_api.py": "a kind of message",
    "vivavoce_stress/base.py": "the form of a stress case",
    "vivavoce_stress/cli/propose.py": "the form of a stress case",
    "vivavoce_stress/italian/nouns.py": "a noun",
    "vivavoce_stress/operators/synonyms.py": "a noun",
    "vivavoce_stress/planning.py": "the form of a stress case",
    "vivavoce_stress/sampling.py": "the form of a stress case",
}


def test_channels_are_named_in_their_package_alone() -> None:
    """Facts come from the registered channel, so that a third-party channel counts like ours."""
    own = PROJECT["project"]["entry-points"]["vivavoce.channels"]
    named = re.compile(rf"""["']({"|".join(own)})["']""")
    homes = {value.partition(".")[0] for value in own.values()}
    naming = {
        str(path.relative_to(SOURCE.parent))
        for package in OURS
        if package.name not in homes
        for end in ("*.py", "*.html")
        for path in package.rglob(end)
        if named.search(path.read_text("utf-8"))
    }
    assert naming == set(MEANS_NO_CHANNEL)


def test_every_package_brings_its_types() -> None:
    assert sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir()) == PACKAGES
    assert [name for name in PACKAGES if not (ROOT / "src" / name / "py.typed").is_file()] == []


def imports_of_modules() -> dict[str, tuple[Path, set[str]]]:
    """Every module of ours: its file, and the modules that import it."""
    files = {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in modules()
        if "migrations" not in path.parts
    }
    found: dict[str, tuple[Path, set[str]]] = {name: (path, set()) for name, path in files.items()}
    for name, path in files.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for imported in (node.module, *(f"{node.module}.{one.name}" for one in node.names)):
                    if imported in found:
                        found[imported][1].add(name)
    return found


def test_no_fragment_is_a_module_of_its_own() -> None:
    fragments = [
        f"{name}: {lines} lines, imported by {user} alone"
        for name, (path, users) in imports_of_modules().items()
        if path.stem != "__init__"
        and (lines := len(path.read_text(encoding="utf-8").splitlines())) < SHORTEST_MODULE
        and len(users) == 1
        and (user := next(iter(users))).rpartition(".")[0] == name.rpartition(".")[0]
    ]
    assert not fragments


def test_no_two_public_classes_have_one_name() -> None:
    homes: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_no_sentence_for_readers_names_a_class_of_ours() -> None:
    """As one does where a class was renamed in strings, too; packages' authors alone are told of classes."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in modules()}
    classes = {node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)}
    several = "|".join(sorted(name for name in classes if re.search("[a-z][A-Z]", name)))
    named = re.compile(rf"\b(?:{several}) [a-z]{{2,}}")
    assert named.search("SystemComparison are in turns.")
    found = [
        f"{path.name}: {node.value}"
        for path, tree in trees.items()
        if "testing" not in (path.parent.name, path.stem) and path.parent != SOURCE
        for parent in ast.walk(tree)
        if not isinstance(parent, ast.Expr)  # a docstring
        for node in ast.iter_child_nodes(parent)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and named.search(node.value)
    ]
    assert found == []


DICTIONARIES = 3  # 106 before the first results were typed
DICTIONARIES_OF_PACKAGES = 22


def telling_steps_apart() -> re.Pattern[str]:
    """Asking for the class of a step, its name, or its key in the study file.

    By class: `isinstance`, `type() is`, `match`, an argument, a key. By name: compared, looked for in what is
    written, or among names. Names of columns, dialogues and the like are none of `kind`, `phase`, `step`.
    """
    offered = PROJECT["project"]["entry-points"]["vivavoce.steps"]
    name = rf"\b(?:{'|'.join([*offered, 'screen'])})\b"
    own = r"\b(?!Stimulus|Offered|Own|Learning)[A-Z][a-z]+Step\b"
    return re.compile(
        rf"(?:isinstance\([^)]*?|type\([^)]*\) (?:is|==|in) \(?|\.steps\([^)]*?|_step_of\(|case ){own}"
        rf"|{own}\s*:[^=]"
        rf"|\b(?:kind|phase|step)\b (?:==|!=|in|not in) [(\[{{]?[\"']{name}"
        rf"|[\"']{name}[\"'] (?:==|!=|in|not in) \(?\w*(?:step|entry|kind)"
        rf"|\bentry\.{name}",
        re.DOTALL,
    )


def test_the_ways_to_tell_steps_apart_are_known() -> None:
    telling = telling_steps_apart()
    for code in (
        "isinstance(step, DialogueStep)",
        "study.steps(CompareStep)",
        "case ArenaStep():",
        "type(one) is RateStep",
        '{ArenaStep: "ready"}',
        'kind == "dialogue"',
        '"arena" in steps',
        'step.kind in ("dialogue", "arena")',
        'state.phase != "arena"',
        "entry.rate is not None",
    ):
        assert telling.search(code), code
    for code in ("class DialogueStep(Base):", "isinstance(kind, StimulusStep)", "one: DialogueStep = 1"):
        assert not telling.search(code), code


def test_no_more_places_than_before_tell_steps_apart() -> None:
    """None outside a step's folder: whoever needs to know asks its kind. Pages do not, either.

    What is left reads the study file: forms, which join the dialogues that they follow.
    """
    found, telling = Counter[str](), telling_steps_apart()
    pages = [path for package in OURS for path in sorted(package.rglob("*.html"))]
    for path in (*modules(), *pages):
        if "steps" not in path.parts:
            found[str(path.relative_to(ROOT))] = len(telling.findall(path.read_text("utf-8")))
    assert sum(found.values()) <= 4, +found


def test_sentences_are_not_read_back_by_their_patterns() -> None:
    """What analysis has to say is a `LocalizedText`: its values stand apart."""
    rooms = ("analysis", "stats", "sections", "reports", "api", "dashboard", "cli", "languages")
    paths = [path for room in rooms for path in (SOURCE / room).rglob("*.py")]
    assert [path for path in paths if "re.escape(" in path.read_text("utf-8")] == []


ANYTHING = re.compile(r"\b(?:Facts|dict\[str, Any\])")


def of_anything(path: Path) -> bool:
    """Whether a module names dictionaries of anything, or gives some out of a public function."""
    body = ast.parse(path.read_text("utf-8")).body
    classes = [one for one in body if isinstance(one, ast.ClassDef)]
    public = [
        one
        for one in (*body, *(each for kind in classes for each in kind.body))
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("_") and one.returns
    ]
    return any(isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "Facts" for one in body) or any(
        ANYTHING.search(ast.unparse(one.returns)) for one in public if one.returns
    )


def test_no_more_modules_than_before_hand_out_dictionaries_of_anything() -> None:
    """The aim is none: a result is a frozen dataclass, and a misspelt name is found by the type checker."""
    rooms = ("analysis", "stats", "sections", "reports", "api", "dashboard")
    paths = [path for room in rooms for path in (SOURCE / room).rglob("*.py")]
    found = [str(path.relative_to(ROOT)) for path in paths if of_anything(path)]
    assert len(found) <= DICTIONARIES, found
    beside = [path for path in modules() if not path.is_relative_to(SOURCE) and of_anything(path)]
    assert len(beside) <= DICTIONARIES_OF_PACKAGES, beside
