"""What a report says: the answer first, sections by choice, failures by rule, releases, declarations."""

import csv
import hashlib
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from scipy.stats import binomtest

from vivavoce.analysis.declared import declaration, declared_family
from vivavoce.analysis.subjective_vs_objective import _row
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.blocks import Bullets, FactList, TableOfText, Transcript
from vivavoce.reports.drawing import Figure
from vivavoce.reports.html import render
from vivavoce.reports.language import speaking
from vivavoce.reports.section import ReportOptions, compose
from vivavoce.reports.tables import escaped, write_figures, write_tables

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
STUDY = """study: declared
systems: {alpha: {connect: http}, beta: {connect: http}}
visit: [dialogue]
analysis:
  primary: {measure: subjective_success, compare: [alpha, beta], alpha: 0.05}
  exclusions: [Whoever writes nothing.]
  stopping: After 40 people.
"""


def written(
    folder: Path, *, better: float = 0.5, study: dict | None = None, people: int = 40, known: bool = True
) -> Dataset:
    """Two systems; alpha always succeeds, beta for the first share `better` of the participants."""
    with DatasetWriter(folder, study=study or {"name": "s"}, source={"kind": "log"}) as writer:
        for person in range(people):
            writer.add(
                "participants",
                [
                    {
                        "participant_id": f"p{person}",
                        "simulated": False,
                        "outcome": "completed",
                        "first_seen_at": START + timedelta(hours=person),
                    }
                ],
            )
            for number, system in enumerate(("alpha", "beta"), start=1):
                key = {"dialogue_id": f"d{person}-{system}"}
                writer.add(
                    "dialogues",
                    [
                        {
                            **key,
                            "study": "s",
                            "system": system,
                            "condition": system,
                            "language": "en",
                            "participant_id": f"p{person}" if known else None,
                            "channel": "text",
                            "simulated": False,
                            "dialogue_number": number,
                            "duration_s": 30.0 + person,
                        }
                    ],
                )
                turns = [("user", "private words here"), ("system", "an answer")]
                writer.add(
                    "turns",
                    [
                        {**key, "turn_index": i, "party": party, "text": text}
                        for i, (party, text) in enumerate(turns)
                    ],
                )
                success = (system == "alpha" and person != 0) or (
                    system == "beta" and person < better * people
                )
                writer.add(
                    "ratings",
                    [
                        {
                            **key,
                            "instrument": "cambridge",
                            "item_id": "found_all",
                            "role": "subjective_success",
                            "value": float(success),
                            "participant_id": f"p{person}",
                        }
                    ],
                )
    return Dataset(folder)


def revision(name: str, file: str, hours: float) -> dict:
    return {"revision": name, "file": file, "seen_at": (START + timedelta(hours=hours)).isoformat()}


def declared(folder: Path, *revisions: dict) -> Dataset:
    last = revisions[-1]
    study = {
        "name": "declared",
        "revision": last["revision"],
        "file": last["file"],
        "revisions": list(revisions),
    }
    return written(folder, study=study)


def words(document, section: str) -> str:
    (found,) = [one for one in document.sections if one.name == section]
    return json.dumps([repr(block) for block in found.blocks], ensure_ascii=False)


def test_the_answer_comes_first_and_says_that_it_was_explored(tmp_path):
    document = compose(written(tmp_path / "d"))
    assert document.answer[0].startswith(
        "Exploratory, not declared in advance: 1 of 1 comparison significant after adjustment (Holm). "
        "The largest difference is in subjective success: alpha 97.5%, beta 50.0% (alpha "
        "minus beta +47.5 points; "
    )
    assert "better" not in document.answer[0]
    assert "40 participants" in document.answer[-1]
    assert document.meanings[0] == "Subjective success: the participant reported finding everything."
    assert document.question == (
        "No comparison was declared. Exploratory: do alpha and beta differ in subjective success?"
    )


def test_without_a_difference_the_answer_says_that_none_can_be_shown(tmp_path):
    document = compose(written(tmp_path / "d", better=0.95))
    assert "none of 1 comparison significant" in document.answer[0]


def test_chosen_sections_alone_are_written_in_the_reports_order(plain):
    document = compose(plain.dataset, ReportOptions(sections=["limits", "results"]))
    assert [one.name for one in document.sections] == ["results", "limits"]


