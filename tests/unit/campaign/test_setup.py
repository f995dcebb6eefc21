"""A campaign from its files: what is wrong is named with place and hint, what is missing is drafted once."""

from pathlib import Path

import pytest

from scenes.campaigns import campaign_dataset, stress_row
from unit.dashboard.test_stress import judged_case
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.log.stress_events import stress_stream
from vivavoce.study.load import load_study
from vivavoce_campaign.campaign_file import Campaign, check_campaign, load_campaign
from vivavoce_campaign.cli import serve_campaign
from vivavoce_campaign.drafts import draft
from vivavoce_campaign.messages import told_held, told_status
from vivavoce_campaign.places import place_of, report_of
from vivavoce_campaign.runs import HeldCampaign, take_verdicts
from vivavoce_campaign.setup import SystemStatus, check_systems, status, write_campaign
from vivavoce_campaign.stages import stages
from vivavoce_campaign.wordings import shown_wordings
from vivavoce_stress.scores import stress_results
from vivavoce_stress.verdict_queue import VerdictQueue, given


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    write_campaign(tmp_path / "c", "trial")
    return load_campaign(tmp_path / "c")


def test_the_example_is_sound_and_never_written_over(campaign: Campaign) -> None:
    assert [one.submission for one in campaign.submissions] == ["callsteering", "carbs", "telco"]
    with pytest.raises(InputError, match="contains a campaign"):
        write_campaign(campaign.folder)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("channel: spoken", "channel: sung", "telco.yaml:12 channel: unknown channel 'sung'"),
        ("minutes: 3}", "minutes: 0}", "intents[2].minutes"),
        ("id: transfer", "id: top_up", "duplicate intent 'top_up'"),
        ("team:", "taem:", "unknown key 'taem'. Did you mean 'team'"),
        ("languages: [it, en]", "languages: [de]", "the system shares no language with the campaign (it)"),
        ("connect: python", "conect: python", "connector settings are missing"),
        ("submission: telco", "submission: other", "other.yaml"),
    ],
)
def test_a_mistake_of_a_team_is_named_with_place_and_cure(
    campaign: Campaign, old: str, new: str, said: str
) -> None:
    file = campaign.folder / "submissions" / "telco.yaml"
    file.write_text(file.read_text("utf-8").replace(old, new), encoding="utf-8")
    found, problems = check_campaign(campaign.folder)
    assert found is None
    assert any(said in str(problem) for problem in problems), list(map(str, problems))


def test_a_drafted_study_is_sound_and_what_the_organiser_edits_stays(campaign: Campaign) -> None:
    telco = campaign.submission("telco")
    files = draft(campaign, telco)
    assert {path.name for path in files} >= {"study.yaml", "tasks.yaml", "instructions.md", "users.txt"}
    place = place_of(campaign, "telco")
    study = load_study(place.folder)
    assert study.protocol == "idial-2018" and study.languages == ("it",)
    kinds = [step.kind for step in study.visit]
    assert kinds[:4] == ["consent", "questionnaire", "instructions", "dialogue"]
    assert kinds[4:] == ["questionnaire", "questionnaire", "debrief"]
    assert {task.type for task in study.tasks} == {"information", "top_up", "transfer"}
    assert "Ricaricare la carta" in study.text(study.visit[2], "it")
    (place.folder / "instructions.md").write_text("Mie.", encoding="utf-8")
    assert draft(campaign, telco) == []
    assert (place.folder / "instructions.md").read_text("utf-8") == "Mie."


def test_the_screening_names_its_subject_and_a_spoken_system_is_not_asked_about_writing(
    campaign: Campaign,
) -> None:
    for name in ("telco", "carbs"):
        draft(campaign, campaign.submission(name))
    spoken, written = (load_study(place_of(campaign, name).folder) for name in ("telco", "carbs"))
    asked = spoken.wording("idial_background", "it").items["knowledge"]
    assert "il conto di un cliente di una compagnia telefonica" in asked and "{" not in asked
    assert spoken.wording("idial", "it").items["q4"].startswith("Quando ho detto")
    assert written.wording("idial", "it").items["q4"].startswith("Quando ho scritto")
    assert spoken.wording("idial", "it").items["q5"] == written.wording("idial", "it").items["q5"]


def test_verdicts_that_wait_are_told_with_who_gives_them_and_where(campaign: Campaign) -> None:
    telco, place = campaign.submission("telco"), place_of(campaign, "telco")
    rows = [stress_row(at, 2, verdict, system="telco") for at, verdict in enumerate(("pass", "unsure"))]
    judged = {"verdict_automatic": "unsure", "verdict_of_person": "pass"}
    rows.append(stress_row(2, 2, "pass", system="telco", **judged))
    dataset = campaign_dataset(place.dataset, [], {}, stress=rows, submission="telco")
    waits = next(one for one in stages(campaign, telco, 10) if one.name == "verdicts")
    assert (waits.done, waits.have, waits.wanted, waits.waits_for) == (False, 1, 2, "judges")
    assert waits.checks == stress_results(dataset)["runs"][0]["whole"]["checks"]
    assert waits.command == f"vivavoce desk {place.folder}"
    told = list(
        told_held(
            HeldCampaign(
                "telco", 10, 2, dataset, place.folder, waiting=1, checks=2, earlier=9, carried=4, changed=3
            )
        )
    )
    parts = "(1 undecided, 2 for a second check)"
    assert f"3 cases need a person's verdict {parts}: vivavoce desk {place.folder}" in told[1]
    assert "/stress/verdicts" in told[1]
    assert told[2].endswith(
        "9 cases (4 with unchanged replies, counted here; 3 with changed replies, to be judged again; "
        "2 not in this run)"
    )
    assert told[3] == "telco: People judged 1 case of 3 and confirmed all rule verdicts."


