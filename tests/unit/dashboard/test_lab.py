"""The list of dialogues as a laboratory: filters, counts, words, orders, tags, notes, views, selections."""

import html
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from vivavoce.analysis.description import answered_dialogues
from vivavoce.analysis.summary import summarise
from vivavoce.dashboard.board import TURN_END, Board, DialogueCard
from vivavoce.dashboard.dialogue_index import DialogueIndex
from vivavoce.dashboard.dialogue_query import DialogueQuery, address_of
from vivavoce.dashboard.snapshot import Snapshots
from vivavoce.dashboard.verdicts import Verdicts, read_verdicts
from vivavoce.dataset.reader import Dataset
from vivavoce.log.erasure import erase_participant
from vivavoce.log.export import export_dataset
from vivavoce.log.notes import remark_stream
from vivavoce.log.store import Log
from vivavoce.measures.compute import group_keys
from vivavoce.reports.blocks import TableOfText
from vivavoce.reports.section import ReportOptions, compose
from vivavoce.study.model import Study

Enter = Callable[..., TestClient]
DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def card(number: int, **facts: object) -> DialogueCard:
    usual = {
        "dialogue_id": f"d{number}",
        "visit_id": "v",
        "participant_id": f"p{number % 3}",
        "simulated": False,
        "system": "ab"[number % 2],
        "condition": None,
        "task_id": f"t{number % 4}",
        "language": "en",
        "assigned_at": DAY + timedelta(days=number),
        "status": "completed",
        "user_turns": number,
        "duration_s": 20.0 * number,
    }
    return DialogueCard(**{**usual, **facts})  # type: ignore[arg-type]


def ids(index: DialogueIndex, query: str, scope: str | None = None) -> list[str]:
    places = index.places(DialogueQuery.parse(query), scope)  # type: ignore[arg-type]
    return [index.cards[place].dialogue_id for place in places]


@pytest.fixture
def index() -> DialogueIndex:
    made = DialogueIndex()
    for number in range(12):
        made.put(card(number))
    return made


def test_values_of_one_facet_are_alternatives_and_facets_narrow_each_other(index: DialogueIndex) -> None:
    assert ids(index, "") == [f"d{n}" for n in range(11, -1, -1)]
    assert ids(index, "task=t1&task=t3") == ["d11", "d9", "d7", "d5", "d3", "d1"]
    assert ids(index, "task=t1&task=t2&system=a") == ["d10", "d6", "d2"]
    assert ids(index, "since=2026-03-03&until=2026-03-04") == ["d3", "d2"]
    assert ids(index, "system=nobody") == [] and ids(index, "since=tomorrow&strange=1&sort=x") == ids(
        index, ""
    )


def test_a_facet_counts_what_passes_all_other_filters(index: DialogueIndex) -> None:
    _, facets, _ = index.find(DialogueQuery.parse("system=a&task=t2"), None)
    counts = {one.name: {each.value: each.number for each in one.values} for one in facets}
    assert counts["system"] == {"a": 3} and counts["task"] == {"t0": 3, "t2": 3}
    assert counts["participant"] == {"p0": 1, "p1": 1, "p2": 1}


def test_lengths_stand_in_ranges_of_which_the_lower_bound_is_in(index: DialogueIndex) -> None:
    index.put(card(12, duration_s=None))
    assert ids(index, "length=0&sort=begun") == ["d0", "d1"]
    assert ids(index, "length=60&sort=begun") == ["d3", "d4", "d5"] and ids(index, "length=") == ["d12"]
    assert ids(index, "sort=-length")[:2] == ["d11", "d10"] and ids(index, "sort=length")[-1] == "d12"
    assert ids(index, "sort=-length")[-1] == "d12", "what is not known comes last either way"


