"""What `import vivavoce` offers: names that stay, each imported when it is asked for."""

import ast
import inspect
import pkgutil
import sys
from pathlib import Path

import pytest

import vivavoce as vv
from vivavoce.cli import analyse, data, measure, report, simulate

NAMES = [
    "Capabilities",
    "Channel",
    "Connector",
    "ConnectorSettings",
    "Conversation",
    "Dataset",
    "DatasetWriter",
    "Edit",
    "ImportResult",
    "Importer",
    "Information",
    "InputError",
    "Language",
    "LanguagePack",
    "Measure",
    "MeasuredDifference",
    "MeasuredValue",
    "Measurements",
    "Message",
    "PowerAnalysis",
    "PreferredVersion",
    "Questionnaire",
    "Report",
    "SampleSize",
    "Section",
    "Simulation",
    "Step",
    "StimulusStep",
    "StressTest",
    "Study",
    "Substitution",
    "SystemComparison",
    "SystemOutput",
    "SystemUnderTestError",
    "Tables",
    "TranscriptPreferences",
    "UnknownName",
    "UserTurn",
    "Utterance",
    "Verb",
    "VivavoceError",
    "compare",
    "export_log",
    "import_log",
    "load_study",
    "measure",
    "power",
    "preferences",
    "report",
    "simulate",
]
OF_A_TERMINAL = {"as_json", "csv", "parquet", "listing", "out", "figures", "tables", "model", "family"}


def test_the_names_at_the_root_are_these() -> None:
    assert sorted(vv.__all__) == sorted(NAMES)
    assert set(NAMES) <= set(dir(vv))


def test_every_name_is_there_and_says_what_it_is() -> None:
    for name in NAMES:
        assert inspect.getdoc(getattr(vv, name))


def test_type_checkers_see_the_names_that_there_are() -> None:
    tree = ast.parse(Path(inspect.getfile(vv)).with_suffix(".pyi").read_text("utf-8"))
    seen = {
        one.asname or one.name: f"{node.module}.{one.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    }
    assert sorted(seen) == sorted(NAMES)
    for name, home in seen.items():
        module, _, inside = home.rpartition(".")
        assert getattr(vv, name) is getattr(sys.modules[module], inside)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'mesure'"):
        _ = vv.mesure  # type: ignore[attr-defined]


def test_no_public_name_is_a_module_of_the_package() -> None:
    modules = {module.name for module in pkgutil.iter_modules(vv.__path__)}
    assert not modules & set(vv.__all__)


JUDGED = {"judge", "target", "chances"}


def test_who_knows_a_verb_knows_its_function() -> None:
    """Every option is an argument of the same name, but those that choose what a terminal shows."""
    for verb, function, elsewhere in [
        (measure.measure, vv.measure, set()),
        (analyse.analyse, vv.compare, {"words", "against", "cost", "hourly", "trials", *JUDGED}),
        (
            analyse.analyse,
            vv.preferences,
            {"words", "measure", "pair", "margin", "correction", "trials", "engine", *JUDGED},
        ),
        (analyse.power, vv.power, set()),
        (report.report, vv.report, set()),
        (simulate.run, vv.simulate, set()),
        (data.import_, vv.import_log, {"guess"}),
        (data.export, vv.export_log, {"raw_csv", "format"}),
    ]:
        options = {
            said.removeprefix("--").replace("-", "_") if "--" in (said := str(one.default)) else name
            for name, parameter in inspect.signature(verb).parameters.items()
            for one in parameter.annotation.__metadata__[:1]
            if name not in OF_A_TERMINAL | elsewhere
        }
        assert options <= {*inspect.signature(function).parameters}
