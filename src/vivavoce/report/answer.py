"""The answer in plain words, and the sentences on what the numbers cannot say."""

from typing import Any

from vivavoce.report.content import headlines, interval_of, is_clustered, significant, title
from vivavoce.report.language import say, translated
from vivavoce.report.numbers import between, count, label, p_value, percent, plural, points, span

Facts = dict[str, Any]


def answer(summary: Facts, declared: Facts | None, results: list[Facts]) -> list[str]:
    """The summary for people who read no tables: the answer first, then how sure, then on what it rests."""
    if not headlines(summary):
        return []
    primary = [one for one in results if one["question"] == "primary" and one["p"] is not None]
    if primary:
        return [*(_declared_answer(one) for one in primary), _ground(summary), *_meanings(summary)]
    families = {
        name: tests
        for name in headlines(summary)
        if (tests := [test for test in summary["tests"] if test["measure"] == name])
    }
    first = sorted(families, key=lambda name: not any(significant(_best_test(one)) for one in families[name]))
    sentences = [_compared(summary, name, families[name]) for name in first]
    if not sentences:
        sentences.append(_single(summary, next(iter(headlines(summary)))))
    elif declared is None:
        sentences.append(say("No comparison was declared beforehand, so this is exploration, not a proof."))
    return [*sentences, _ground(summary), *_meanings(summary)]


def _meanings(summary: Facts) -> list[str]:
    """What the words of the answer mean, for who reads nothing else."""
    shown = headlines(summary)
    meanings = {
        "subjective_success": say("Subjective success: the participant said that all was found."),
        "objective_success_assigned": say(
            "Objective success, assigned goal: by the log, the system offered what fits the task and told "
            "all that the task asks for."
        ),
        "objective_success_inferred": say(
            "Objective success, inferred goal: the same, held against what the participant really asked for."
        ),
    }
    found = [meanings[name] for name in shown if name in meanings]
    if summary["tests"]:
        found.append(
            say(
                "A 95% interval holds the values that go well with the data; p is how often chance alone "
                "would show a difference as large; adjusted means that several comparisons were made at once."
            )
        )
    return [" ".join(found)] if found else []


def _declared_answer(one: Facts) -> str:
    facts = {
        "a": one["a"],
        "b": one["b"],
        "measure": title(one["measure"]).lower(),
        "difference": points(abs(one["difference"])).lstrip("+"),
        "interval": between(one["low"], one["high"], points),
        "p": p_value(one["p_adjusted"]),
    }
    if one["significant"]:
        if one["difference"] < 0:
            facts |= {"a": one["b"], "b": one["a"]}
        return say(
            "{a} does better than {b} in {measure}, the comparison declared beforehand: {difference} points "
            "(95% interval of the difference {interval}; adjusted p {p}).",
            **facts,
        )
    return say(
        "No difference between {a} and {b} in {measure} could be shown, the comparison declared beforehand: "
        "{difference} points apart (95% interval of the difference {interval}; adjusted p {p}).",
        **facts,
    )


def _compared(summary: Facts, name: str, tests: list[Facts]) -> str:
    """Best against worst, and how many pairs differ."""
    rows = [row for row in summary["by"] if row[name]["ratio"] is not None]
    best, worst = (pick(rows, key=lambda row: row[name]["ratio"]) for pick in (max, min))
    extremes = {best["key"], worst["key"]}
    test = next((one for one in tests if {one["a"], one["b"]} == extremes), tests[0])
    found = test.get("clustered") or {}
    found = found if found.get("p") is not None else test
    facts = {
        "best": label(best["key"]),
        "worst": label(worst["key"]),
        "high": percent(best[name]["ratio"]),
        "low": percent(worst[name]["ratio"]),
        "measure": title(name).lower(),
    }
    if significant(found):
        first = say("{best} does better than {worst}: {high} against {low} in {measure}.", **facts)
    elif best is worst or best[name]["ratio"] == worst[name]["ratio"]:
        first = say("All stand at {high} in {measure}.", **facts)
    else:
        first = say(
            "No difference in {measure} can be shown: {best} stands at {high}, {worst} at {low}.", **facts
        )
    return f"{first} {_how_sure(test, found, tests)}"