def test_an_unknown_section_is_refused_with_the_nearest(plain):
    with pytest.raises(InputError, match=r"unknown section 'result'. Did you mean 'results'\?"):
        compose(plain.dataset, ReportOptions(sections=["result"]))


def test_transcripts_are_shown_only_when_asked_and_hidden_words_are_counted(tmp_path):
    dataset = written(tmp_path / "d")
    assert "private words here" not in render(dataset)
    shown = compose(dataset, ReportOptions(transcripts=3)).blocks(Transcript)
    assert len(shown) == 3
    assert shown[0].turns[0] == ("user", "0 \u00b7 Participant", "private words here")
    assert "subjective success" in shown[0].why
    hidden = render(dataset, options=ReportOptions(transcripts=3, redact=True))
    assert "private words here" not in hidden
    assert "[3 words]" in hidden


def test_failures_come_from_the_groups_in_turn(tmp_path):
    shown = compose(written(tmp_path / "d"), ReportOptions(transcripts=2)).blocks(Transcript)
    assert [one.title.split(" \u00b7 ")[1] for one in shown] == ["alpha", "beta"]


def test_the_flow_counts_arrived_and_completed(tmp_path):
    document = compose(written(tmp_path / "d"))
    (table,) = [one for one in document.blocks(TableOfText) if one.name == "flow"]
    assert {row.heading: row.cells[0].main for row in table.rows}["Completed"] == "40"


def test_a_declared_comparison_is_told_apart_from_exploration(tmp_path):
    dataset = declared(tmp_path / "d", revision("r1", STUDY, -1))
    document = compose(dataset)
    assert document.answer[0].startswith("alpha performs better than beta in subjective success")
    mirrored = written(
        tmp_path / "e",
        study={"name": "s", "file": STUDY.replace("[alpha, beta]", "[beta, alpha]").replace("..", ".")},
    )
    assert compose(mirrored).answer[0] == document.answer[0], "the interval is that of alpha minus beta"
    assert document.question == "Declared in advance: do alpha and beta differ in subjective success?"
    assert document.figure is not None and document.figure.title.startswith("Subjective success")
    assert document.answer[1] == ("Declared in advance: p is adjusted (Holm) over 1 declared comparison.")
    said = words(document, "declared")
    assert "is exploratory" in said
    assert "After 40 people." in said
    assert hashlib.sha256(STUDY.encode()).hexdigest() in said
    (section,) = [one for one in document.sections if one.name == "declared"]
    assert not [block for block in section.blocks if isinstance(block, Bullets)], "nothing was changed"


def test_a_change_after_the_first_participant_is_named_and_ignored(tmp_path):
    later = STUDY.replace("alpha: 0.05", "alpha: 0.2").replace(
        "After 40 people.", "Whenever it is significant."
    )
    dataset = declared(tmp_path / "d", revision("r1", STUDY, -1), revision("r2", later, 2))
    said = words(compose(dataset), "declared")
    assert "primary comparison, stopping rule" in said
    assert "After 40 people." in said
    assert "Whenever" not in said


def test_a_change_before_the_first_participant_counts(tmp_path):
    later = STUDY.replace("After 40 people.", "After 50 people.")
    dataset = declared(tmp_path / "d", revision("r1", STUDY, -2), revision("r2", later, -1))
    said = words(compose(dataset), "declared")
    assert "After 50 people." in said
    assert "Changed in a later revision" not in said


def test_a_declared_measure_that_nobody_knows_is_said_to_be_missing(tmp_path):
    file = STUDY.replace("subjective_success", "happiness")
    said = words(compose(declared(tmp_path / "d", revision("r1", file, -1))), "declared")
    assert "cannot be tested: the dataset has no happiness" in said


def test_every_signature_beside_an_interval_cites_its_method(tmp_path):
    document = compose(declared(tmp_path / "d", revision("r1", STUDY, -1)))
    tables = {one.name: one for one in document.blocks(TableOfText)}
    lines = [line for _, line in tables["success"].signatures]
    assert lines
    assert all("|interval:cluster_robust_wilson_t 0.95|participants:40" in line for line in lines)
    cited = {
        line.split("|")[0]: "|interval:cluster_robust_t 0.95|participants:40" in line
        for _, line in tables["measures"].signatures
    }
    assert cited["dialogue_duration"]
    assert not cited["turns"], "every dialogue has two turns, and no interval"
    for name in ("tests", "declared"):
        (line,) = [line for _, line in tables[name].signatures]
        assert "subjective_success_difference|unit:participant|" in line
        assert "|test:permutation_within|n:40|" in line
    unknown = compose(written(tmp_path / "e", people=40, known=False))
    lines = [
        line for one in unknown.blocks(TableOfText) if one.name == "success" for _, line in one.signatures
    ]
    assert all(line.endswith("|interval:wilson 0.95") for line in lines)


