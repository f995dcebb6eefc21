"""The types of what `import vivavoce` offers; programs find it by `__init__.py`."""

from vivavoce.api.choosing import TranscriptPreferences, preferences
from vivavoce.api.comparing import SystemComparison, compare
from vivavoce.api.importing import import_log
from vivavoce.api.measuring import Measurements, measure
from vivavoce.api.planning import PowerAnalysis, power
from vivavoce.api.reporting import Report, report
from vivavoce.api.rows import MeasuredDifference, MeasuredValue, PreferredVersion, SampleSize
from vivavoce.api.simulating import Simulation, export_log, simulate
from vivavoce.connectors.base import (
    Capabilities,
    Connector,
    ConnectorSettings,
    Conversation,
    SystemOutput,
    UserTurn,
)
from vivavoce.core.errors import InputError, SystemUnderTestError, UnknownName, VivavoceError
from vivavoce.core.verb import Verb
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import Importer, ImportResult
from vivavoce.languages.base import Language
from vivavoce.measures.base import Measure, Tables
from vivavoce.questionnaires.instrument import Instrument as Questionnaire
from vivavoce.reports.section import Section
from vivavoce.steps.base import Information, Message
from vivavoce.steps.base import StepKind as Step
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.channel import Channel
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce_stress.base import Edit, LanguagePack, StressTest, Substitution, Utterance

__all__ = [
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
