"""`simulate` and `export_log`: programs go through a study; what is in its log becomes a dataset."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vivavoce.api.studies import export_study, loaded_study, make_connectors, open_log, run_to_end
from vivavoce.api.wording import errors_in_python
from vivavoce.core.errors import InputError
from vivavoce.core.executor import working_on

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset
    from vivavoce.log.store import Log
    from vivavoce.simulation.user_factory import UserSimulator
    from vivavoce.simulation.user_profile import Population
    from vivavoce.study.model import Study

Confusions = Literal["spelling", "sound"]
Only = Literal["people", "simulated", "both"]
Progress = Callable[[int, int], None]
DIALOGUES, PARTICIPANTS, WORD_ERROR_RATE = 240, 36, 0.25


@dataclass(frozen=True)
class ChosenUsers:
    """Simulated users, the program that plays them, and their language."""

    population: "Population"
    casting: "UserSimulator | None"
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """Outcome of a simulation; the dialogues are in the study's log, marked as simulated.

    unit    what was simulated: dialogues, or participants where a visit has no dialogue
    held    how many came to an end
    failed  how many of them ended because the system failed
    seed    with which the same users come again
    """

    study: str
    unit: Literal["dialogue", "participant"]
    held: int
    failed: int
    seed: int


def simulate(
    study: "Study | Path | str",
    *,
    dialogues: int = DIALOGUES,
    participants: int = PARTICIPANTS,
    seed: int | None = None,
    word_error_rate: float | None = None,
    population: Path | str | None = None,
    domain: str | None = None,
    language: str | None = None,
    confusions: Confusions = "spelling",
    user_url: str | None = None,
    user_model: str | None = None,
    user_key: str | None = None,
    prefer: Mapping[str, float] | None = None,
    alike: float | None = None,
    log: str | None = None,
    engine: str | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Let simulated users hold dialogues with a study's systems, as `vivavoce simulate` does.

    Input   study: loaded, its file or folder. dialogues: how many; participants: how many, where a visit has
            no dialogue. seed: same seed, same users. word_error_rate: of the noise between user and system,
            0.25. population: brief, chatty, confused, hostile, or a YAML file of the users' habits. domain:
            what the users talk about. user_url, user_model, user_key: an OpenAI-compatible model that plays
            them. prefer: what judges of transcripts prefer, the share of the experimental version by variable
            or "variable:question". alike: how alike one judge's answers about a variable are, 0.2. log:
            sqlite:/// or postgresql://; beside the study when left out. engine: as in `measure`: callers in
            pieces call from there. progress: called with done and total
    Raises  InputError: the study has problems, or nobody can be simulated in it
    """
    with errors_in_python(), working_on(engine):
        return simulation(
            loaded_study(study),
            dialogues=dialogues,
            participants=participants,
            seed=seed,
            word_error_rate=word_error_rate,
            population=population,
            domain=domain,
            language=language,
            confusions=confusions,
            user_url=user_url,
            user_model=user_model,
            user_key=user_key,
            log=log,
            progress=progress,
            prefer=[f"{name}={share}" for name, share in (prefer or {}).items()],
            alike=alike,
        )


def simulation(
    plan: "Study",
    *,
    dialogues: int,
    participants: int,
    seed: int | None,
    word_error_rate: float | None,
    population: Path | str | None,
    domain: str | None,
    language: str | None,
    confusions: Confusions,
    user_url: str | None,
    user_model: str | None,
    user_key: str | None,
    log: str | None,
    progress: Progress | None,
    prefer: Sequence[str] = (),
    alike: float | None = None,
) -> Simulation:
    """Simulation of a loaded study; the command line runs it."""
    from vivavoce.simulation.domain import load_domain
    from vivavoce.simulation.planted import ONLY_TRANSCRIPTS, planted_in
    from vivavoce.simulation.population_file import find_population, usual_population
    from vivavoce.simulation.trial import counts_dialogues
    from vivavoce.simulation.user_factory import UserSimulator

    if prefer and counts_dialogues(plan):
        raise InputError("this study has dialogues with people", place="--prefer", hint=ONLY_TRANSCRIPTS)
    people = find_population(str(population)) if population else usual_population()
    if not counts_dialogues(plan):
        users, amount = ChosenUsers(people.people(1 if seed is None else seed), None, language), participants
        if prefer:
            users.population.planted = planted_in(plan, prefer, alike)
    else:
        if word_error_rate is not None:
            people = people.model_copy(update={"word_error_rate": None})
        if user_url is not None:
            casting: UserSimulator = _played_by_model(plan, user_url, user_model, user_key)
        else:
            casting = UserSimulator.of(plan, load_domain(domain) if domain else None)
        casting.confusions = confusions
        drawn = people.people(seed)
        casting.sayings = drawn.sayings
        users, amount = ChosenUsers(drawn, casting, language), dialogues
    seeded = users.population.seed
    with open_log(plan, log) as opened:
        before = _failed(plan, opened)
        count = simulate_study(
            plan,
            opened,
            amount,
            seed=seeded,
            report=progress,
            chosen=users,
            error_rate=WORD_ERROR_RATE if word_error_rate is None else word_error_rate,
        )
        failed = _failed(plan, opened) - before
    unit = "dialogue" if users.casting else "participant"
    return Simulation(study=plan.name, unit=unit, held=count, failed=failed, seed=seeded)


