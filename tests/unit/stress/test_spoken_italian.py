"""Italian by voice, whole: festival speaks, Whisper hears, the bot gets hypotheses, the ladder judges."""

import hashlib
import json
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.core.text import words

MODEL = os.environ.get("VIVAVOCE_WHISPER_MODEL", "")
pytestmark = [
    pytest.mark.skipif(
        not MODEL or find_spec("faster_whisper") is None,
        reason="needs the extra `whisper` and a model's folder in VIVAVOCE_WHISPER_MODEL",
    ),
    pytest.mark.skipif(shutil.which("text2wave") is None, reason="apt install festival festvox-italp16k"),
]
SUITE = """\
suite: locali
version: 1
system: {{connect: python, call: "vivavoce_bots.calling:restaurant_nbest", in_process: true, greeting: true}}
speech:
  recognisers: {{it: {{use: whisper, model: {model}, sha256: {sha256}, hypotheses: 5,
    prompt: "Ristorante economico, zona nord, cucina cinese."}}}}
  synthesisers: {{it: festival}}
cases:
  - {{case_id: one, test: ST-2, family: spelling, language: it,
     original: vorrei prenotare un pub economico, variant: vorrei prennotare un pub economico}}
  - {{case_id: two, test: ST-8, family: syntactic, language: it,
     original: vorrei trovare un ristorante greco, variant: vorrei che fosse trovato un ristorante greco}}
  - {{case_id: three, test: ST-3, family: spelling, language: it,
     original: un caffè in centro, variant: un caffe in centro}}
"""


def test_italian_variants_are_spoken_heard_and_judged(tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"
    digest = hashlib.sha256(Path(MODEL, "model.bin").read_bytes()).hexdigest()
    suite.write_text(SUITE.format(model=json.dumps(MODEL), sha256=digest), encoding="utf-8")
    found = CliRunner().invoke(app, ["stress", "run", str(suite), "--json"])
    assert found.exit_code == 0, found.output
    (run,) = json.loads(found.stdout)["runs"]
    assert run["whole"]["why_not_applicable"] == {"it does not apply to voice": 1}
    assert run["whole"]["applied"] == 2 and run["languages"][0]["name"] == "it"
    for arm in ("clean", "variant"):
        told = run["spoken"][arm]
        assert told["turns"] == 2 and told["word_error_rate"] <= 0.5
        assert told["words"] == sum(
            len(words(one))
            for one in {
                "clean": ("vorrei prenotare un pub economico", "vorrei trovare un ristorante greco"),
                "variant": (
                    "vorrei prennotare un pub economico",
                    "vorrei che fosse trovato un ristorante greco",
                ),
            }[arm]
        )
    assert run["spoken"]["speech"]["recognisers"]["it"]["use"] == "whisper"
