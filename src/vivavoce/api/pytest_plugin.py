"""Tests of a conversational system in a team's pipeline: the fixture `vivavoce` of pytest.

pytest loads this in everybody's runs, so nothing but pytest is imported before a test asks for the fixture.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from vivavoce.analysis.releases import ReleaseComparison, ReleaseRow
    from vivavoce.connectors.base import Connector
    from vivavoce.dataset.reader import Dataset

_STUDY = "vivavoce_study"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The study that tests are about: an option, or a line of the project's settings of pytest."""
    description = "study file of the systems under test, or its folder"
    parser.getgroup("vivavoce").addoption("--vivavoce-study", metavar="STUDY", default=None, help=description)
    parser.addini(_STUDY, description, default="")


@pytest.fixture
def vivavoce(request: pytest.FixtureRequest, tmp_path: Path) -> "Iterator[Examination]":
    """The study's systems, to be talked to, to be examined by simulated users, to be compared."""
    chosen = request.config.getoption("--vivavoce-study") or request.config.getini(_STUDY)
    study = request.config.rootpath / chosen if chosen else None
    # the fixture record_property warns under the default family of JUnit files
    properties: list[tuple[str, object]] = request.node.user_properties
    examination = Examination(study, tmp_path, lambda name, value: properties.append((name, value)))
    yield examination
    examination.close()


class Examination:
    """Simulations and measures of one test; its log and datasets lie in the test's own folder."""

    def __init__(self, study: Path | None, folder: Path, record: Callable[[str, object], None]) -> None:
        self._named_study, self._folder, self._record = study, folder, record
        self._talks: list[SystemConversation] = []
        self._runs = 0

    @property
    def _study(self) -> Path:
        if self._named_study is None:
            raise pytest.UsageError(
                "the study is missing: pytest --vivavoce-study STUDY, or vivavoce_study = STUDY"
            )
        return self._named_study

    def system(self, name: str, *, language: str | None = None) -> "SystemConversation":
        """A conversation with one system of the study. Raises UnknownName, InputError"""
        from vivavoce.api.studies import make_connectors, read_study
        from vivavoce.core.errors import UnknownName

        plan = read_study(self._study)
        if name not in plan.systems:
            raise UnknownName("system", name, list(plan.systems), place=str(self._study))
        talk = SystemConversation(make_connectors(plan, [name])[name], language or plan.default_language)
        self._talks.append(talk)
        return talk

    def simulate(self, *, dialogues: int = 40, seed: int = 1, **more: Any) -> "Dataset":
        """Simulate users of the study's systems; `more` as `vivavoce.simulate` takes it.

        Raises  InputError: the study has problems
        """
        from vivavoce.api.simulating import export_log, simulate

        self._runs += 1
        log = f"sqlite:///{self._folder / f'run-{self._runs}.sqlite'}"
        simulation = simulate(self._study, dialogues=dialogues, seed=seed, log=log, **more)
        self._record(
            f"vivavoce.run-{self._runs}",
            f"{simulation.held} dialogues, {simulation.failed} failed, seed {simulation.seed}",
        )
        return export_log(self._study, self._folder / f"run-{self._runs}", log=log, only="simulated")

    def run(self, *words: str | Path) -> None:
        """Any verb of the command line, such as `stress`; the test fails where it ends with a code but 0."""
        import subprocess
        import sys

        completed = subprocess.run(
            [sys.executable, "-m", "vivavoce", *map(str, words)], capture_output=True, text=True, check=False
        )
        if completed.returncode:
            __tracebackhide__ = True
            output = f"{completed.stdout}{completed.stderr}".strip()
            pytest.fail(
                f"vivavoce {' '.join(map(str, words))} ended with {completed.returncode}:\n{output}", False
            )

    def assert_no_worse(
        self,
        new: "Dataset | Path | str",
        than: "Dataset | Path | str",
        *,
        margin: float = 0.1,
        measures: Sequence[str] | None = None,
    ) -> None:
        """Fail unless a new version is shown to be no worse than a release, by less than the margin.

        Input   new, than: datasets of the new version and of the release, or their folders; measures: rates
                of success; when left out, all that both have, without the opinions of simulated users
        Note    participants are the unit; one test a measure against the margin, adjusted after Holm over all
                rates; dialogues of the same simulated callers are paired. What was not shown fails, too: more
                dialogues may show it
        Raises  InputError: no such dataset, a margin outside 0 to 1, or a measure that one of both lacks
        """
        __tracebackhide__ = True
        from vivavoce.analysis.releases import RATES, against
        from vivavoce.core.errors import InputError
        from vivavoce.dataset.reader import Dataset

        sides = [side if isinstance(side, Dataset) else Dataset(side) for side in (new, than)]
        comparison = against(*sides, margin=margin)
        rows = {row.measure: row for row in comparison.rows if row.key is None and row.measure in RATES}
        opinions = {"subjective_success"} if any(side.simulated for side in sides) else set()
        selected = [name for name in rows if name not in opinions] if measures is None else list(measures)
        missing = [name for name in selected if name not in rows]
        if missing or not selected:
            raise InputError(
                f"{', '.join(missing) or 'success'} cannot be compared",
                place="assert_no_worse",
                hint=f"rates in both datasets: {', '.join(rows) or 'none'}",
            )
        for name in selected:
            self._record(f"vivavoce.{name}", _told(rows[name], margin))
            self._record(f"vivavoce.{name}.signature", rows[name].signature)
        failed = [_told(rows[name], margin) for name in selected if not rows[name].no_worse.shown]
        if failed:
            pytest.fail(
                "\n".join(["non-inferiority to the release not shown:", *failed, *_doubts(comparison)]),
                False,
            )

    def close(self) -> None:
        """End all conversations."""
        for talk in self._talks:
            talk.close()


