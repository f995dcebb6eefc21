"""Limitations of a campaign's figures: open cases, simulated users, untried parts, noise."""

from typing import Final

from vivavoce.reports.language import MISSING, count, language, listed, named_language, percent, plural, say
from vivavoce_campaign.document.evaluation import Evaluation
from vivavoce_campaign.identities import PeopleApart
from vivavoce_stress.blocks import decided_by, open_told, tried_told
from vivavoce_stress.releases import RunsCompared

WIDE: Final = 0.2  # of an interval of shares


def warnings(evaluation: Evaluation) -> list[str]:
    """In the order of how much they limit; first, that programs played, then what waits for a person."""
    warning_lines = open_told(evaluation.stress["whole"], page="") if evaluation.stress else []
    warning_lines = [
        *release_told(evaluation),
        *warning_lines,
        *_basis(evaluation),
        *languages_told(evaluation),
        *_noise(evaluation),
        *_few(evaluation),
    ]
    warning_lines.append(say("Systems are not ranked, because their domains and tasks differ."))
    if evaluation.compared and evaluation.compared.only_one:
        warning_lines.append(not_comparable(evaluation.compared))
    if evaluation.people.simulated:
        warning_lines.insert(
            0, say("Users were simulated. Their answers and times are not evidence about people.")
        )
    if not evaluation.people.simulated and evaluation.people.finished < evaluation.settings.users:
        warning_lines.append(
            say(
                "{n} of {wanted} planned users finished.",
                n=count(evaluation.people.finished),
                wanted=count(evaluation.settings.users),
            )
        )
    users = evaluation.people
    if isinstance(users, PeopleApart) and users.elsewhere:
        warning_lines.append(
            say(
                "Users who also used another system (by link identifiers): {n}.",
                n=count(users.elsewhere),
            )
        )
    if isinstance(users, PeopleApart) and users.uninvited:
        warning_lines.append(say("Users with unknown identifiers: {n}.", n=count(users.uninvited)))
    warning_lines += _left_out(evaluation)
    texts = {intent.intent_id: intent.said(language()) for intent in evaluation.submission.intents}
    untried = [texts[intent.id] for intent in evaluation.intents if not intent.dialogues]
    if untried:
        warning_lines.append(say("Untested intents: {intents}.", intents=listed(untried)))
    return warning_lines


def release_told(evaluation: Evaluation) -> list[str]:
    """Releases of the figures, where stress tests were repeated with a later one."""
    if (now := evaluation.tested_later) is None:
        return []
    return [
        say(
            "Only the stress tests used release {now}. Dialogues, success, times and questionnaire are "
            "from {before}.",
            now=now,
            before=first_release(evaluation),
        )
    ]


def first_release(evaluation: Evaluation) -> str:
    """The release that held the dialogues: that of the first run of stress tests."""
    name = evaluation.releases[0]
    return say("release {name}", name=name) if name else say("the first release (unnamed)")


def _basis(evaluation: Evaluation) -> list[str]:
    """Stress tests that were tried, and who decided the cases."""
    run = evaluation.stress
    if run is None or not run["whole"]["cases"]:
        return []
    return [" ".join(tried_told(run)), *([decided_by(run)] if run["whole"]["decided"] else [])]


def _few(evaluation: Evaluation) -> list[str]:
    """Width of the interval of passed stress tests, where it is wide."""
    overall = evaluation.stress["whole"] if evaluation.stress else {}
    low, high = overall.get("low"), overall.get("high")
    if low is None or high is None or high - low < WIDE:
        return []
    return [
        say(
            "The sample is small ({cases}, {users}): the 95% CI of the share passed is {low} to {high}.",
            cases=plural(overall["decided"] + overall["open"], "case"),
            low=percent(low),
            high=percent(high),
            users=plural(
                evaluation.people.finished, "simulated user" if evaluation.people.simulated else "participant"
            ),
        )
    ]


def not_comparable(comparison: RunsCompared) -> str:
    """The shares of two runs of other cases, and that they say nothing of the system."""
    (was, of), (now, of_now) = comparison.shares
    return say(
        "The runs had different cases: {was} of {of} passed before, {now} of {of_now} now; cases in both: "
        "{common}. The two shares are not comparable.",
        was=count(was),
        of=count(of),
        now=count(now),
        of_now=count(of_now),
        common=count(comparison.common),
    )


def languages_told(evaluation: Evaluation) -> list[str]:
    """In which of the languages that were submitted no dialogue, or no stress test, was held."""
    warning_lines: list[str] = []
    tried = [language for language in evaluation.languages if language.tried]
    if missing := [
        named_language(language.language) for language in evaluation.languages if not language.tried
    ]:
        warning_lines.append(
            say(
                "Declared languages without dialogues: {languages}. All figures are for {tried}.",
                languages=listed(missing),
                tried=listed([named_language(language.language) for language in tried]) or MISSING,
            )
        )
    without = [named_language(language.language) for language in tried if language.stress is None]
    if without and len(without) < len(tried):
        warning_lines.append(say("Languages without stress tests: {languages}.", languages=listed(without)))
    return warning_lines


def _noise(evaluation: Evaluation) -> list[str]:
    """Simulated users' turns that reached a system altered."""
    noise = evaluation.noise
    if not noise.altered:
        return []
    return [
        say(
            "Simulated recognition errors changed {altered} of {turns}. People who type do not make such "
            "errors."
            if evaluation.submission.channel == "written"
            else "Simulated recognition errors changed {altered} of {turns}.",
            altered=count(noise.altered),
            turns=plural(noise.turns, "user turn"),
        )
    ]


def _left_out(evaluation: Evaluation) -> list[str]:
    sentences = []
    if evaluation.left_out.silent:
        sentences.append(
            say(
                "Dialogues without user messages, not counted: {dialogues}.",
                dialogues=plural(evaluation.left_out.silent, "dialogue"),
            )
        )
    if evaluation.left_out.by_rules:
        sentences.append(
            say(
                "Excluded by the study's rules: {dialogues}.",
                dialogues=plural(evaluation.left_out.by_rules, "dialogue"),
            )
        )
    return sentences