def simulate_study(
    study: "Study",
    log: "Log",
    amount: int,
    *,
    seed: int,
    error_rate: float = WORD_ERROR_RATE,
    report: Progress | None = None,
    chosen: ChosenUsers | None = None,
) -> int:
    """Simulate this many dialogues, or visits without dialogues; return how many ended."""
    from vivavoce.core.executor import elsewhere
    from vivavoce.simulation.trial import run_trial
    from vivavoce.trial.engine import SessionEngine

    if elsewhere():
        from vivavoce.api.callers_elsewhere import SharedTrial, simulate_elsewhere
        from vivavoce.simulation.user_profile import Population

        users = chosen or ChosenUsers(Population(seed), None)
        shared = SharedTrial(
            study=study,
            population=users.population,
            casting=users.casting,
            language=users.language,
            seed=seed,
            error_rate=error_rate,
        )
        return simulate_elsewhere(shared, log, amount, report)

    async def run() -> int:
        engine = SessionEngine(study, log, make_connectors(study))
        await engine.start()
        try:
            return await run_trial(
                engine,
                amount,
                seed=seed,
                error_rate=error_rate,
                progress=report,
                population=chosen and chosen.population,
                casting=chosen and chosen.casting,
                language=chosen and chosen.language,
            )
        finally:
            await engine.stop()
            if chosen and chosen.casting:
                await chosen.casting.shut_down()

    return run_to_end(run())


def _failed(study: "Study", log: "Log") -> int:
    """Dialogues that ended because the system failed."""
    return sum(dialogue.end_reason == "failure" for dialogue in log.dialogues(study.name))


def _played_by_model(plan: "Study", url: str, model: str | None, key: str | None) -> "UserSimulator":
    from vivavoce.simulation.model_user import ModelCasting

    if not plan.tasks:
        raise InputError("users need tasks", place=f"study {plan.name}", hint="add `tasks`")
    if not model:
        raise InputError("the model is missing", place="--user-url", hint="add --user-model NAME")
    return ModelCasting.behind(plan, url, model, key)


def export_log(
    study: "Study | Path | str",
    into: Path | str,
    *,
    log: str | None = None,
    only: Only | None = None,
    audio: bool = False,
    level: Literal["internal", "shareable", "public"] = "internal",
    finds: Path | None = None,
    mask_all: bool = False,
    replace: bool = False,
) -> "Dataset":
    """Turn a study's log into a dataset, as `vivavoce export` does.

    Input   into: folder of the dataset. log: as in `simulate`. only: whose visits; people's as soon as
            somebody has come, unless said. audio: copy the recordings, too. level: for whom it is: the
            laboratory, colleagues who are bound to keep it, or everybody. finds, mask_all: what was
            found in texts before a publication, and whether all of it is masked, as in `vivavoce export`.
            replace: put it in the place of a dataset that is there
    Raises  InputError: the folder holds a dataset already, nothing was logged yet, the level has no audio, or
            something that was found in texts before a publication is not decided
    """
    from contextlib import nullcontext

    from vivavoce.dataset.reader import replacing
    from vivavoce.log.models import scope_of

    with errors_in_python(), replacing() if replace else nullcontext():
        plan = loaded_study(study)
        scope = None if only in (None, "both") else scope_of(simulated=only == "simulated")
        with open_log(plan, log) as opened:
            return export_study(
                plan,
                opened,
                Path(into),
                scope=scope,
                both=only == "both",
                audio=audio,
                level=level,
                finds=finds,
                mask_all=mask_all,
            )
