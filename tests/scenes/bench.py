"""Trials of bundled bots in this process, with what the simulator itself knows of each dialogue."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from vivavoce.api.studies import export_study, make_connectors, open_log
from vivavoce.dataset.reader import Dataset
from vivavoce.simulation.agenda_user import Judgement
from vivavoce.simulation.trial import run_trial
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine

STUDY = """
study: bench
protocol: cambridge-2011
systems:
{systems}
ontology: restaurants.yaml
tasks:
  {{generate: 300, constraints: 2..3, requests: 1..2, dontcare: 0.1, unsatisfiable: {unsatisfiable}, seed: 7}}
visit:
  - consent: consent.md
  - dialogue: {{repeat: 1..40, gate: none}}
  - questionnaire: cambridge
allocation: least-used-by-participant
"""


@dataclass(frozen=True)
class Held:
    """A trial that was held: its dataset, and the callers' judgements by dialogue."""

    dataset: Dataset
    judged: dict[str, Judgement]


def hold_trial(
    folder: Path,
    systems: dict[str, str],
    dialogues: int,
    *,
    error_rate: float,
    seed: int = 1,
    unsatisfiable: float = 0.0,
) -> Held:
    """Simulated callers on systems that are named by `call`, in process; the module may lie in `folder`."""
    write_study(folder / "study", "cambridge-2011", name="bench")
    lines = [
        f'  {name}: {{connect: python, call: "{call}", path: "{folder}", in_process: true, greeting: true}}'
        for name, call in systems.items()
    ]
    written = STUDY.format(systems="\n".join(lines), unsatisfiable=unsatisfiable)
    (folder / "study" / "study.yaml").write_text(written, encoding="utf-8")
    study, judged = load_study(folder / "study"), {}

    async def run() -> None:
        engine = SessionEngine(study, log, make_connectors(study))
        await engine.start()
        try:
            await run_trial(engine, dialogues, seed=seed, error_rate=error_rate, judged=judged)
        finally:
            await engine.stop()

    with open_log(study, None) as log:
        asyncio.run(run())
        dataset = export_study(study, log, folder / "dataset")
    return Held(dataset, judged)
