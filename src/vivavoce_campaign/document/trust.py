"""What to know before trusting a campaign's figures: what waits, who played, what nobody tried, noise."""

from vivavoce.report.language import language, named_language, say
from vivavoce.report.numbers import MISSING, count, listed, plural
from vivavoce_campaign.document.evaluation import Evaluation
from vivavoce_campaign.identities import PeopleApart
from vivavoce_stress.blocks import open_told
from vivavoce_stress.releases import RunsCompared


def warnings(found: Evaluation) -> list[str]:
    """In the order of how much they limit; first, that programs played, then what waits for a person."""
    told = open_told(found.stress["whole"], page="") if found.stress else []
    told += [*languages_told(found), *_noise(found)]
    told += [
        say(
            "There is no ranking: systems of different domains and tasks cannot be compared by these figures."
        ),
        say("Few users and few cases leave wide intervals."),
    ]
    if found.compared and found.compared.only_one:
        told.append(not_comparable(found.compared))
    if found.people.simulated:
        told.insert(0, say("Programs played the users. Their answers and times say nothing about people."))
    if found.people.finished < found.settings.users:
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
                "Users of this system also used another one (by the identifiers of their links): {n}.",
                n=count(users.elsewhere),
            )
        )
    if isinstance(users, PeopleApart) and users.uninvited:
        told.append(say("Users came with identifiers that nobody gave out: {n}.", n=count(users.uninvited)))
    told += _left_out(found)
    texts = {one.intent_id: one.said(language()) for one in found.submission.intents}
    untried = [texts[one.id] for one in found.intents if not one.dialogues]
    if untried:
        told.append(say("Never tried: {intents}.", intents=listed(untried)))
    return told


def not_comparable(found: RunsCompared) -> str:
    """The shares of two runs of other cases, and that they say nothing of the system."""
    (was, of), (now, of_now) = found.shares
    return say(
        "The run before held other cases: {was} of {of} passed then, {now} of {of_now} now, and {common} "
        "stand in both. The two shares differ by the cases, too, and are no gain or loss of the system.",
        was=count(was), of=count(of), now=count(now), of_now=count(of_now), common=count(found.common),
    )  # fmt: skip


def languages_told(found: Evaluation) -> list[str]:
    """In which of the languages that were submitted no dialogue, or no stress test, was held."""
    told: list[str] = []
    tried = [one for one in found.languages if one.tried]
    if missing := [named_language(one.language) for one in found.languages if not one.tried]:
        told.append(
            say(
                "Declared, but not tried in any dialogue: {languages}. All figures are of {tried}.",
                languages=listed(missing),
                tried=listed([named_language(one.language) for one in tried]) or MISSING,
            )
        )
    without = [named_language(one.language) for one in tried if one.stress is None]
    if without and len(without) < len(tried):
        told.append(say("No stress test was held in: {languages}.", languages=listed(without)))
    return told


def _noise(found: Evaluation) -> list[str]:
    """What reached a system otherwise than simulated users had meant it."""
    noise = found.noise
    if not noise.altered:
        return []
    return [
        say(
            "Noise was added to what simulated users said: {altered} of {turns} reached the system in other "
            "words than were meant, as a recogniser of speech mishears. Nobody who types makes such mistakes."
            if found.submission.channel == "written"
            else "Noise was added to what simulated users said: {altered} of {turns} reached the system in "
            "other words than were meant, as a recogniser of speech mishears.",
            altered=count(noise.altered), turns=plural(noise.turns, "user turn"),
        )
    ]  # fmt: skip


def _left_out(found: Evaluation) -> list[str]:
    told = []
    if found.left_out.silent:
        told.append(
            say(
                "In {dialogues} the user said nothing; they count nowhere.",
                dialogues=plural(found.left_out.silent, "dialogue"),
            )
        )
    if found.left_out.by_rules:
        told.append(
            say(
                "The study's own rules leave out {dialogues}.",
                dialogues=plural(found.left_out.by_rules, "dialogue"),
            )
        )
    return told
