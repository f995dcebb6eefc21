"""How many system turns of the bundled bots are appropriate, from conversations that were judged by hand.

    python -m benchmarks bot_conversations [--hold] [--write]

`bot_conversations/callers.yaml` has what four kinds of people say to each bot, `transcripts.jsonl` what was
answered when it was judged, `judgements.csv` every system turn that is not appropriate, with the reason:
contextual appropriateness as the thesis on BoRIS defines it (AP appropriate, IA violates a maxim of Grice,
TF no answer, IC incomprehensible). `--hold` prints the conversations that go otherwise with the bots as they
are now; `--write` puts the tables into the page.
"""

import argparse
import csv
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vivavoce_bots.catalogue import BOTS

FOLDER: Final = Path(__file__).with_suffix("")
TRANSCRIPTS: Final = FOLDER / "transcripts.jsonl"
JUDGEMENTS: Final = FOLDER / "judgements.csv"
PAGE: Final = Path(__file__).parents[1] / "docs" / "explanation" / "bot-quality.md"
LABELS: Final = ("IA", "TF", "IC")
GOAL: Final = 0.9
PERSONS: Final = ("brief", "chatty", "confused", "hostile")
Facts = dict[str, Any]


def held() -> list[Facts]:
    """The conversations, held now: callers say what they have to say, whatever is answered, until it ends."""
    said = yaml.safe_load((FOLDER / "callers.yaml").read_text("utf-8"))
    return [
        _held(bot, language, person, texts)
        for bot, languages in said.items()
        for language, people in languages.items()
        for person, texts in people.items()
    ]


def _held(name: str, language: str, person: str, texts: list[str]) -> Facts:
    bot = BOTS[name].make(BOTS[name].variants[0], 1, None)
    session = bot.session(f"{name}:{language}:{person}", language)
    turns = [["", bot.greet(session).text]]
    for text in texts:
        reply = bot.reply(session, [(text, None)])
        turns.append([text, reply.text])
        if reply.end:
            break
    return {"id": f"{name}-{language}-{person}", "turns": turns}


def read_transcripts() -> list[Facts]:
    return [json.loads(line) for line in TRANSCRIPTS.read_text(encoding="utf-8").splitlines()]


def read_judgements() -> dict[tuple[str, int], Facts]:
    """What is not appropriate: by conversation and turn; the greeting is turn 0."""
    with JUDGEMENTS.open(encoding="utf-8", newline="") as file:
        return {(row["id"], int(row["turn"])): row for row in csv.DictReader(file)}


def judged() -> list[Facts]:
    """Every system turn behind the greeting, with its judgement."""
    faults = read_judgements()
    rows = []
    for one in read_transcripts():
        bot, language, person = one["id"].split("-")
        for turn in range(1, len(one["turns"])):
            label = faults[one["id"], turn]["label"] if (one["id"], turn) in faults else "AP"
            rows.append({"bot": bot, "language": language, "person": person, "label": label})
    return rows


def shares(rows: list[Facts], by: str) -> dict[str, Facts]:
    """System turns and appropriate ones, by bot, language or person."""
    turns = Counter(row[by] for row in rows)
    good = Counter(row[by] for row in rows if row["label"] == "AP")
    return {name: {"turns": count, "appropriate": good[name]} for name, count in turns.items()}


def tables() -> dict[str, str]:
    """The generated parts of the page."""
    rows = judged()
    lines = ["| | appropriate system turns | share |", "| --- | --- | --- |"]
    for by in ("bot", "person", "language"):
        lines += [_row(name, one) for name, one in shares(rows, by).items()]
    good = sum(row["label"] == "AP" for row in rows)
    lines.append(_row("**all**", {"turns": len(rows), "appropriate": good}))
    texts = {(one["id"], at): turn for one in read_transcripts() for at, turn in enumerate(one["turns"])}
    failed = ["| conversation | said | answered | | why |", "| --- | --- | --- | --- | --- |"]
    for key, row in read_judgements().items():
        said, answered = (_cell(text) for text in texts[key])
        failed.append(f"| {key[0]} | {said} | {answered} | {row['label']} | {row['why']} |")
    return {"appropriate": "\n".join(lines), "failed": "\n".join(failed)}


def _row(name: str, one: Facts) -> str:
    share = one["appropriate"] / one["turns"]
    missed = "" if share >= GOAL else ", **missed**"
    return f"| {name} | {one['appropriate']} of {one['turns']} | {share:.0%}{missed} |"


def _cell(text: str) -> str:
    return text.replace("|", "/") if len(text) <= 150 else f"{text[:147].replace('|', '/')}..."


def written(page: str) -> str:
    """The page with its tables made anew."""
    for name, table in tables().items():
        begin = f"<!-- {name}: python -m benchmarks bot_conversations --write -->"
        made = f"{begin}\n{table}\n<!-- end of {name} -->"
        page = re.sub(
            f"{re.escape(begin)}\n.*?<!-- end of {name} -->", lambda _, made=made: made, page, flags=re.S
        )
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hold", action="store_true", help="print the conversations that go otherwise now")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    options = parser.parse_args()
    if options.hold:
        before = read_transcripts()
        for one in held():
            if one not in before:
                print(json.dumps(one, ensure_ascii=False))
        return
    if options.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    rows = judged()
    print(json.dumps({by: shares(rows, by) for by in ("bot", "person", "language")}, indent=1))


if __name__ == "__main__":
    main()
