"""A study with an annotation section, and a log of dialogues held with two systems."""

from pathlib import Path

from vivavoce.core.clock import ManualClock
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study

SAID = (
    ("system", "Hello, what are you looking for?"),
    ("user", "a cheap thai place"),
    ("system", "I am sorry, I did not understand that."),
    ("user", "something thai and cheap, and what is its phone number?"),
    ("system", "Bangkok House is cheap and thai. Its number is 223344."),
)


def annotated_study(folder: Path, annotation: str = "schemes: [context, maxim]\n  double: 0.5") -> Study:
    """The study that `vivavoce init` writes, in English and Italian, with a section `annotation`."""
    write_study(folder, "cambridge-2011", name="city")
    path = folder / "study.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\nannotation:\n  {annotation}\n", encoding="utf-8")
    return load_study(path)


def hold_dialogue(log: Log, study: Study, number: int, *, said: tuple[tuple[str, str], ...] = SAID) -> str:
    """One finished dialogue with the systems in turn; its key. The clock moves on by a second a turn."""
    system = list(study.systems)[number % len(study.systems)]
    visit_id, dialogue_id = f"visit-{number}", f"dialogue-{number:03}"
    task = study.tasks[number % len(study.tasks)]
    made: list[events.Event] = [
        events.VisitOpened(study=study.name, revision=study.revision, participant_id=f"participant-{number}",
                           pool="link", language="en"),
        events.DialogueAssigned(
            dialogue_id=dialogue_id, step=2, round=0, system=system, task_id=task.task_id,
            task=task.model_dump(mode="json"), channel="text", language="en", conversation=f"c{number}",
        ),
        events.DialogueOpened(dialogue_id=dialogue_id),
    ]  # fmt: skip
    for index, (party, text) in enumerate(said):
        made.append(
            events.UserTurnSent(dialogue_id=dialogue_id, turn_index=index, text=text)
            if party == "user"
            else events.SystemTurnReceived(
                dialogue_id=dialogue_id, turn_index=index, reply_to=index - 1 if index else None,
                messages=[events.LoggedMessage(text=text)],
                first_output_s=float(index), complete_s=index + 0.5,
            )
        )  # fmt: skip
    user_turns = sum(party == "user" for party, _ in said)
    made.append(events.DialogueEnded(dialogue_id=dialogue_id, reason="user", user_turns=user_turns))
    for event in made:
        if isinstance(log.clock, ManualClock):
            log.clock.advance(1)
        log.transact_now(lambda tx, event=event: tx.append(visit_id, event))
    return dialogue_id
