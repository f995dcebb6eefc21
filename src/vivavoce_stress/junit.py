"""Results of a run as JUnit XML, which build servers read."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from vivavoce_stress.scores import bounds_of


def junit(rows: Sequence[dict[str, Any]], name: str, *, at: datetime | None = None) -> str:
    """JUnit XML over rows of the table `stress`.

    failure  the verdict is fail or clarification
    error    the system failed, so that there is no verdict
    skipped  nothing was decided: it waits for a person, the original did not pass, the variant is invalid
    time     seconds of all replays of the case; properties say between which two shares the result lies
    Source   the schema of Apache Ant's reports (JUnit.xsd of windyroad)
    """
    when = (at or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S")
    cases = [(row, _junit_kind(row)) for row in rows if row["case_id"]]
    kinds = Counter(kind for _, kind in cases)
    suite = Element(
        "testsuite",
        name=f"vivavoce stress {name}",
        tests=str(len(cases)),
        failures=str(kinds["failure"]),
        errors=str(kinds["error"]),
        skipped=str(kinds["skipped"]),
        timestamp=when,
        hostname="localhost",
        time=_seconds(sum(row["duration_s"] or 0.0 for row, _ in cases)),
    )
    properties = SubElement(suite, "properties")
    for key, value in _junit_facts([row for row, _ in cases]).items():
        SubElement(properties, "property", name=key, value=value)
    for row, kind in cases:
        case = SubElement(
            suite,
            "testcase",
            classname=f"{row['test']}.{row['language']}",
            time=_seconds(row["duration_s"]),
            name=_legal(f"{row['case_id']} {row['text']}"),
        )
        reason = _legal(row["reason"] or row["status"])
        if kind == "failure":
            failure = SubElement(case, kind, type=row["verdict"], message=reason)
            failure.text = _legal(f"original: {row['original']}\nvariant: {row['text']}\nrung: {row['rung']}")
        elif kind == "error":
            SubElement(case, kind, type="outage", message=reason)
        elif kind == "skipped":
            waits = "waits for a person's verdict: " if row["verdict"] == "unsure" else ""
            SubElement(case, kind, message=waits + reason)
    for stream in ("system-out", "system-err"):
        SubElement(suite, stream)
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode") + "\n"


def _junit_kind(row: dict[str, Any]) -> str:
    if row["status"] == "outage":
        return "error"
    if row["status"] != "applied" or row["verdict"] == "unsure":
        return "skipped"
    return "failure" if row["verdict"] in ("fail", "clarification") else "passed"


def _junit_facts(cases: Sequence[dict[str, Any]]) -> dict[str, str]:
    passed, decided, undecided = bounds_of(cases)
    n = decided + undecided
    shares = {"worst": passed / n, "best": (passed + undecided) / n} if n else {}
    return {"open": str(undecided), **{name: f"{share:.4f}" for name, share in shares.items()}}


def _seconds(value: float | None) -> str:
    return f"{value or 0.0:.3f}"


def _legal(text: str) -> str:
    """Without the control characters that no XML may hold."""
    return "".join(ch for ch in text if ch in "\n\t" or (ord(ch) >= 0x20 and ord(ch) not in (0xFFFE, 0xFFFF)))
