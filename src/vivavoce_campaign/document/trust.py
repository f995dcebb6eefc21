"""What to know before trusting a campaign's figures: what waits, who played, what nobody tried, noise."""

from typing import Final

from vivavoce.reports.language import language, named_language, say
from vivavoce.reports.numbers import MISSING, count, listed, percent, plural
from vivavoce_campaign.document.evaluation import Evaluation
from vivavoce_campaign.identities import PeopleApart
from vivavoce_stress.blocks import decided_by, open_told, tried_told
from vivavoce_stress.releases import RunsCompared

WIDE: Final = 0.2  # of an interval of shares


def warnings(found: Evaluation) -> list[str]:
    """In the order of how much they limit; first, that programs played, then what waits for a person."""
    told = open_told(found.stress["whole"], page="") if found.stress else []
    told = [*release_told(found), *told, *_basis(found), *languages_told(found), *_noise(found), *_few(found)]
    told.append(say("Systems are not ranked, because their domains and tasks differ."))
    if found.compared and found.compared.only_one:
        told.append(not_comparable(found.compared))
    if found.people.simulated:
        told.insert(0, say("Users were simulated. Their answers and times are not evidence about people."))
    if not found.people.simulated and found.people.finished < found.settings.users:
        told.append(
            say(
                "{n} of {wanted} planned users finished.",
                n=count(found.people.finished),
                wanted=count(found.settings.users),
            )
        )
    users = found.people
    if isinstance(users, PeopleApart) and users.elsewhere:
        told.append(
            say(
                "Users who also used another system (by link identifiers): {n}.",
                n=count(users.elsewhere),
            )
        )
    if isinstance(users, PeopleApart) and users.uninvited:
        told.append(say("Users with unknown identifiers: {n}.", n=count(users.uninvited)))
    told += _left_out(found)
    texts = {intent.intent_id: intent.said(language()) for intent in found.submission.intents}
    untried = [texts[intent.id] for intent in found.intents if not intent.dialogues]
    if untried:
        told.append(say("Untested intents: {intents}.", intents=listed(untried)))
    return told


def release_told(found: Evaluation) -> list[str]:
    """Which figures are of which release, where the stress tests were held again with a later one."""
    if (now := found.tested_later) is None:
        return []
    return [
        say(
            "Only the stress tests used release {now}. Dialogues, success, times and questionnaire are "
            "from {before}.",
            now=now,
            before=first_release(found),
        )
    ]


def first_release(found: Evaluation) -> str:
    """The release that held the dialogues: that of the first run of stress tests."""
    name = found.releases[0]
    return say("release {name}", name=name) if name else say("the first release (unnamed)")


def _basis(found: Evaluation) -> list[str]:
    """Which stress tests were tried at all, and who decided the cases."""
    run = found.stress
    if run is None or not run["whole"]["cases"]:
        return []
    return [" ".join(tried_told(run)), *([decided_by(run)] if run["whole"]["decided"] else [])]


def _few(found: Evaluation) -> list[str]:
    """How far apart the limits of passed stress tests are, where they are far apart."""
    whole = found.stress["whole"] if found.stress else {}
    low, high = whole.get("low"), whole.get("high")
    if low is None or high is None or high - low < WIDE:
        return []
    return [
        say(
            "The sample is small ({cases}, {users}): the 95% CI of the share passed is {low} to {high}.",
            cases=plural(whole["decided"] + whole["open"], "case"),
            low=percent(low),
            high=percent(high),
            users=plural(
                found.people.finished, "simulated user" if found.people.simulated else "participant"
            ),
        )
    ]


def not_comparable(found: RunsCompared) -> str:
    """The shares of two runs of other cases, and that they say nothing of the system."""
    (was, of), (now, of_now) = found.shares
    return say(
        "The runs had different cases: {was} of {of} passed before, {now} of {of_now} now; cases in both: "
        "{common}. The two shares are not comparable.",
        was=count(was),
        of=count(of),
        now=count(now),
        of_now=count(of_now),
        common=count(found.common),
    )


def languages_told(found: Evaluation) -> list[str]:
    """In which of the languages that were submitted no dialogue, or no stress test, was held."""
    told: list[str] = []
    tried = [one for one in found.languages if one.tried]
    if missing := [named_language(one.language) for one in found.languages if not one.tried]:
        told.append(
            say(
                "Declared languages without dialogues: {languages}. All figures are for {tried}.",
                languages=listed(missing),
                tried=listed([named_language(one.language) for one in tried]) or MISSING,
            )
        )
    without = [named_language(one.language) for one in tried if one.stress is None]
    if without and len(without) < len(tried):
        told.append(say("Languages without stress tests: {languages}.", languages=listed(without)))
    return told


def _noise(found: Evaluation) -> list[str]:
    """What reached a system otherwise than simulated users had meant it."""
    noise = found.noise
    if not noise.altered:
        return []
    return [
        say(
            "Simulated recognition errors changed {altered} of {turns}. People who type do not make such "
            "errors."
            if found.submission.channel == "written"
            else "Simulated recognition errors changed {altered} of {turns}.",
            altered=count(noise.altered),
            turns=plural(noise.turns, "user turn"),
        )
    ]


def _left_out(found: Evaluation) -> list[str]:
    told = []
    if found.left_out.silent:
        told.append(
            say(
                "Dialogues without user messages, not counted: {dialogues}.",
                dialogues=plural(found.left_out.silent, "dialogue"),
            )
        )
    if found.left_out.by_rules:
        told.append(
            say(
                "Excluded by the study's rules: {dialogues}.",
                dialogues=plural(found.left_out.by_rules, "dialogue"),
            )
        )
    return told