def test_a_declared_margin_is_tested_for_its_own_measure_alone(tmp_path):
    first, second = "{measure: turns}", "{measure: dialogue_duration, margin: 3}"
    more = f"  margin: 0.2\n  secondary: [{first}, {second}]\n  exclusions:"
    file = STUDY.replace("  exclusions:", more)
    found = {
        one.measure: one.equivalence
        for one in declared_family(declared(tmp_path / "d", revision("r1", file, -1))).results
    }
    assert found["subjective_success"].margin == 0.2
    assert found["turns"] is None
    assert found["dialogue_duration"] is None, "nothing varied, so nothing can be tested"
    said = words(compose(Dataset(tmp_path / "d")), "declared")
    assert "margin 20.0; 90%" in said
    assert found["subjective_success"].equivalent is False
    assert ", adjusted over 1'" in said


def test_without_declaration_everything_is_exploration(plain):
    assert "Everything in this report is exploratory." in words(plain.document, "declared")


def test_the_flow_names_what_the_rules_left_out_and_the_text_before_the_trial_the_same_rules(tmp_path):
    file = STUDY + "  exclude: [trivial, {participant: p3}]\n"
    dataset = declared(tmp_path / "d", revision("r1", file, -1))
    flow_words = words(compose(dataset), "flow")
    assert "Excluded: trivial" in flow_words
    assert "Excluded: participant = p3" in flow_words
    assert "78" in flow_words, "of 80 dialogues p3 held two"
    assert "Whoever writes nothing." in flow_words
    assert "participant = p3" in words(compose(dataset), "declared")


def test_a_worse_release_is_found_and_an_equal_one_is_called_equal(tmp_path):
    old, worse = written(tmp_path / "old", better=0.9), written(tmp_path / "worse", better=0.4)
    (verdicts,) = [
        block
        for one in compose(worse, ReportOptions(against=old)).sections
        if one.name == "against"
        for block in one.blocks
        if isinstance(block, Bullets)
    ]
    assert verdicts.items[0].startswith("Subjective success got worse: \u221225.0 points")
    same = words(
        compose(written(tmp_path / "same", better=0.9), ReportOptions(against=old, margin=0.15)), "against"
    )
    assert "equivalent within 15.0 points" in same
    unsure = words(
        compose(written(tmp_path / "few", better=0.85), ReportOptions(against=old, margin=0.01)), "against"
    )
    assert "too few people (80) to show non-inferiority within 1.0 points" in unsure


