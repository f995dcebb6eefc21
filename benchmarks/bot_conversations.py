"""How many system turns of the bundled bots are appropriate, from conversations that were judged by hand.

    python -m benchmarks bot_conversations [--hold ROUND] [--write]

Each folder of `bot_conversations/` is a round: `transcripts.jsonl` has what four kinds of people said to each
bot and what was answered when it was judged, `judge-*.csv` of each judge every system turn that they do not
find appropriate, with the reason: contextual appropriateness as the thesis on BoRIS defines it (AP
appropriate, IA violates a maxim of Grice, TF no answer, IC incomprehensible). A turn counts as appropriate
where every judge of its round says so. `--hold` prints the conversations that go otherwise with the bots as
they are now; `--write` puts the tables into the page.
"""

import argparse
import csv
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks._stress_verdicts import kappa_of

from vivavoce_bots.catalogue import BOTS

FOLDER: Final = Path(__file__).with_suffix("")
ROUNDS: Final = tuple(sorted(one.name for one in FOLDER.iterdir() if one.is_dir()))
PAGE: Final = Path(__file__).parents[1] / "docs" / "explanation" / "bot-quality.md"
LABELS: Final = ("IA", "TF", "IC")
GOAL: Final = 0.9
PERSONS: Final = ("brief", "chatty", "confused", "hostile")
Facts = dict[str, Any]
Place = tuple[str, int]


def read_transcripts(round_: str) -> list[Facts]:
    return [
        json.loads(line) for line in (FOLDER / round_ / "transcripts.jsonl").read_text("utf-8").splitlines()
    ]


def read_judgements(round_: str) -> dict[str, dict[Place, Facts]]:
    """What each judge does not find appropriate: by conversation and turn; the greeting is turn 0."""
    found = {}
    for path in sorted((FOLDER / round_).glob("judge-*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            found[path.stem] = {(row["id"], int(row["turn"])): row for row in csv.DictReader(file)}
    return found


def hold(round_: str) -> list[Facts]:
    """The conversations of a round, held now: people say what they said then, until it ends."""
    return [_held(one["id"], [said for said, _ in one["turns"][1:]]) for one in read_transcripts(round_)]


def _held(name: str, texts: list[str]) -> Facts:
    kind, language, person = name.split("-")
    bot = BOTS[kind].make(BOTS[kind].variants[0], 1, None)
    session = bot.session(f"{kind}:{language}:{person}", language)
    turns = [["", bot.greet(session).text]]
    for text in texts:
        reply = bot.reply(session, [(text, None)])
        turns.append([text, reply.text])
        if reply.end:
            break
    return {"id": name, "turns": turns}


def judged(round_: str) -> list[Facts]:
    """Every system turn behind the greeting, with whether each judge finds it appropriate."""
    judges = read_judgements(round_)
    rows = []
    for one in read_transcripts(round_):
        bot, language, person = one["id"].rstrip("0123456789").split("-")  # chatty2: who rang again
        for turn in range(1, len(one["turns"])):
            by = {judge: (one["id"], turn) not in faults for judge, faults in judges.items()}
            rows.append(
                {"bot": bot, "language": language, "person": person, "by": by, "all": all(by.values())}
            )
    return rows


def shares(rows: list[Facts], by: str) -> dict[str, Facts]:
    """System turns and appropriate ones, by bot, language or person."""
    turns = Counter(row[by] for row in rows)
    good = Counter(row[by] for row in rows if row["all"])
    return {name: {"turns": count, "appropriate": good[name]} for name, count in turns.items()}


def tables() -> dict[str, str]:
    """The generated parts of the page."""
    made = {}
    for round_ in ROUNDS:
        rows, judges = judged(round_), read_judgements(round_)
        lines = ["| | appropriate system turns | share |", "| --- | --- | --- |"]
        for by in ("bot", "person", "language"):
            lines += [_row(name, one) for name, one in shares(rows, by).items()]
        if len(judges) > 1:
            lines += [_row(judge, _total([row["by"][judge] for row in rows])) for judge in judges]
        lines.append(_row("**all**", _total([row["all"] for row in rows])))
        made[f"appropriate-{round_}"] = "\n".join(lines + _agreement(rows, list(judges)))
        texts = {
            (one["id"], at): turn for one in read_transcripts(round_) for at, turn in enumerate(one["turns"])
        }
        failed = ["| conversation | said | answered | | why |", "| --- | --- | --- | --- | --- |"]
        for place, (said, answered) in texts.items():
            found = [faults[place] for faults in judges.values() if place in faults]
            if found:
                labels, why = (
                    "; ".join(dict.fromkeys(one[key] for one in found)) for key in ("label", "why")
                )
                failed.append(f"| {place[0]} | {_cell(said)} | {_cell(answered)} | {labels} | {_cell(why)} |")
        made[f"failed-{round_}"] = "\n".join(failed)
    return made


def _total(appropriate: list[bool]) -> Facts:
    return {"turns": len(appropriate), "appropriate": sum(appropriate)}


def _row(name: str, one: Facts) -> str:
    share = one["appropriate"] / one["turns"]
    missed = "" if share >= GOAL else ", **missed**"
    return f"| {name} | {one['appropriate']} of {one['turns']} | {share:.0%}{missed} |"


def _agreement(rows: list[Facts], judges: list[str]) -> list[str]:
    if len(judges) != 2:
        return []
    pairs = [(row["by"][judges[0]], row["by"][judges[1]]) for row in rows]
    kappa = kappa_of(pairs, (True, False))
    same = sum(one == other for one, other in pairs)
    return ["", (f"The two passes agree on {same} of {len(pairs)} turns, Cohen's kappa {kappa['value']:.3f} "
                f"({kappa['low']:.3f} to {kappa['high']:.3f}).")]  # fmt: skip


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
    parser.add_argument("--hold", choices=ROUNDS, help="print the conversations that go otherwise now")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    options = parser.parse_args()
    if options.hold:
        before = read_transcripts(options.hold)
        for one in hold(options.hold):
            if one not in before:
                print(json.dumps(one, ensure_ascii=False))
        return
    if options.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    found = {one: {by: shares(judged(one), by) for by in ("bot", "person", "language")} for one in ROUNDS}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
