"""Before texts are published somebody decides what becomes of each place that may lead to a person."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vivavoce.api.studies import open_log, read_study
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.columns import Level
from vivavoce.dataset.publication import find_personal_data, publish_dataset
from vivavoce.dataset.reader import Dataset, replacing
from vivavoce.dataset.writer import DatasetWriter

MAIL, NAME, PHONE = "zoe.hart@letterbox.org", "Zoe Hart", "0161 850 1234"


def written(folder: Path, *texts: str) -> Dataset:
    study = {"name": "s", "file": "study: s\n# write to lab@riverside.example.org\n"}
    with DatasetWriter(folder, study=study, source={"kind": "log", "level": "internal"}) as writer:
        writer.add(
            "dialogues",
            [
                {
                    "dialogue_id": "d1",
                    "study": "s",
                    "system": "a",
                    "condition": "a",
                    "channel": "text",
                    "language": "en",
                    "simulated": False,
                    "participant_id": "p1",
                }
            ],
        )
        writer.add(
            "entities",
            [
                {
                    "entity_id": "e",
                    "name": "Om",
                    "slot": "phone",
                    "value": PHONE,
                    "source": "database",
                    "match": "exact",
                }
            ],
        )
        writer.add(
            "turns",
            [
                {"dialogue_id": "d1", "turn_index": place, "party": "user", "text": text, "reference": text}
                for place, text in enumerate(texts)
            ],
        )
        return writer.close()


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def decide(path: Path, **decisions: str) -> None:
    found = lines(path)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        for one in found:
            writer.writerow(one | {"decision": decisions.get(one["kind"], one["decision"])})


def texts(dataset: Dataset) -> list[Any]:
    return dataset.everything.read("turns").column("text").to_pylist()


SAID = (
    f"my name is {NAME}, {MAIL}",
    "thai food please",
    f"I said Zoe Hart, or {MAIL} again",
    f"is {PHONE} theirs?",
)


def test_nothing_is_published_before_every_find_was_decided(tmp_path: Path) -> None:
    whole, out, finds = written(tmp_path / "whole", *SAID), tmp_path / "out", tmp_path / "finds.csv"
    with pytest.raises(InputError, match="3 of 3 ") as refused:
        publish_dataset(whole, out, finds)
    assert not out.exists() and "--mask-all" in refused.value.hint
    told = {one["found"]: one for one in lines(finds)}
    assert set(told) == {NAME, MAIL, "lab@riverside.example.org"}, "the database's own number is nobody's"
    assert told[MAIL]["places"] == "4" and told[MAIL]["kind"] == "email"
    assert "turns dialogue_id=d1 turn_index=0 text:21" in told[MAIL]["where"]
    assert told[NAME]["context"].startswith("my name is Zoe Hart")
    assert finds.stat().st_mode & 0o077 == 0, "it holds what it is about"
    decide(finds, name="everywhere")
    with pytest.raises(InputError, match="2 of 3 "):
        publish_dataset(whole, out, finds)
    decide(finds, email="mask")
    public = publish_dataset(whole, out, finds)
    assert texts(public) == [
        "my name is <name-1>, <email-1>",
        "thai food please",
        "I said <name-1>, or <email-1> again",
        f"is {PHONE} theirs?",
    ]
    assert public.level is Level.public and any(
        str(one).startswith(("2 personal data", "3 personal data")) for one in public.what_is_lost
    )
    everything = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert MAIL.encode() not in everything and NAME.encode() not in everything
    assert texts(whole) == list(SAID), "the laboratory's own stays as it is"


def test_what_is_kept_stays_and_a_mask_reaches_only_where_it_was_found(tmp_path: Path) -> None:
    whole, finds = written(tmp_path / "whole", *SAID), tmp_path / "finds.csv"
    with pytest.raises(InputError):
        publish_dataset(whole, tmp_path / "out", finds)
    decide(finds, name="mask", email="keep")
    found = texts(publish_dataset(whole, tmp_path / "out", finds))
    assert found[0] == f"my name is <name-1>, {MAIL}" and found[2] == SAID[2]


def test_decisions_are_kept_and_only_what_is_new_is_asked(tmp_path: Path) -> None:
    finds = tmp_path / "finds.csv"
    publish_dataset(written(tmp_path / "one", *SAID), tmp_path / "out", finds, mask_all=True)
    assert {one["decision"] for one in lines(finds)} == {"mask"}
    decide(finds, name="keep")
    more = written(tmp_path / "two", *SAID, "my name is Ludmila")
    with replacing(), pytest.raises(InputError, match="1 of 4 "):
        publish_dataset(more, tmp_path / "out", finds)
    with replacing():
        publish_dataset(more, tmp_path / "out", finds, mask_all=True)
    assert {one["found"]: one["decision"] for one in lines(finds) if one["kind"] == "name"} == {
        NAME: "keep",
        "Ludmila": "mask",
    }
    with replacing():
        publish_dataset(written(tmp_path / "three", "thai food"), tmp_path / "out", finds, mask_all=True)
    assert MAIL not in finds.read_text("utf-8"), "nothing stays of somebody who was erased"


def test_the_study_file_is_masked_too(tmp_path: Path) -> None:
    public = publish_dataset(
        written(tmp_path / "w", "hi"), tmp_path / "out", tmp_path / "f.csv", mask_all=True
    )
    manifest = json.loads((public.folder / "dataset.json").read_text("utf-8"))
    assert manifest["study"]["file"] == "study: s\n# write to <email-1>\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("decision,kind,found\nperhaps,name,Zoe\n", "invalid decision 'perhaps'"),
        ("kind,found\nname,Zoe\n", "column 'decision'"),
    ],
)
def test_a_file_that_decides_nothing_is_told(content: str, said: str, tmp_path: Path) -> None:
    finds = tmp_path / "finds.csv"
    finds.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        publish_dataset(written(tmp_path / "w", *SAID), tmp_path / "out", finds, mask_all=True)
    assert not (tmp_path / "out").exists() and finds.read_text("utf-8") == content


def test_what_has_check_digits_or_a_form_is_found_by_it() -> None:
    """Numbers are the issuers' published examples."""
    for kind, right, wrong in [
        ("iban", "DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 02"),
        ("card", "4111 1111 1111 1111", "4111 1111 1111 1112"),
        ("tax_code", "RSSMRA85T10A562S", "RSSMRA85T10A562T"),
        ("ip", "2001:db8::8a2e:370:7334", "10:30:45"),
        ("ip", "81.2.69.142", "81.2.69.342"),
        ("email", "a.b+c@mail.example.org", "a.b at noon"),
        ("phone", "+39 06 69812345", "12.50 on 12/03/2025"),
        ("url", "https://shop.example.org/?user=zoe", "https://shop.example.org/?page=2"),
    ]:
        (found,) = find_personal_data(f"it is {right}, yes")
        assert (found.kind, found.text) == (kind, right) and found.start == 6
        assert find_personal_data(f"it is {wrong}, yes") == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("iban", "NO93 8601 1117 947"),
        ("iban", "XX44 1234 5678 9012 3456 7890 1234 5678 90"),
        ("card", "4222222222222"),
        ("card", "4222222222223456789"),
        ("ip", "8.8.8.8"),
    ],
)
def test_the_shortest_and_the_longest_of_their_kind_are_found(kind: str, text: str) -> None:
    """IBANs of 15 and 34 characters, cards of 13 and 19 digits: what their standards allow."""
    (found,) = find_personal_data(f"it is {text}, yes")
    assert (found.kind, found.text) == (kind, text)


