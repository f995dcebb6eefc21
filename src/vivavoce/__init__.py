"""Vivavoce: the laboratory in which chatbots and voice bots are examined by people.

```python
import vivavoce as vv

data = vv.Dataset("calls")
vv.measure(data, by="system").to_pandas()
vv.compare(data, "objective_success_inferred").plot()
```

What stands here stays; every other module may move. A name is imported when it is first asked for; others
are of packages beside this one, which offer them in the group `vivavoce.names`. Types: `__init__.pyi`.
"""

_GROUP = "vivavoce.names"
_HOMES = {
    "api.choosing": "TranscriptPreferences preferences",
    "api.comparing": "SystemComparison compare",
    "api.importing": "import_log",
    "api.measuring": "Measurements measure",
    "api.planning": "PowerAnalysis power",
    "api.reporting": "Report report",
    "api.rows": "MeasuredDifference MeasuredValue PreferredVersion SampleSize",
    "api.simulating": "Simulation export_log simulate",
    "connectors.base": "Capabilities Connector ConnectorSettings Conversation SystemOutput UserTurn",
    "core.errors": "InputError SystemUnderTestError UnknownName VivavoceError",
    "core.verb": "Verb",
    "importers.base": "ImportResult Importer",
    "languages.base": "Language",
    "dataset.reader": "Dataset",
    "dataset.writer": "DatasetWriter",
    "measures.base": "Measure Tables",
    "questionnaires.instrument": "Questionnaire=Instrument",
    "reports.section": "Section",
    "steps.base": "Information Message Step=StepKind",
    "steps.stimulus": "StimulusStep",
    "study.channel": "Channel",
    "study.load": "load_study",
    "study.model": "Study",
}
_PUBLIC = {
    public: (home, inside or public)
    for home, names in _HOMES.items()
    for public, _, inside in (one.partition("=") for one in names.split())
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _PUBLIC:
        home, inside = _PUBLIC[name]
        found = globals()[name] = getattr(import_module(f"{__name__}.{home}"), inside)
        return found
    offered = {
        point.name: point for point in import_module(f"{__name__}.core.registry").installed_points(_GROUP)
    }
    if name == "__all__":
        return sorted({*_PUBLIC, *offered})
    if name not in offered:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = offered[name].load()
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})  # type: ignore[misc]
