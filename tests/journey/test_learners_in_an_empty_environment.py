"""What `vivavoce[learn]` is worth in an environment with nothing in it, installed as install.md tells it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
WHEELS = os.environ.get("VIVAVOCE_TORCH_WHEELS", "")  # a folder with PyTorch's build for processors
ASKED = """
import json, sys, torch
from importlib.metadata import distributions
names = sorted({one.metadata["Name"].lower() for one in distributions()})
print(json.dumps({"cuda": torch.version.cuda, "cards": [one for one in names if one.startswith("nvidia")],
                  "from": [torch.__file__, __import__("vivavoce_commands").__file__]}))
"""

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]


@pytest.mark.skipif(not WHEELS, reason="VIVAVOCE_TORCH_WHEELS names no folder with PyTorch for processors")
def test_pytorch_for_processors_first_then_the_extra_imports_trains_and_answers(tmp_path: Path) -> None:
    environment = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"

    def pip(*words: str) -> None:
        subprocess.run([python, "-m", "pip", "install", "-q", *words], check=True, cwd=tmp_path)

    (wheel,) = Path(WHEELS).glob("torch-*+cpu*.whl")
    pip(str(wheel))  # as from the index of PyTorch's own: the one file, what it needs from the usual place
    pip(f"vivavoce[learn] @ {CHECKOUT.as_uri()}")
    facts = answer_of(python, "-c", ASKED, cwd=tmp_path)
    assert '"cuda": null' in facts
    assert '"cards": []' in facts
    assert str(CHECKOUT) not in facts

    vivavoce = environment / "bin" / "vivavoce"
    answer_of(vivavoce, "understand", "generate", "--language", "en", "--into", "kitchen", cwd=tmp_path)
    answer_of(
        vivavoce,
        "understand",
        "train",
        "kitchen/test",
        "--system",
        "d",
        "--epochs",
        "1",
        "--into",
        "system",
        cwd=tmp_path,
    )
    answer_of(vivavoce, "understand", "predict", "system", "kitchen/test", "--into", "answers", cwd=tmp_path)
    assert any((tmp_path / "answers").iterdir())


def answer_of(*words: object, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(one) for one in words], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