@pytest.mark.parametrize("text", ["127.0.0.1", "0.0.0.0", "2222 2222 2222 2222", "NO93 8601 1117 94"])
def test_what_leads_to_nobody_is_not_found(text: str) -> None:
    assert find_personal_data(f"it is {text}, yes") == []


def test_an_iban_ends_where_its_digits_hold() -> None:
    (found,) = find_personal_data("to DE89 3704 0044 0532 0130 00 from me, or call")
    assert found.text == "DE89 3704 0044 0532 0130 00"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("phone", "+39 06 69812345"),
        ("url", "https://shop.example.org/?user=zoe"),
    ],
)
def test_what_touches_what_is_found_is_found_too(kind: str, text: str) -> None:
    """The one begins where the other ends: they do not overlap, whichever is looked for first."""
    found = find_personal_data(f"81.2.69.142{text}")
    assert [(one.kind, one.text) for one in found] == [("ip", "81.2.69.142"), (kind, text)]


def test_long_texts_are_scanned_in_time() -> None:
    for piece in ("a.", "https://", "1:", "via ", "A1 ", "@", "call "):
        find_personal_data(piece * 2_000)


def test_the_verb_asks_for_decisions_beside_the_dataset_and_then_publishes(tmp_path: Path) -> None:
    study, out = tmp_path / "demo", tmp_path / "out"
    run = CliRunner().invoke
    assert run(app, ["init", str(study)]).exit_code == 0
    file = study / "study.yaml"
    file.write_text(file.read_text("utf-8") + f"\n# questions to {MAIL}\n", encoding="utf-8")
    assert run(app, ["simulate", str(study), "--dialogues", "4"]).exit_code == 0
    words = ["export", str(study), "--into", str(out), "--level", "public"]
    with open_log(read_study(study), None) as log:
        log.transact_now(lambda tx: tx.record_study("demo", "later", file.read_text("utf-8"), []))
    with pytest.raises(InputError, match="have no decision"):
        run(app, words, catch_exceptions=False)
    assert MAIL in (tmp_path / "out.finds.csv").read_text("utf-8") and not out.exists()
    told = run(app, [*words, "--mask-all"], catch_exceptions=False)
    assert told.exit_code == 0 and "were masked" in told.stderr
    assert MAIL.encode() not in b"".join(path.read_bytes() for path in out.iterdir())
    assert Dataset(out).read("dialogues").num_rows == 4