class SystemConversation:
    """One conversation with a system, turn by turn."""

    def __init__(self, connector: "Connector", language: str) -> None:
        import asyncio
        import secrets

        from vivavoce.connectors.base import Conversation

        self._connector, self._turns, self._begun = connector, 0, False
        self._conversation = Conversation(key=secrets.token_hex(16), language=language)
        self._loop = asyncio.new_event_loop()

    def say(self, text: str) -> str:
        """The system's answer; several messages as lines. Raises SystemUnderTestError: it gave none"""
        return self._loop.run_until_complete(self._say(text))

    async def _say(self, text: str) -> str:
        from vivavoce.connectors.base import PastTurn, UserTurn

        if not self._begun:
            self._begun = True
            await self._heard(self._connector.open(self._conversation))
        self._turns += 1
        turn = UserTurn(key=f"{self._conversation.key}-{self._turns}", number=self._turns, text=text)
        answer = await self._heard(self._connector.send(self._conversation, turn))
        self._conversation.history += (PastTurn("user", text), PastTurn("system", answer))
        return answer

    async def _heard(self, outputs: Any) -> str:
        from vivavoce.trial.outputs import SystemTurn, gather

        turn = SystemTurn()
        await gather(outputs, self._loop.time, turn)
        return "\n".join(message.text for message in turn.messages)

    def close(self) -> None:
        """End it; a second time does nothing."""
        if self._loop.is_closed():
            return
        self._loop.run_until_complete(self._connector.close(self._conversation))
        self._loop.run_until_complete(self._connector.shut_down())
        self._loop.close()


def _told(row: "ReleaseRow", margin: float) -> str:
    summary = f"{row.measure}: {row.new:.1%} (n {row.new_n}) after {row.old:.1%} (n {row.old_n})"
    low = "unknown" if row.low_90 is None else f"{100 * row.low_90:+.1f}"
    p = "none" if row.no_worse.p_holm is None else f"{row.no_worse.p_holm:.3f}"
    paired = "" if row.pairs is None else f", {row.pairs} pairs of dialogues"
    too_few = "; too few participants for this margin" if row.too_few else ""
    return (
        f"{summary}, difference {100 * row.difference:+.1f} points, at least {low} with 95 % confidence; "
        f"margin {100 * margin:g} points; p {p} over {row.clusters} participants{paired}{too_few}"
    )


def _doubts(comparison: "ReleaseComparison") -> list[str]:
    return [str(doubt) for doubt in comparison.doubts]