def test_words_are_found_by_side_apart_and_as_phrases_within_a_turn() -> None:
    index = DialogueIndex()
    index.put(card(1, user_words=f"cheap food{TURN_END}in the north", system_words="certainly"))
    index.put(card(2, user_words="north", system_words="cheap food"))
    assert ids(index, "q=CHEAP north") == ["d2", "d1"]
    assert ids(index, "q=cheap food&side=user") == ["d1"] and ids(index, 'q="food in"') == []
    assert ids(index, 'q="in the"') == ["d1"] and ids(index, 'q="in the') == ["d1"]


def test_what_is_new_of_a_dialogue_replaces_what_was_known_and_rows_may_be_many() -> None:
    index = DialogueIndex()
    index.tag("d2000", ["seen"])
    for number in range(2500):
        index.put(card(number, simulated=number % 2 == 1))
    assert ids(index, "tags=seen") == ["d2000"]
    index.put(card(2000, status="failed", errors=("timeout",), tools=("search", "book")))
    assert (
        ids(index, "status=failed") == ids(index, "tools=book") == ids(index, "errors=timeout") == ["d2000"]
    )
    assert len(ids(index, "tools=", "people")) == 1249 and len(ids(index, "", "simulated")) == 1250
    index.tag("d2000", [])
    assert ids(index, "tags=seen") == []


def test_of_very_many_participants_the_most_frequent_are_counted_and_whoever_is_chosen() -> None:
    index = DialogueIndex()
    for number in range(1500):
        index.put(card(number, participant_id=f"p{number // 3 * 3 if number < 30 else number}"))
    _, facets, _ = index.find(DialogueQuery.parse("participant=p1400"), None)
    people = next(one for one in facets if one.name == "participant")
    assert [one.number for one in people.values[:11]] == [3] * 10 + [1]
    assert [one for one in people.values if one.chosen] == [("p1400", 1, True)]
    assert len(people.values) + people.more == 1480


def test_an_address_says_all_of_a_view_and_nothing_else() -> None:
    given = "system=a&system=b&tags=&q=%22two+words%22&side=user&since=2026-03-01&sort=length"
    assert DialogueQuery.parse(given).address == given
    query = DialogueQuery.parse(given)
    assert query.turned("system", "a").turned("system", "b").chosen == {"tags": ("",)}
    assert query.sorted_by("length", falling=True).address.endswith("sort=-length")


def test_the_index_of_a_filled_trial_counts_as_its_log_does(study: Study, log: Log) -> None:
    board = Board(study, log)
    _, facets, _ = board.see(lambda board: board.index.find(DialogueQuery(), "people"))
    found = {one.name: {each.value: each.number for each in one.values} for one in facets}
    held = log.dialogues(study.name)
    assert found["system"] == Counter(one.system for one in held)
    assert found["task"] == Counter(one.task_id for one in held)
    assert found["participant"] == Counter(one.participant_id for one in held)


def number_found(page: str) -> int:
    return int(re.search(r"<p>(\d+) dialogues? <a", page)[1])  # type: ignore[index]


def test_every_count_on_the_page_is_what_its_link_finds(enter: Enter) -> None:
    viewer = enter("viewer")
    page = viewer.get("/dialogues?status=completed").text
    links = re.findall(r'<li><a href="(/dialogues[^"]*)">[^<]+</a> <span class="soft">(\d+)</span>', page)
    outside = [one for one in links if "status=completed&amp;status" not in one[0]]
    assert len(outside) > 12
    for address, count in outside[::5]:
        assert number_found(viewer.get(html.unescape(address)).text) == int(count), address
    assert viewer.get("/dialogues?sort=-length").text.count('aria-sort="descending"') == 1


