"""A listening test: who hears what, what counts, and what comes of it in the dataset and its analysis."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student

from scenes.listening import clip, listening_study
from vivavoce.analysis.listening import listening_results
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.steps.listening_test.hearing import CountedTones
from vivavoce.steps.listening_test.step import ClipJudgement
from vivavoce.steps.stimulus import PlanContext, Rejected
from vivavoce.study.load import check_study
from vivavoce.study.step_kind import kind_of
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Stale


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def log(tmp_path: Path, clock: ManualClock) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock) as opened:
        yield opened


def opinion(trial, person):
    """Clean clips sound good, noisy ones poor, to everybody in another measure."""
    return ClipJudgement(value=(4 if trial.first.condition == "clean" else 2) + (person % 2))


def preference(trial, person):
    if person == 0:
        return ClipJudgement(choice="tie")
    return ClipJudgement(choice="first" if trial.first.condition == "clean" else "second")


async def visit(engine: SessionEngine, clock: ManualClock, person: int, judge, deaf: bool = False) -> None:
    opened = await engine.open_visit(language="en", person=f"p{person}")
    for _ in range(99):
        state = await engine.state(opened.visit_id)
        if state.phase != "stimulus":
            return
        clock.advance(5)
        due = state.shown.stimulus
        said = judge(due, person) if state.attempt is None else CountedTones(counted=due.tones + deaf)
        await engine.forms.respond(
            opened.visit_id, step=0, attempt=state.attempt, position=state.position, response=said
        )


def run(study, log, clock, judge, people=3, deaf=()) -> None:
    async def everybody() -> None:
        engine = SessionEngine(study, log, {}, clock=clock)
        await engine.start()
        for person in range(people):
            await visit(engine, clock, person, judge, deaf=person in deaf)
        await engine.stop()

    asyncio.run(everybody())


def test_mean_opinion_scores_are_those_of_the_people_whose_hearing_was_right(tmp_path, log, clock) -> None:
    study = listening_study(tmp_path / "study")
    run(study, log, clock, opinion, people=5, deaf={4})
    dataset = export_dataset(log, "clips", tmp_path / "D")
    facts = listening_results(dataset)
    assert (facts.participants, facts.left_out, facts.judgements) == (4, 1, 24)
    clean, noisy = facts.opinions
    assert (clean.condition, clean.mean, clean.counts) == ("clean", 4.5, [0, 0, 0, 6, 6])
    assert (noisy.mean, noisy.ratings, noisy.clips) == (2.5, 12, 3)
    # four people whose means are 4, 5, 4, 5, with t of three degrees of freedom, on the logit of the place
    # between 1 and 5
    error = np.std([4.0, 5.0, 4.0, 5.0], ddof=1) / np.sqrt(4) / 4
    for one in (clean, noisy):
        place = (one.mean - 1) / 4
        reach = student.ppf(0.975, 3) * error / (place * (1 - place))
        assert one.low == pytest.approx(1 + 4 * expit(logit(place) - reach))
        assert 1 < one.low < one.mean < one.high == pytest.approx(1 + 4 * expit(logit(place) + reach))
        assert "interval:cluster_robust_logit_t 0.95" in one.signature


def test_two_conditions_are_compared_within_listeners(tmp_path, log, clock) -> None:
    def differing(trial, person):
        """Everybody has a level of their own, on which clean clips stand higher by 1, for one person by 2."""
        more = 1 + (person == 0)
        return ClipJudgement(value=1 + person % 3 + (more if trial.first.condition == "clean" else 0))

    run(listening_study(tmp_path / "study"), log, clock, differing, people=8)
    facts = listening_results(export_dataset(log, "clips", tmp_path / "D"))
    (one,) = facts.contrasts
    assert (one.a, one.b, one.participants, one.both) == ("clean", "noisy", 8, 8)
    # differences 2, 1, 1, 1, 1, 1, 1, 1: of the 256 ways to swap conditions within people two are as extreme
    assert one.difference == pytest.approx(9 / 8)
    assert one.p == pytest.approx(2 / 256) == one.p_holm
    assert 0 < one.low < 1 < 9 / 8 < one.high < 2
    wide = [each.high - each.low for each in facts.opinions]
    assert one.high - one.low < min(wide)
    assert "interval:permutation_within 0.95" in one.signature


def test_of_two_clips_a_tie_counts_half(tmp_path, log, clock) -> None:
    run(listening_study(tmp_path / "study", method="pairs"), log, clock, preference)
    (pair,) = listening_results(export_dataset(log, "clips", tmp_path / "D")).pairs
    assert (pair.a, pair.b, pair.share) == ("clean", "noisy", pytest.approx(7.5 / 9))
    assert (pair.a_better, pair.ties, pair.b_better) == (6, 3, 0)


def test_an_answer_before_the_clip_can_have_been_heard_is_refused(tmp_path, log, clock) -> None:
    study = listening_study(tmp_path / "study", seconds=2.0, hearing="none")

    async def hurry() -> None:
        engine = SessionEngine(study, log, {}, clock=clock)
        await engine.start()
        opened = await engine.open_visit(language="en", person="p")
        await engine.state(opened.visit_id)
        good, wrong = ClipJudgement(value=4), ClipJudgement(choice="first")
        for wait, said, reason in ((1.0, good, "listen to the end"), (2.0, wrong, "choose an answer")):
            clock.advance(wait)
            with pytest.raises(Rejected, match=reason):
                await engine.forms.respond(opened.visit_id, step=0, position=0, response=said)
        await engine.forms.respond(opened.visit_id, step=0, position=0, response=good)
        with pytest.raises(Stale):
            await engine.forms.respond(opened.visit_id, step=0, position=0, response=good)
        await engine.stop()

    asyncio.run(hurry())


def test_everybody_hears_every_condition_alike_and_the_seed_decides_the_order(tmp_path) -> None:
    study = listening_study(tmp_path / "study", sentences=5, per_participant=4)
    step = study.visit[0]
    kind = kind_of(step)
    draws = [PlanContext(f"p{number}", number, Random(number), place=0) for number in range(30)]
    plans = [kind.plan(step, study, draw) for draw in draws]
    for plan, draw in zip(plans, draws, strict=True):
        assert Counter(trial.first.condition for trial in plan) == {"clean": 2, "noisy": 2}
        tries = kind.qualification.tries(step, study, draw)
        assert len(tries) == 3 and all(3 <= one.tones <= 7 for one in tries)
    assert plans[0] == kind.plan(step, study, PlanContext("p0", 7, Random(7), place=0))
    assert len({tuple(trial.first.audio for trial in plan) for plan in plans}) > 15


def test_what_is_wrong_with_the_clips_is_named_with_its_line(tmp_path) -> None:
    study = tmp_path / "study"
    listening_study(study, method="pairs")
    clip(study / "clips" / "long.wav", 300, 61)
    lines = (study / "clips.csv").read_text().splitlines()
    lines += ["gone.wav,clean,9", "../study.yaml,clean,9", "clean-0.wav,clean,0", "long.wav,clean,9"]
    (study / "clips.csv").write_text("\n".join(lines))
    problems = check_study(study / "study.yaml")
    told = "\n".join(str(problem) for problem in problems)
    for line in (
        "clips.csv:8: no file 'gone.wav'",
        "clips.csv:10: 'clean-0.wav' is listed twice",
        "lasts 61 s",
    ):
        assert line in told
    (study / "clips.csv").write_text("audio,condition,pair\nclean-0.wav,clean,1\nclean-1.wav,clean,1\n")
    problems = check_study(study / "study.yaml")
    assert "pair '1' has 2 clips of 1 conditions. Give every pair two clips" in str(problems[0])


def test_a_dataset_without_sound_ears_has_no_scores(tmp_path, log, clock) -> None:
    run(listening_study(tmp_path / "study"), log, clock, opinion, people=1, deaf={0})
    with pytest.raises(InputError, match="none of 6 clip judgements"):
        listening_results(Dataset(export_dataset(log, "clips", tmp_path / "D").folder))
