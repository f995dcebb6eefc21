"""The contracts of the strangers' packages; run where they are installed."""

import json
from pathlib import Path

from vivavoce.measures import MEASURES
from vivavoce.testing.channel import ChannelContract
from vivavoce.testing.connector import ConnectorContract
from vivavoce.testing.dashboard_page import DashboardPageContract
from vivavoce.testing.exporter import ExporterContract, Said
from vivavoce.testing.importer import ImporterContract
from vivavoce.testing.judge import JudgeContract
from vivavoce.testing.judgement import JudgementContract
from vivavoce.testing.language import LanguageContract
from vivavoce.testing.measure import MeasureContract
from vivavoce.testing.questionnaire import QuestionnaireContract
from vivavoce.testing.section import SectionContract
from vivavoce.testing.stimulus_step import StimulusStepContract
from vivavoce.testing.verb import VerbContract
from vivavoce_recruitment.testing import RecruiterContract
from vivavoce_stress.testing import StressTestContract

PARTIES = {"VISITOR:": "user", "DESK:": "system"}
HERE = Path(__file__).resolve().parent


class TestMessages(ChannelContract):
    name, languages = "message", ("en", "it")
    settings = {"gate": "none"}


class TestDesk(ConnectorContract):
    name = "desk"
    settings = {"books": ["atlas"]}


class TestPlay(ExporterContract):
    name = "play"

    def said(self, folder: Path) -> Said:
        found: Said = {}
        acts = [one.split(" ", 2) for one in (folder / "play.txt").read_text("utf-8").split("\n") if one]
        for first, *rest in acts:
            if first == "ACT":
                act = found.setdefault(json.loads(rest[1]), [])
            else:
                act.append((PARTIES[first], json.loads(" ".join(rest))))
        return found


class TestPharmacy(ImporterContract):
    format = "pharmacy"
    sample = HERE / "importer" / "chats.csv"
    calls = 2


class TestDeskJudge(JudgeContract):
    name = "desk"
    settings = {"excuses": ["thai"]}


class TestPoliteness(JudgementContract):
    name, languages = "politeness", ("en", "it")
    forms = {"/annotate/politeness/work": {"turn_0": "4", "turn_2": "2", "turn_4": "5"}}


class TestEsperanto(LanguageContract):
    name = "eo"


class TestApologies(MeasureContract):
    measure = MEASURES.get("apologies")


class TestCourtesy(QuestionnaireContract):
    name, languages = "desk_courtesy", ("en",)


class TestCards(RecruiterContract):
    name = "cards"
    written = {"cards": {"12": "0" * 64}}
    guess = {"card": "12", "word": "guess"}


class TestOpenings(SectionContract):
    name, languages = "openings", ("en", "it")


class TestTriage(StimulusStepContract):
    name, languages = "triage", ("en", "it")
    answer, gap = {"desk": "loans", "sure": "on"}, {"sure": "on"}
    settings = {"enquiries": "enquiries.txt", "desks": ["loans", "maps"]}
    files = {"enquiries.txt": (HERE / "study" / "enquiries.txt").read_text("utf-8")}
    protocol = "library-desk"


class TestPitch(StimulusStepContract):
    name, languages = "pitch", ("en", "it")
    settings = {"each": 5, "check": False}
    answer, gap = {"higher": "second", "plays": "2"}, {"plays": "3"}


class TestRecite(StimulusStepContract):
    name, languages = "recite", ("en", "it")
    settings = {"sentences": ["They swim.", "They sing.", "They fly."]}
    answer, gap = {"text": "They swim."}, {"text": " "}
    earlier = [
        ("sentences_chosen", {"step": 1, "sentences": [{"text": "They swim."}], "room": []}),
        ("sentence_recited", {"step": 1, "position": 0, "typed": "They swim.", "response_s": 2.5}),
    ]


class TestHesitation(StressTestContract):
    name = "HESITATION"


class TestQueue(DashboardPageContract):
    name = "queue"


class TestQuote(VerbContract):
    name = "quote"
    missing = ("no-such-folder", "atlas")