def send(browser: TestClient, address: str, /, **fields: object) -> str:
    page = browser.get("/account").text
    token = re.search(r'name="form_token" value="([0-9a-f]{64})"', page)
    assert token is not None
    answer = browser.post(address, data={"form_token": token[1], **fields})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_tags_are_put_on_many_and_taken_back_in_one_step(enter: Enter, log: Log, study: Study) -> None:
    grace = enter("researcher", "Grace")
    failed = [one.dialogue_id for one in log.dialogues(study.name) if one.status == "failed"]
    where = send(
        grace, "/dialogues/tags", tag="  look  again ", which="all", query="status=failed", act="put"
    )
    page = grace.get(where).text
    assert f"{len(failed)} dialogue" in page and "Tag look again added" in page
    assert number_found(grace.get("/dialogues?tags=look+again").text) == len(failed)
    assert number_found(grace.get(f"/dialogues?{where.split('?')[1]}").text) == len(failed), (
        "the list is kept"
    )
    other = next(one.dialogue_id for one in log.dialogues(study.name) if one.dialogue_id not in failed)
    send(grace, "/dialogues/tags", tag="look again", dialogue=[other, "nobody"], act="put")
    assert number_found(grace.get("/dialogues?tags=look+again").text) == len(failed) + 1
    send(grace, "/dialogues/undo", done=re.search(r"done=([\d-]+)", where)[1])  # type: ignore[index]
    assert number_found(grace.get("/dialogues?tags=look+again").text) == 1, "the other one stays"
    assert "Grace" in grace.get(f"/dialogues/{other}").text
    actions = enter("owner").get("/accounts/actions").text
    assert "POST /dialogues/tags" in actions and "look again" in actions and "POST /dialogues/undo" in actions


def test_a_tag_that_is_none_is_refused(enter: Enter, token_of: Callable) -> None:
    grace = enter("researcher")
    form = {"form_token": token_of(grace), "act": "put"}
    for tag in (" ", "a,b", "x" * 50, "fine"):  # the last one is put on no dialogue
        assert grace.post("/dialogues/tags", data={**form, "tag": tag}).status_code == 422, tag


def test_notes_and_views_stand_until_they_are_taken_away(enter: Enter, log: Log, study: Study) -> None:
    grace, viewer = enter("researcher", "Grace"), enter("viewer")
    dialogue = log.dialogues(study.name)[0].dialogue_id
    where = send(
        grace, f"/dialogues/{dialogue}/notes", text="it <b>repeats</b> itself", to=f"/dialogues/{dialogue}"
    )
    assert where.startswith(f"/dialogues/{dialogue}?done=")
    assert "it &lt;b&gt;repeats&lt;/b&gt; itself" in viewer.get(f"/dialogues/{dialogue}").text
    note = re.search(r'name="remove" value="(\w+)"', grace.get(where).text)
    gone = send(grace, f"/dialogues/{dialogue}/notes", remove=note[1])  # type: ignore[index]
    assert "repeats" not in viewer.get(f"/dialogues/{dialogue}").text
    send(grace, "/dialogues/undo", done=re.search(r"done=([\d-]+)", gone)[1])  # type: ignore[index]
    assert "repeats" in viewer.get(f"/dialogues/{dialogue}").text
    send(grace, "/dialogues/views", name="Failures of onebest", query="status=failed&system=onebest")
    assert 'href="/dialogues?status=failed&amp;system=onebest"' in viewer.get("/dialogues").text
    taken = grace.post(
        "/dialogues/views",
        data={
            "form_token": re.search(r'"form_token" value="(\w+)"', grace.get("/account").text)[1],  # type: ignore[index]
            "name": "Failures of onebest",
            "query": "status=failed",
        },
    )
    assert taken.status_code == 422 and "already" in taken.text
    send(grace, "/dialogues/views", remove="Failures of onebest")
    assert "Failures of onebest" not in viewer.get("/dialogues").text


def test_viewers_read_remarks_and_write_none(enter: Enter, token_of: Callable) -> None:
    viewer = enter("viewer")
    for path in ("tags", "views", "undo", "export", "x/notes"):
        answer = viewer.post(f"/dialogues/{path}", data={"form_token": token_of(viewer)})
        assert answer.status_code == 403, path
    assert 'name="tag"' not in viewer.get("/dialogues").text