def test_the_state_follows_what_people_decided_since_and_says_that_the_report_is_older(
    campaign: Campaign,
) -> None:
    telco, place = campaign.submission("telco"), place_of(campaign, "telco")
    draft(campaign, telco)
    study = load_study(place.folder)
    stream = stress_stream(study.name)

    def state() -> dict[str, str]:
        told = next(one for one in status(campaign) if one.system == "telco")
        named = zip(told.stages, list(told_status(told))[1:], strict=False)
        return {stage.name: line for stage, line in named}

    with Log.open(place.log_url) as log:
        judged_case(log, stream, system="telco")
        log.transact_now(
            lambda tx: tx.record_study(study.name, study.revision, study.file_text, study.entities())
        )
        export_dataset(log, study.name, place.dataset)
        for language in campaign.settings.reports:
            report_of(campaign, "telco", language).parent.mkdir(exist_ok=True)
            report_of(campaign, "telco", language).touch()
        before = state()
        (queued,) = VerdictQueue.of(log.events(stream)).cases.values()
        log.transact_now(lambda tx: tx.append(stream, given(queued, "anna", "pass")))
        after = state()
    assert before["verdicts"].endswith(
        "judged by people: 0 of 1; 1 waiting (1 undecided, 0 for a second check)"
    )
    assert "1 of 2; the others need variants" in before["variants"]
    assert after["verdicts"].endswith("judged by people: 1 of 1")
    assert "older" not in before["reports"]
    assert after["reports"].endswith("Reports: 0 of 2; older than the verdicts: rebuild them")
    told = next(one for one in status(campaign) if one.system == "telco")
    assert told.next and told.next.command == f"vivavoce campaign report {campaign.folder} --system telco"
    take_verdicts(campaign, telco)
    rows = Dataset(place.dataset).read("stress").to_pylist()
    assert [row["verdict_of_person"] for row in rows if row["case_id"]] == ["pass"]


def test_an_organisers_own_wording_is_known_as_such_and_a_drafted_one_as_ours(campaign: Campaign) -> None:
    telco = campaign.submission("telco")
    draft(campaign, telco)
    folder = place_of(campaign, "telco").folder
    assert shown_wordings(folder, telco, ["it"])["idial"]["it"].origin == "project"
    file = folder / "wordings" / "idial.it.yaml"
    file.write_text(file.read_text("utf-8").replace("Quando ho detto", "Allorché dissi"), encoding="utf-8")
    draft(campaign, telco)
    read = shown_wordings(folder, telco, ["it"])["idial"]["it"]
    assert read.origin == "file" and read.items["q4"].startswith("Allorché dissi")


def test_users_of_different_systems_have_different_identifiers(campaign: Campaign) -> None:
    keys = []
    for one in campaign.submissions:
        draft(campaign, one)
        keys += (place_of(campaign, one.submission).folder / "users.txt").read_text("utf-8").split()
    assert len(keys) == len(set(keys)) == 30


def test_words_of_a_team_stay_words_in_the_instructions(campaign: Campaign) -> None:
    evil = campaign.submission("telco").model_copy(update={"title": "# <b>A</b> [x](y)\n- z"})
    draft(campaign, evil)
    text = (place_of(campaign, "telco").folder / "instructions.md").read_text("utf-8")
    assert "\\# \\<b\\>A\\</b\\> \\[x\\](y) - z" in text


def test_a_task_of_no_intent_is_named(campaign: Campaign) -> None:
    draft(campaign, campaign.submission("telco"))
    file = place_of(campaign, "telco").folder / "tasks.yaml"
    file.write_text(file.read_text("utf-8").replace("type: top_up", "type: topup"), encoding="utf-8")
    (problem,) = check_systems(campaign)
    assert "unknown intent 'topup' of a task" in str(problem)


def test_the_pages_open_in_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("uvicorn.Server.run", lambda server: None)
    serve_campaign(tmp_path, host="127.0.0.1", port=8002, secure_cookies=False)
    assert "organiser  http://127.0.0.1:8002/" in capsys.readouterr().err
    with pytest.raises(InputError, match="none: folder not found"):
        serve_campaign(tmp_path / "none", host="127.0.0.1", port=8002, secure_cookies=False)


def test_a_status_without_a_next_step_names_what_may_be_checked_and_of_how_many_tests_were_tried(
    campaign: Campaign,
) -> None:
    telco, place = campaign.submission("telco"), place_of(campaign, "telco")
    rows = [stress_row(at, 2, "pass", system="telco") for at in range(40)]
    person = {"verdict_of_person": "fail", "judges": 1, "rung": "person"}
    rows.append(stress_row(40, 2, "fail", system="telco", **person))
    nothing = dict.fromkeys(("case_id", "verdict_automatic", "rung", "transcript", "first_score"))
    left = {"status": "not_applicable", "reason": "no candidate was certain"}
    rows.append(stress_row(0, 9, "pass", system="telco", **nothing, **left))
    campaign_dataset(place.dataset, [], {}, stress=rows, submission="telco")
    found = [one for one in stages(campaign, telco, 10) if one.name in ("variants", "verdicts")]
    assert [(one.done, one.have, one.wanted, one.note) for one in found] == [
        (True, 1, 2, "none"),
        (True, 0, 0, None),
    ]
    facts = {"system": "telco", "team": "t", "drafted": True, "users": 10, "wanted": 10}
    told = list(told_status(SystemStatus(**facts, reports=[], stages=found)))
    assert "1 case decided by a rule were also judged" in told[2]
    assert found[1].checks > 1
    assert told[-1] == f"  all steps are done; {found[1].checks} cases can still get a second check"
