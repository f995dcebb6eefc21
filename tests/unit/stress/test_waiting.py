"""What waits for people is one number, of the log as of the dataset."""

from pathlib import Path

from unit.stress.conftest import case
from unit.stress.test_runs import Counting, hold
from vivavoce.connectors.base import Conversation, SystemOutput, UserTurn
from vivavoce.log.store import Log
from vivavoce.log.stress_events import VerdictsOfPeople, stress_rows, stress_stream
from vivavoce_stress.scores import score
from vivavoce_stress.verdict_queue import VerdictQueue, given
from vivavoce_stress.waiting import WaitingCases


class Wordy(Counting):
    """Says the same of ten requests, and something else of the variants of the first two."""

    async def send(self, conversation: Conversation, turn: UserTurn):
        said = "Perhaps another day then." if turn.text in ("pubb 0", "pubb 1") else f"Pub {len(turn.text)}."
        yield SystemOutput(kind="message", text=said if "pub" in turn.text else "Good.")


def test_the_log_and_the_dataset_count_the_same_and_a_double_check_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    cases = [case("ST-2", "en", f"pub  {n}", f"pubb {n}", dialogue_id=f"d{n}") for n in range(20)]
    hold(path, Wordy(), cases)
    with Log.open(f"sqlite:///{path}") as log:

        def told() -> tuple[WaitingCases, dict[str, int]]:
            stream = log.events(stress_stream("toy"))
            whole = score(list(stress_rows(stream)), "data")["whole"]
            return VerdictQueue.of(stream).counts(), whole

        before, whole = told()
        assert before.undecided == whole["waiting"] == 2
        assert before.checks == whole["checks"] > 0 and before.judged == whole["judged"] == 0
        queue = VerdictQueue.of(log.events(stress_stream("toy")))
        mine = queue.waiting("Ada")
        assert len(mine) == before.all and [one.asked for one in mine[:3]] == ["undecided"] * 2 + ["check"]
        events = [given(one, "Ada", "fail") for one in (mine[0], mine[2])]
        for event in events:
            log.transact_now(lambda tx, one=event: tx.append(stress_stream("toy"), one))
        after, whole = told()
        assert (after.undecided, after.settled, after.checked, after.overruled) == (1, 1, 1, 1)
        assert (whole["waiting"], whole["judged"], whole["overruled"]) == (1, 2, 1)
        assert after.checks == before.checks - 1 == whole["checks"]


class Changed(Wordy):
    """Answers one of the variants otherwise than before."""

    async def send(self, conversation: Conversation, turn: UserTurn):
        async for one in super().send(conversation, turn):
            other = "Never heard of it." if turn.text == "pubb 1" else one.text
            yield SystemOutput(kind="message", text=other)


def test_what_people_judged_is_carried_to_the_same_case_of_a_later_run(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"

    def cases(*numbers: int) -> list:
        return [case("ST-2", "en", f"pub  {n}", f"pubb {n}", dialogue_id=f"d{n}") for n in numbers]

    hold(path, Wordy(), cases(0, 1, 2))
    with Log.open(f"sqlite:///{path}") as log:
        for one in VerdictQueue.of(log.events(stress_stream("toy"))).cases.values():
            event = given(one, "Ada", "fail")
            log.transact_now(lambda tx, one=event: tx.append(stress_stream("toy"), one))
    hold(path, Changed(), cases(0, 1, 3))  # 2 was not drawn again, and 1 is answered otherwise now
    with Log.open(f"sqlite:///{path}") as log:
        stream = list(log.events(stress_stream("toy")))
    queue = VerdictQueue.of(stream)
    assert [one.case.original for one in queue.judged_by("Ada")] == ["pub  0"]
    last = list(stress_rows(stream))[3:]
    assert [row["verdict_of_person"] for row in last] == ["fail", None, None]
    run_id = last[0]["run_id"]
    people = VerdictsOfPeople.of(stream)
    assert (people.earlier[run_id], people.carried[run_id]) == (3, 1)
    hold(path, Changed(), cases(0, 1, 2), release="2.0", fresh=True)  # which answers 0 and 2 as before
    with Log.open(f"sqlite:///{path}") as log:
        later = list(stress_rows(log.events(stress_stream("toy"))))[6:]
    assert [row["verdict_of_person"] for row in later] == ["fail", None, "fail"]