def test_tags_and_notes_are_tables_and_a_tag_is_a_grouping(
    enter: Enter, log: Log, study: Study, tmp_path: Path
) -> None:
    grace = enter("researcher", "Grace")
    held = [one.dialogue_id for one in log.dialogues(study.name) if one.status == "completed"]
    send(grace, "/dialogues/tags", tag="polite", dialogue=held[:7], act="put")
    send(grace, f"/dialogues/{held[0]}/notes", text="says please")
    dataset = export_dataset(log, study.name, tmp_path / "d", domain_entities=study.entities())
    assert sorted(dataset.read("tags")["dialogue_id"].to_pylist()) == sorted(held[:7])
    (note,) = dataset.read("dialogue_notes").to_pylist()
    assert (note["dialogue_id"], note["text"]) == (held[0], "says please") and note["author_id"] != "Grace"
    assert Counter(group_keys(dataset, "tag:polite"))["with"] == 7
    with_tag = next(one for one in summarise(dataset, "tag:polite").by if one.key == "with")
    assert with_tag.dialogues == 7 == with_tag.rates["subjective_success"].n
    with pytest.raises(Exception, match="polite"):
        group_keys(dataset, "tag:rude")


def test_remarks_on_somebody_go_with_them(enter: Enter, log: Log, study: Study) -> None:
    grace = enter("researcher")
    one, other = (
        next(x for x in log.dialogues(study.name) if x.participant_id == who)
        for who in list(dict.fromkeys(x.participant_id for x in log.dialogues(study.name)))[:2]
    )
    send(grace, "/dialogues/tags", tag="odd", dialogue=[one.dialogue_id, other.dialogue_id], act="put")
    send(grace, f"/dialogues/{one.dialogue_id}/notes", text="their name is Ada")
    erase_participant(log, study.name, one.participant_id, by="test")
    left = [stored.event for stored in log.events(remark_stream(study.name))]
    assert [event.dialogue_id for event in left] == [other.dialogue_id]  # type: ignore[attr-defined]


@pytest.fixture
def judging(app: FastAPI, tmp_path: Path) -> FastAPI:
    """The dashboard with verdicts that are really read."""
    desk = app.state.desk
    desk.snapshots.close()
    desk.snapshots = Snapshots(desk.board, tmp_path / "work" / "really")
    return app


def test_a_selection_is_a_dataset_of_what_was_chosen(
    judging: FastAPI, enter: Enter, tmp_path: Path, token_of: Callable
) -> None:
    grace = enter("researcher")
    fields = {"form_token": token_of(grace), "which": "all", "query": "status=completed&system=onebest"}
    answer = grace.post("/dialogues/export", data=fields)
    assert answer.status_code == 200 and "attachment" in answer.headers["content-disposition"]
    zipfile.ZipFile(BytesIO(answer.content)).extractall(tmp_path / "selection")
    dataset = Dataset(tmp_path / "selection")
    rows = dataset.everything.read("dialogues").to_pylist()
    assert len(rows) == number_found(grace.get("/dialogues?" + str(fields["query"])).text) > 5
    assert {one["system"] for one in rows} == {"onebest"}
    turns = set(dataset.everything.read("turns")["dialogue_id"].to_pylist())
    assert turns == {one["dialogue_id"] for one in rows}
    assert any("selection" in str(note) for note in dataset.notes)


