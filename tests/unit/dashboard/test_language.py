"""Who reads the dashboard chooses its language: by a link that keeps the page, else by their browser."""

import html
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from vivavoce.cli.servers import SIMULATED_NOTICE
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.model import Study

Enter = Callable[..., TestClient]


def page(browser: TestClient, address: str, language: str = "", **more: Any) -> str:
    headers = {"accept-language": language} if language else {}
    return browser.get(address, headers=headers, **more).text


@pytest.mark.parametrize(
    ("header", "lang"), [("it-IT,it;q=0.9,en;q=0.5", "it"), ("de, en;q=0.2", "en"), ("de", "en"), ("", "en")]
)
def test_a_browser_s_wish_is_followed_where_there_is_a_catalogue(
    stranger: TestClient, header: str, lang: str
) -> None:
    shown = page(stranger, "/sign-in", header)
    assert f'<html lang="{lang}">' in shown
    assert ("Accedi" in shown) == (lang == "it") and ("Sign in" in shown) == (lang == "en")


def test_a_choice_is_kept_and_goes_before_the_browser_s_wish(stranger: TestClient) -> None:
    answer = stranger.get("/sign-in?interface=it", headers={"accept-language": "en"})
    assert '<html lang="it">' in answer.text
    assert re.match(
        r"vivavoce-language=it; HttpOnly; Max-Age=\d+; Path=/; SameSite=lax$", answer.headers["set-cookie"]
    )
    assert '<html lang="it">' in page(stranger, "/sign-in", "en")
    assert '<html lang="en">' in page(stranger, "/sign-in?interface=en", "it")
    assert '<html lang="en">' in page(stranger, "/sign-in", "it")


def test_a_choice_that_there_is_not_changes_nothing(stranger: TestClient) -> None:
    answer = stranger.get("/sign-in?interface=xx", headers={"accept-language": "it"})
    assert '<html lang="it">' in answer.text and "set-cookie" not in answer.headers
    stranger.cookies.set("vivavoce-language", "../../etc")
    assert '<html lang="en">' in page(stranger, "/sign-in")


def test_the_link_to_the_other_language_keeps_the_page_and_its_filters(enter: Enter) -> None:
    browser = enter("viewer")
    shown = page(browser, "/dialogues?q=thai%20food&system=nbest", "en")
    link = re.search(r'<a href="([^"]+)" lang="it"', shown)
    assert link is not None
    address = html.unescape(link[1])
    assert address == "?q=thai+food&system=nbest&interface=it"
    there = page(browser, f"/dialogues{address}")
    assert '<html lang="it"' in there and 'value="thai food"' in there
    back = re.search(r'<a href="([^"]+)" lang="en"', there)
    assert back is not None and back[1].count("interface=") == 1


def test_after_a_form_the_link_leads_to_the_page_that_had_it(
    enter: Enter, token_of: Callable[..., str]
) -> None:
    browser = enter("researcher")
    form, headers = {"form_token": token_of(browser, "/trial"), "reason": ""}, {"accept-language": "it"}
    sent = {**headers, "referer": "http://desk.test/people/trial?x=1"}
    refused = browser.post("/people/trial/pause", data=form, headers=sent)
    assert refused.status_code == 422 and "Inserisci un motivo." in refused.text
    assert '<a href="/people/trial?interface=en" lang="en"' in refused.text
    elsewhere = browser.post(
        "/trial/pause", data=form, headers={**headers, "referer": "http://evil.test//evil"}
    )
    assert re.search(r'<a href="/(people/)?\?interface=en" lang="en"', elsewhere.text)


def test_what_is_refused_is_said_in_the_reader_s_language(enter: Enter, stranger: TestClient) -> None:
    italian = {"accept-language": "it"}
    wrong = stranger.post("/sign-in", data={"name": "nobody", "password": "x" * 14}, headers=italian)
    assert "nome o password errati" in wrong.text
    viewer = enter("viewer")
    assert "Serve il ruolo «ricerca»; il tuo è «lettura»." in viewer.get("/export", headers=italian).text
    assert viewer.post("/trial/resume", headers={**italian, "sec-fetch-site": "cross-site"}).text == (
        "Questa richiesta non viene dalle pagine del pannello."
    )


def test_a_password_that_does_not_do_is_told_with_its_numbers(
    enter: Enter, token_of: Callable[..., str]
) -> None:
    browser = enter("viewer", "Vera")
    form = {
        "form_token": token_of(browser),
        "old": "a long enough sentence",
        "password": "brief",
        "again": "brief",
    }
    told = {
        language: browser.post("/account/password", data=form, headers={"accept-language": language}).text
        for language in ("en", "it")
    }
    assert "the password has 5 characters. Use 12 to 200 characters" in told["en"]
    assert "la password ha 5 caratteri. Usa da 12 a 200 caratteri" in told["it"]


def test_dates_numbers_and_plurals_are_written_as_people_there_write_them(
    enter: Enter, log: Log, study: Study
) -> None:
    browser = enter("viewer")
    english, italian = page(browser, "/", "en"), page(browser, "/", "it")
    means = [re.search(r"(?:mean|media) (\d+[.,]\d),", shown) for shown in (english, italian)]
    assert all(means) and [means[0][1].replace(".", ","), means[1][1]] == [means[1][1]] * 2  # type: ignore[index]
    assert "16 Nov" in english and "16 nov" in italian
    one = page(browser, "/dialogues?q=dialogue-", "it")
    assert re.search(r"<p>\d+ dialoghi ", one)


def test_what_users_wrote_stays_text_inside_translated_sentences(
    enter: Enter, log: Log, study: Study
) -> None:
    system = next(iter(study.systems))
    bad = "<b>%(name)s 100%</b>"
    log.transact_now(
        lambda tx: [
            tx.append(events.TRIAL, events.SystemSuspended(system=system, reason=bad)),
            tx.append(events.TRIAL, events.TrialPaused(reason=bad, by="<i>Eve</i>")),
        ]
    )
    for language in ("en", "it"):
        for address in ("/", "/systems", "/trial"):
            shown = page(enter("viewer", f"v{language}{len(address)}"), address, language)
            assert "&lt;b&gt;%(name)s 100%&lt;/b&gt;" in shown and "&lt;i&gt;Eve&lt;/i&gt;" in shown
            assert "<b>%" not in shown and "<i>Eve" not in shown


def test_files_for_machines_are_the_same_for_every_reader_and_the_report_is_in_theirs(enter: Enter) -> None:
    browser = enter("researcher")
    for name in ("tables.csv.zip", "transcripts.jsonl"):
        made = [
            browser.get(f"/export/{name}", headers={"accept-language": one}).content for one in ("en", "it")
        ]
        if name.endswith(".zip"):
            made = [unpacked(one) for one in made]
        assert made[0] == made[1], name
    report = browser.get("/export/report.html?early=1", headers={"accept-language": "it"}).text
    assert '<html lang="it">' in report and "Tassi di successo" in report


def unpacked(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"".join(archive.read(name) for name in sorted(archive.namelist()))


def test_the_strip_of_simulated_trials_is_read_in_italian(
    enter: Enter, app: FastAPI, log: Log, study: Study
) -> None:
    app.state.desk.simulated_notice = SIMULATED_NOTICE
    shown = page(enter("viewer"), "/simulated/", "it")
    assert "<strong>SIMULATO</strong>questa prova contiene dialoghi di utenti simulati" in shown
