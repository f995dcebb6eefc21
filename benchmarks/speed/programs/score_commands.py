"""The scoring of commands as a plain program: what the paper says, line by line, and nothing kept.

    score_commands.py REFERENCE ANSWERS

Reads the final notation with lists, alternatives, implicit words and requests to repeat; pairs predicates so
that most actions are recognised, then fewest arguments are wrong; aligns arguments. Printed as JSON: a
tuple a predicate, figures by action, confusions and totals, as `vivavoce understand score --json` gives them
but for intervals.

Source  Di Maro, Origlia and Cutugno 2018, sections 2 and 3
"""

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

TOKEN = re.compile(r"\s*(?:([()\[\],/*#])|((?:[^()\[\],/*#]|(?<=\d)/(?=\d))+))")
REPEAT = ("argument", [("#", False)])


class Reader:
    def __init__(self, text):
        self.tokens = [" ".join((sign or words).split()) for sign, words in TOKEN.findall(text)]
        self.tokens = [one for one in self.tokens if one] + [""]
        self.at = 0

    def take(self, wanted=None):
        found = self.tokens[self.at]
        if (wanted is not None and found != wanted) or not found:
            raise ValueError(f"{found!r} where {wanted!r} is expected")
        self.at += 1
        return found

    def several(self, read, separator):
        found = [read()]
        while self.tokens[self.at] == separator:
            self.at += 1
            found.append(read())
        return found

    def annotation(self):
        if self.tokens[self.at] != "[":
            found = [self.predicate()]
        else:
            self.take("[")
            found = self.several(self.predicate, ",")
            self.take("]")
        if self.tokens[self.at]:
            raise ValueError("something stands behind the end")
        return found

    def predicate(self):
        if self.tokens[self.at] == "#":
            return self.take(), [], False
        action, implicit = self.starred(self.take)
        self.take("(")
        arguments = [] if self.tokens[self.at] == ")" else self.several(self.argument, ",")
        self.take(")")
        return action, arguments, implicit

    def argument(self):
        if self.tokens[self.at] == "#":
            self.take()
            return REPEAT
        return "argument", self.several(lambda: self.starred(self.option), "/")

    def option(self):
        if self.tokens[self.at] != "[":
            return self.take()
        self.take("[")
        items = self.several(self.argument, ",")
        self.take("]")
        return items

    def starred(self, read):
        if self.tokens[self.at] != "*":
            return read(), False
        self.take("*")
        found = read()
        self.take("*")
        return found, True


def read(path):
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        number, _, annotation = line.partition(";")
        found[int(number)] = Reader(annotation).annotation()
    return found


def same(option, answer):
    (said, implicit), (heard, also) = option, answer
    if implicit != also or isinstance(said, str) != isinstance(heard, str):
        return False
    if isinstance(said, str):
        return said.casefold() == heard.casefold()
    return len(said) == len(heard) and all(map(fits, said, heard))


def fits(argument, answer):
    if len(answer[1]) != 1 or answer == REPEAT:
        return False
    return any(same(option, answer[1][0]) for option in argument[1])


def align(said, heard):
    """Least distance, and of those alignments the one with fewest expected arguments that are not correct."""
    costs = [answer != REPEAT for answer in heard]
    table = [[(0, 0)] * (len(heard) + 1) for _ in range(len(said) + 1)]
    for column, cost in enumerate(costs, 1):
        table[0][column] = table[0][column - 1][0] + cost, 0
    for row, argument in enumerate(said, 1):
        table[row][0] = row, row
        for column, answer in enumerate(heard, 1):
            wrong, cost = not fits(argument, answer), costs[column - 1]
            (a, b), (c, d), (e, f) = (
                table[row - 1][column - 1],
                table[row - 1][column],
                table[row][column - 1],
            )
            table[row][column] = min((a + (wrong and cost), b + wrong), (c + 1, d + 1), (e + cost, f))
    return table[-1][-1]


def shown(predicate):
    return None if predicate is None else f"*{predicate[0]}*" if predicate[2] else predicate[0]


def recognised(said, answer):
    return said[2] == answer[2] and said[0].casefold() == answer[0].casefold()


def pairs(said, heard):
    """In order: most actions recognised, then fewest arguments wrong, then fewest left alone."""
    best = {(0, 0): ((0, 0, 0), [])}
    for i in range(len(said) + 1):
        for j in range(len(heard) + 1):
            ways = []
            if i and j:
                (missed, distance, alone), before = best[i - 1, j - 1]
                right = recognised(said[i - 1], heard[j - 1])
                wrong = align(said[i - 1][1], heard[j - 1][1])[0] if right else 0
                ways.append(
                    ((missed + (not right), distance + wrong, alone), [*before, (said[i - 1], heard[j - 1])])
                )
            if i:
                (missed, distance, alone), before = best[i - 1, j]
                ways.append(((missed + 1, distance, alone + 1), [*before, (said[i - 1], None)]))
            if j:
                (missed, distance, alone), before = best[i, j - 1]
                ways.append(((missed, distance, alone + 1), [*before, (None, heard[j - 1])]))
            if ways:
                best[i, j] = min(ways, key=lambda way: way[0])
    return best[len(said), len(heard)][1]


def score(reference, answers):
    counts, confusions, scored = Counter(), Counter(), []
    actions = defaultdict(Counter)
    for path in sorted(reference.iterdir()):
        truth, given = read(path), read(answers / path.name)
        for number, said in truth.items():
            exact, position = True, 0
            for one, answer in pairs(said, given.get(number, [])):
                confusions[shown(one), shown(answer)] += 1
                heard = answer[1] if answer else []
                if one is None:
                    counts["inserted"] += 1
                    counts["answered"] += len(heard)
                    exact = False
                    continue
                position += 1
                repetitions = heard.count(REPEAT)
                right = answer is not None and recognised(one, answer)
                distance, missed = align(one[1], heard) if right else (0, len(one[1]))
                expected, correct = (len(one[1]), len(one[1]) - missed) if right else (0, 0)
                asked = repetitions if right else 0
                exact = exact and right and not distance and not asked
                numbers = {
                    "predicates": 1,
                    "recognised": int(right),
                    "arguments": len(one[1]),
                    "expected": expected,
                    "correct": correct,
                    "distance": distance,
                    "repetitions": asked,
                    "answered": len(heard) - repetitions,
                }
                counts.update(numbers)
                actions[shown(one)].update(numbers)
                scored.append(
                    {
                        "id": f"{number}_{position}",
                        "tuple": [int(right), expected, distance, asked],
                        "speaker": path.stem,
                        "action": shown(one),
                        "answer": shown(answer),
                    }
                )
            counts["utterances"] += 1
            counts["exact"] += exact
    told = [[*pair, number] for pair, number in confusions.most_common()]
    return {"counts": counts, "actions": actions, "confusions": told, "predicates": scored}


if __name__ == "__main__":
    print(json.dumps(score(Path(sys.argv[1]), Path(sys.argv[2]))))
