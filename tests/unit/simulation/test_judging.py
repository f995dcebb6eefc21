"""Programs that talk take no part in steps that are made for people's judgement."""

import asyncio
from pathlib import Path

import pytest

from scenes.fighting import SYSTEMS
from scenes.visits import Parrot
from vivavoce.core.errors import InputError
from vivavoce.log.store import Log
from vivavoce.simulation.trial import run_trial
from vivavoce.study.load import load_study
from vivavoce.trial.engine import SessionEngine


def test_simulated_callers_are_refused_where_people_must_vote(tmp_path: Path) -> None:
    systems = ", ".join(f"{name}: {{connect: scripted}}" for name in SYSTEMS)
    (tmp_path / "study.yaml").write_text(
        f"study: ring\nsystems: {{{systems}}}\nvisit:\n  - dialogue: {{gate: none}}\n  - arena\n"
    )
    study = load_study(tmp_path)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, {name: Parrot() for name in SYSTEMS})
        with pytest.raises(InputError, match=r"the step 'arena'. Simulate a copy"):
            asyncio.run(run_trial(engine, 1, seed=1, error_rate=0.0))