def test_two_ticked_dialogues_stand_side_by_side_and_three_are_refused(
    enter: Enter, token_of: Callable, log: Log, study: Study
) -> None:
    grace = enter("researcher")
    three = [one.dialogue_id for one in log.dialogues(study.name)[:3]]
    where = send(grace, "/dialogues/two", dialogue=three[:2], query="status=completed")
    page = grace.get(where).text
    assert all(f'href="/dialogues/{one}?status=completed"' in page for one in three[:2])
    assert page.count('aria-labelledby="side-') == 2
    assert f'data-from="/dialogues/{three[0]}"' in page and 'href="/dialogues?status=completed"' in page
    token = {"form_token": token_of(grace)}
    for to, said in (("two", "3 are selected"), ("tags", "the tag is empty")):
        kept = {**token, "to": "/dialogues", "dialogue": three, "tag": " ", "act": "put"}
        refused = grace.post(f"/dialogues/{to}", data=kept)
        assert refused.status_code == 422 and said in refused.text
        assert all(f'value="{one}" checked' in refused.text for one in three), "nothing is lost"


def test_means_of_questionnaires_open_the_dialogues_that_were_answered(
    enter: Enter, log: Log, study: Study, tmp_path: Path
) -> None:
    dataset = export_dataset(log, study.name, tmp_path / "d", domain_entities=study.entities())
    answered = answered_dialogues(dataset)
    verdicts = read_verdicts(dataset, "people", 1, DAY)
    name, dialogues = next((name, own) for name, own in answered.items() if "found_all" in name)
    kept = set(verdicts.dialogue_ids)
    assert sum(verdicts.counted[name]) == len(dialogues & kept) > 0
    table = next(
        one
        for one in compose(dataset, ReportOptions(sections=("questionnaires",))).blocks(TableOfText)
        if one.name == "questionnaire-1"
    )
    mean = next(row for row in table.rows if row.heading == "found_all").cells[-2]
    assert mean.counts is not None
    assert address_of(mean.counts) == f"/dialogues?counts.{name}=yes"
    page = enter("viewer").get(address_of(mean.counts)).text
    assert "Answered: cambridge: found_all" in page
    menu = page.partition('class="pages-of"')[2].partition("</nav>")[0]
    assert "/dialogues" in menu and "/annotation" not in menu and "/pairs" not in menu, "nothing is there"


def test_a_trial_without_dialogues_says_what_to_do(study: Study, empty_log: Log, tmp_path: Path) -> None:
    from scenes.desks import desk_of

    with desk_of(study.folder, empty_log) as browser:
        page = browser.get("/dialogues").text
        assert "No dialogues yet" in page and "vivavoce simulate" in page


def test_the_next_dialogue_is_that_of_the_list(enter: Enter, log: Log, study: Study) -> None:
    viewer = enter("viewer")
    page = viewer.get("/dialogues?status=completed&sort=begun").text
    listed = re.findall(r'<th scope="row"><a href="/dialogues/([\w-]+)\?', page)
    assert len(listed) > 1
    opened = viewer.get(f"/dialogues/{listed[0]}?status=completed&sort=begun").text
    following = re.search(r'href="/dialogues/([\w-]+)\?[^"]*" rel="next" data-key="next"', opened)
    assert following is not None and following[1] == listed[1] and f"1 of {len(listed)}" in opened


def test_a_rate_lists_its_cases_or_its_successes_and_how_many_each_dialogue_has() -> None:
    index = DialogueIndex()
    for number in range(4):
        index.put(card(number))
    keys = [one.dialogue_id for one in index.cards]
    rates = {"objective_success_inferred": ([2.0, 1, 0, 0], [2.0, 2, 1, 0])}
    verdicts = Verdicts("people", 1, datetime(2026, 11, 9, tzinfo=UTC), keys, rates)
    name = "success.objective_success_inferred"
    for wanted, places in (("cases", {0, 1, 2}), ("successes", {0, 1}), ("no", {2}), ("uncounted", {3})):
        found, facets, _ = index.find(DialogueQuery({name: (wanted,)}), None, verdicts)
        assert set(found) == places
        (facet,) = [one for one in facets if one.name == name]
        assert [one.number for one in facet.values if one.chosen] == [len(places)]
    assert index.verdict_of(keys[1], verdicts) == {"objective_success_inferred": ("partly", 1, 2)}