def test_tables_are_written_as_csv_and_latex(simulated, tmp_path):
    files = write_tables(simulated.document, tmp_path / "tables")
    names = {path.name for path in files}
    assert {"success.csv", "success.tex", "tests.csv", "flow.tex"} <= names
    with (tmp_path / "tables" / "success.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    (alpha,) = [row for row in rows if "alpha" in row.values()]
    assert (alpha["Subjective success"], alpha["mark"]) == ("0.75", "SIMULATED")
    low, high = (float(alpha[f"Subjective success {name}"]) for name in ("low", "high"))
    assert 0 < low < 0.75 < high < 1
    assert int(alpha["Subjective success k"]) == 0.75 * int(alpha["Subjective success n"])
    with (tmp_path / "tables" / "signatures.csv").open(encoding="utf-8", newline="") as file:
        signed = list(csv.DictReader(file))
    assert {"success", "tests"} <= {row["table"] for row in signed}
    assert all("|n:" in row["signature"] and "|unit:" in row["signature"] for row in signed)
    latex = (tmp_path / "tables" / "success.tex").read_text(encoding="utf-8")
    assert r"\toprule" in latex
    assert r"75.0\%" in latex
    assert r"\caption{SIMULATED: Success rates}" in latex


def test_programs_read_every_number_of_every_csv(simulated, tmp_path):
    """One number a cell, nothing but ASCII digits in it, in every language; missing is empty."""
    margin = STUDY.replace("  exclusions:", "  margin: 0.1\n  exclusions:")
    many = written(tmp_path / "many", people=520, study={"name": "s", "revision": "r", "file": margin})
    for language in ("en", "it"):
        with speaking(language):
            write_tables(compose(simulated.dataset), tmp_path / language)
            write_tables(compose(many, ReportOptions(language=language)), tmp_path / f"many-{language}")
    for path in sorted(tmp_path.rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            head, *rows = list(csv.reader(file))
        assert all(len(row) == len(head) for row in rows)
        assert len(set(head)) == len(head), (path, head)
        for row in rows:
            cells = dict(zip(head, row, strict=True))
            texts = {"block", head[1], "mark", "signature", "number", "table"}
            strange = {name: one for name, one in cells.items() if name not in texts and _looks_printed(one)}
            assert strange == {}, path


def _looks_printed(text):
    """A number made for people: a percent sign, a real minus, a range, a decimal comma, a noun after it."""
    return bool(re.search(r"\d ?%|\u2212|\d,\d|\u202f|^'|\d (to|a) \d|^\d+ [a-z]", text))


def test_a_declared_margin_and_its_limits_are_numbers_in_the_unit_of_the_difference(tmp_path):
    margin = STUDY.replace("  exclusions:", "  margin: 0.1\n  exclusions:")
    dataset = declared(tmp_path / "d", revision("r1", margin, -1))
    write_tables(compose(dataset), tmp_path)
    with (tmp_path / "declared.csv").open(encoding="utf-8", newline="") as file:
        (row,) = list(csv.DictReader(file))
    (one,) = declared_family(dataset).results
    equal = one.equivalence
    found = {name.removeprefix("Within the margin? "): cell for name, cell in row.items()}
    assert (found["margin"], found["tests"]) == ("0.1", "1")
    limits = [float(found[f"interval_{name}"]) for name in ("low", "high")]
    assert limits == pytest.approx(equal.interval)
    assert float(found["p"]) == pytest.approx(equal.p_adjusted)


def test_cases_and_counts_stand_in_columns_of_their_own(tmp_path):
    write_tables(compose(written(tmp_path / "d", people=520)), tmp_path)
    with (tmp_path / "measures.csv").open(encoding="utf-8", newline="") as file:
        durations = [row for row in csv.DictReader(file) if "d" in row["Measure"].lower()]
    assert all(row["alpha n"].isdigit() for row in durations)
    with (tmp_path / "success.csv").open(encoding="utf-8", newline="") as file:
        whole = list(csv.DictReader(file))[-1]
    assert (whole["System dialogues"], whole["System participants"]) == ("1040", "520")


def test_latex_and_csv_take_hostile_names_as_text(make, tmp_path):
    dataset = make(systems=(r"\input{x} & 50% #1 _a_ ~^", "=cmd()"))
    write_tables(compose(dataset), tmp_path)
    latex = (tmp_path / "success.tex").read_text(encoding="utf-8")
    assert r"\input" not in latex
    assert r"\textbackslash{}input\{x\} \& 50\% \#1 \_a\_" in latex
    assert "'=cmd()" in (tmp_path / "success.csv").read_text(encoding="utf-8")
    assert escaped("\u22121.5") == "$-$1.5"


def test_figures_are_written_for_slides_with_their_numbers(simulated, tmp_path):
    write_figures(simulated.document, tmp_path)
    svg = (tmp_path / "success.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert 'xmlns="http://www.w3.org/2000/svg"' in svg
    assert "SIMULATED" in svg
    spec = json.loads((tmp_path / "success.vl.json").read_text(encoding="utf-8"))
    assert "vega-lite" in spec["$schema"]
    assert "alpha" in json.dumps(spec)
    png = (tmp_path / "success.png").read_bytes()
    assert png.startswith(b"\x89PNG") and int.from_bytes(png[16:20]) > 1500, "as wide as a slide"
    with (tmp_path / "participants.csv").open(encoding="utf-8", newline="") as file:
        assert {row["mark"] for row in csv.DictReader(file)} == {"SIMULATED"}


def test_figures_draw_the_numbers_that_the_tables_have(tmp_path):
    document = compose(written(tmp_path / "d", better=0.9))
    figures = {one.name: one for one in document.blocks(Figure)}
    tables = {one.name: one for one in document.blocks(TableOfText)}

    def main(table, place):
        return [row.cells[place].main for row in tables[table].rows]

    assert [row[2] for row in figures["differences"].rows] == main("tests", 0)
    assert [row[3] for row in figures["differences"].rows] == main("tests", 1)
    flow = {row.heading: row.cells[0].main for row in tables["flow"].rows}
    assert [row[1] for row in figures["funnel"].rows] == [flow[row[0]] for row in figures["funnel"].rows]
    assert figures["funnel"].rows[0][0] == "Arrived" and figures["funnel"].rows[-1][0] == "Completed"
    rates = {row.heading: row.cells[0] for row in tables["success"].rows}
    for _, group, shown, limits, counted in figures["answer"].rows:
        assert (shown, limits, counted) == (rates[group].main, *rates[group].under[:2])


def test_parameters_are_drawn_by_family_with_the_numbers_of_their_table(plain):
    document = plain.document
    (table,) = [one for one in document.blocks(TableOfText) if one.name == "measures"]
    cells = {row.heading: row.cells for row in table.rows}
    drawn = [one for one in document.blocks(Figure) if one.name.startswith("parameters-")]
    assert drawn and all("parameters with 95% CIs" in one.title for one in drawn)
    groups = [column.main for column in table.columns[1:]]
    for measure, group, shown, limits, _ in (row for one in drawn for row in one.rows):
        cell = cells[measure][groups.index(group)]
        assert (shown, limits) == (cell.main, cell.under[0])


def test_the_title_page_says_what_who_and_when(plain):
    document = plain.document
    terms = dict(document.cover)
    assert terms["What"] == "alpha (20), beta (20)"
    assert terms["Who"] == "20 participants"
    assert "March" in terms["When"]
    (cite,) = [one for one in document.sections if one.name == "cite"]
    assert plain.dataset.hash in repr(cite.blocks[0])
    assert any(isinstance(block, FactList) for one in document.sections for block in one.blocks)


def test_opinion_and_record_are_held_against_each_other(tmp_path):
    """Published four-fold table: kappa .40 and McNemar's exact p of 5 against 10."""
    known = [
        ((said, shown), f"p{place}")
        for said, shown, n in ((True, True, 20), (True, False, 5), (False, True, 10), (False, False, 15))
        for place in range(n)
    ]
    both = {f"d{place}": pair for place, (pair, _) in enumerate(known)}
    people = [f"p{place}" for place in range(len(known))]
    row = _row("all", list(both), people, both)
    assert round(row.kappa.value or 0, 2) == 0.40
    assert (row.kappa.low or 1) < 0.40 < (row.kappa.high or 0)
    assert row.excess.p_mcnemar == pytest.approx(binomtest(5, 15).pvalue)
    assert row.excess.difference == pytest.approx(-0.1)
    assert (row.excess.low or 0) < -0.1 < (row.excess.high or -1)


def test_a_trial_with_a_stopping_rule_says_so_and_that_these_are_single_look_figures(tmp_path):
    rule = "stopping: {words: Before June., rule: obrien_fleming, participants: 60, interim_analyses: 5}"
    study = STUDY.replace("stopping: After 40 people.", rule)
    dataset = written(tmp_path / "d", study={"name": "s", "revision": "r", "file": study})
    page = render(dataset)
    assert "Before June. 5 looks up to 60 participants, with O&#39;Brien-Fleming boundaries." in page
    assert "The trial had interim analyses." in page
    with_sentence = written(tmp_path / "e", study={"name": "s", "revision": "r", "file": STUDY})
    assert "After 40 people." in render(with_sentence)
    assert "watched while it ran" not in render(with_sentence)


def test_a_preset_declares_for_a_study_that_names_no_comparison(tmp_path):
    study = STUDY.split("analysis:")[0] + "protocol: cambridge-2011\n"
    dataset = written(tmp_path / "d", study={"name": "s", "revision": "r", "file": study})
    declared = declaration(dataset)
    assert declared is not None
    assert declared.analysis.primary.measure == "objective_success_inferred"
    assert declared.analysis.primary.compare == ["alpha", "beta"]
    tested = {one.measure for one in declared_family(dataset).results}
    assert "subjective_success" in tested