def _how_sure(test: Facts, found: Facts, tests: list[Facts]) -> str:
    """The interval of the one difference, or how many of several pairs differ."""
    if len(tests) == 1:
        return say(
            "The difference of {points} points has a 95% interval of {interval} (adjusted p {p}).",
            points=points(test["difference"]),
            interval=between(found["low"], found["high"], points),
            p=p_value(found["p_holm"]),
        )
    differing = sum(significant(_best_test(one)) for one in tests)
    if not differing:
        return say("None of the {n} pairs differs after adjustment.", n=count(len(tests)))
    return say("Of the {n} pairs, {k} differ after adjustment.", n=count(len(tests)), k=count(differing))


def _best_test(test: Facts) -> Facts:
    found = test.get("clustered") or {}
    return found if found.get("p") is not None else test


def _single(summary: Facts, name: str) -> str:
    rate = summary["all"][name]
    low, high, _ = interval_of(rate)
    return say(
        "{measure}: {ratio} (95% interval {interval}).",
        measure=title(name),
        ratio=percent(rate["ratio"]),
        interval=span(low, high),
    )


def _ground(summary: Facts) -> str:
    whole = summary["all"]
    rates = [
        say("{measure} {ratio}", measure=heading.lower(), ratio=percent(whole[name]["ratio"]))
        for name, heading in headlines(summary).items()
        if whole[name]["low"] is not None
    ]
    dialogues = plural(whole["dialogues"], "dialogue")
    if whole["participants"]:
        people = plural(whole["participants"], "participant")
        ground = say("It rests on {dialogues} of {participants}.", dialogues=dialogues, participants=people)
    else:
        ground = say("It rests on {dialogues}; who held them is not known.", dialogues=dialogues)
    return f"{ground} {say('Over all: {rates}.', rates=', '.join(rates))}" if rates else ground


def limits(summary: Facts, *, self_reported: bool) -> list[str]:
    """What these numbers cannot say, in sentences."""
    shown, whole = headlines(summary), summary["all"]
    sentences: list[str] = []
    if shown and is_clustered(summary):
        sentences.append(translated(summary["model"]["why"]))
    elif shown:
        sentences.append(
            say(
                "Intervals are Wilson's at 95% and treat dialogues (or goals) as independent. People "
                "who came back make them narrower than they should be."
            )
        )
    if summary["tests"]:
        sentences.append(say("Tests of what the study did not declare beforehand are exploration."))
    if "subjective_success" in shown:
        sentences.append(
            say(
                "Subjective success is what participants said. People tend to report success where "
                "information was missing: read it beside objective success."
            )
        )
    if "objective_success_assigned" in shown:
        sentences.append(
            say(
                "Success against assigned goals blames the system for every constraint or request that the "
                "participant forgot."
            )
        )
    if "objective_success_inferred" in shown:
        sentences += _on_inferred_goals(whole)
    if self_reported:
        sentences.append(
            say(
                "The domain database was built from what the systems said themselves. A system that is "
                "consistently wrong about a place cannot be caught."
            )
        )
    if summary["simulated"]:
        sentences.append(
            say(
                "Programs held the dialogues. They tell that the trial and the measures work, "
                "not how people would fare."
            )
        )
    return sentences


def _on_inferred_goals(whole: Facts) -> list[str]:
    sentences = [
        say(
            "Success against inferred goals takes the goal from what participants said. It counts goals: "
            "a change of mind is a new goal, so one dialogue may count several times."
        )
    ]
    no_match = whole["measures"].get("no_match_goals", {}).get("numerator")
    void = whole["measures"].get("void_goals", {}).get("numerator")
    if no_match:
        sentences.append(
            say(
                "{goals} had no match in the database; the headline credits a system that said so. The other "
                "policies are under the variants.",
                goals=plural(round(no_match), "goal"),
            )
        )
    if void:
        sentences.append(
            say("{goals} without any constraint or request are left out.", goals=plural(round(void), "goal"))
        )
    return sentences
