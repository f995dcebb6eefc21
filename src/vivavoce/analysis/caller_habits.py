"""Habits of callers, read from calls: each a share, and how many cases tell of it; (None, 0) where none."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from scipy.stats import rankdata

from vivavoce.analysis.annotated_calls import Call
from vivavoce.dataset.vocabulary import DONTCARE, leading_act, meaning_without_value

_FEWEST_ALIKE: Final = 10  # turns of one meaning that are enough to rank

Share = tuple[float | None, int]


def habit_shares(calls: Sequence[Call]) -> dict[str, Share]:
    """Each habit that is a share, by its name in population files."""
    return {
        "forgetfulness": _forgetfulness(calls),
        "over_informing": _over_informing(calls),
        "opens_in_full": _opens_in_full(calls),
        "carefulness": _carefulness(calls),
        "denies": _denial(calls),
        "only_denies": _only_denial(calls),
        "gives_up": _giving_up(calls),
        "asks_whether": _share([_has(call, "confirm") for call in calls]),
        "thanks_first": _share([_thanks_first(call) for call in calls]),
        "terseness": _terseness(calls),
        "fragments": _in_place_of_answers(calls, "null"),
        "fragments_first": _share([{act for act, _, _ in call.acts[0]} == {"null"} for call in calls]),
        "breaks_off_again": _again(calls, "null"),
        "asks_back": _in_place_of_answers(calls, "repeat"),
        "steadiness": _steadiness(calls),
        "two_at_once": _two_at_once(calls),
        "curiosity": _share([_has_alone(call, "reqalts") for call in calls]),
        "fickleness": _share([_changed_mind(call) for call in calls]),
        "optimism": _share(
            [bool(call.satisfied) for call in calls if call.served is False and call.satisfied is not None]
        ),
    }


def _share(flags: Sequence[bool]) -> Share:
    return (sum(flags) / len(flags) if flags else None), len(flags)


def _has(call: Call, act: str) -> bool:
    return any(kind == act for turn in call.acts for kind, _, _ in turn)


def _has_alone(call: Call, act: str) -> bool:
    return any({kind for kind, _, _ in turn} == {act} for turn in call.acts)


def _thanks_first(call: Call) -> bool:
    """True if the caller thanked, and took leave with the next turn."""
    kinds = [{kind for kind, _, _ in turn} for turn in call.acts]
    return any(
        kinds_before == {"thankyou"} and "bye" in kinds_after for kinds_before, kinds_after in pairwise(kinds)
    )


def _forgetfulness(calls: Sequence[Call]) -> Share:
    """Share of assigned constraints whose slot was never spoken of; unit: constraints."""
    spoken = {call.dialogue_id: {slot for turn in call.acts for _, slot, _ in turn} for call in calls}
    return _share([slot not in spoken[call.dialogue_id] for call in calls for slot in call.constraints])


def _over_informing(calls: Sequence[Call]) -> Share:
    """Share of user turns with two slots or more, of those that state or ask; unit: turns."""
    slots = [
        {slot for act, slot, _ in turn if act in ("inform", "request") and slot}
        for call in calls
        for turn in call.acts
    ]
    return _share([len(slot) > 1 for slot in slots if slot])


def _opens_in_full(calls: Sequence[Call]) -> Share:
    """Share of first user turns with content that state two slots or more."""
    first = [
        next((turn for turn in call.acts if any(act == "inform" for act, _, _ in turn)), []) for call in calls
    ]
    return _share([len({slot for act, slot, _ in turn if act == "inform"}) > 1 for turn in first if turn])


def _in_place_of_answers(calls: Sequence[Call], act: str) -> Share:
    """Share of this act alone among user turns that follow none of this act alone; unit: turns."""
    alone = [[{kind for kind, _, _ in turn} == {act} for turn in call.acts] for call in calls]
    return _share([flag for flags in alone for before, flag in pairwise([False, *flags]) if not before])


def _again(calls: Sequence[Call], act: str) -> Share:
    """Share of this act alone among user turns that follow one of this act alone; unit: turns."""
    alone = [[{kind for kind, _, _ in turn} == {act} for turn in call.acts] for call in calls]
    return _share([flag for flags in alone for before, flag in pairwise(flags) if before])


def _two_at_once(calls: Sequence[Call]) -> Share:
    """Share of user turns that both state and ask, of those that do either; unit: turns."""
    kinds = [{act for act, _, _ in turn} & {"inform", "request"} for call in calls for turn in call.acts]
    return _share([len(kind) > 1 for kind in kinds if kind])


def _carefulness(calls: Sequence[Call]) -> Share:
    """Share of corrections among the answers to system turns that state another value than was meant.

    A correction denies, or says the slot again; unit: system turns.
    """
    return _share([corrected for corrected, _ in _corrections(calls)])


def _denial(calls: Sequence[Call]) -> Share:
    """Share of denials among corrections; unit: corrections."""
    return _share([denied for corrected, denied in _corrections(calls) if corrected])


def _only_denial(calls: Sequence[Call]) -> Share:
    """Share of mere no among questions for confirmation answered by a no or by a value."""
    answers = [
        {act for act, _, _ in acts}
        for call in calls
        for turn, acts in zip(call.turn_of_acts, call.acts, strict=True)
        if "confirm" in call.told.get(turn - 1, ())
    ]
    corrections = [kinds for kinds in answers if "affirm" not in kinds and kinds & {"negate", "inform"}]
    return _share([kinds == {"negate"} for kinds in corrections])


def _corrections(calls: Sequence[Call]) -> list[tuple[bool, bool]]:
    """Pairs (corrected, denied) of each system turn that states another value than was meant."""
    corrections: list[tuple[bool, bool]] = []
    for call in calls:
        caller_values: dict[str, str] = {}
        for turn, acts in zip(call.turn_of_acts, call.acts, strict=True):
            stated = call.stated.get(turn - 1, {})
            wrong = {
                slot
                for slot, value in stated.items()
                if caller_values.get(slot, value) not in (value, DONTCARE)
            }
            informed_slots = {slot for act, slot, _ in acts if act == "inform"}
            if wrong:
                denied = any(act in ("negate", "deny") for act, _, _ in acts)
                corrections.append((denied or bool(wrong & informed_slots), denied))
            caller_values.update(
                {slot: value for act, slot, value in acts if act == "inform" and slot and value}
            )
    return corrections


def _terseness(calls: Sequence[Call]) -> Share:
    """Share of user turns with two words a value or fewer, of those that only state values; unit: turns."""
    stating = [
        (count, len({slot for _, slot, _ in acts}))
        for call in calls
        for count, acts in zip(call.words, call.acts, strict=True)
        if acts and all(act == "inform" for act, _, _ in acts)
    ]
    return _share([count <= 2 * slots for count, slots in stating])


def _steadiness(calls: Sequence[Call]) -> Share:
    """Chance that a turn is as short or long as others of its call; unit: turns.

    Turns of the same meaning behind the same system act are ranked by their words; the correlation of two
    ranks within a call is the chance that both turns keep to it, which is the square of that of one.
    """
    alike: defaultdict[tuple[object, ...], list[tuple[str, int]]] = defaultdict(list)
    for call in calls:
        for turn, count, acts in zip(call.turn_of_acts, call.words, call.acts, strict=True):
            if any(act in ("inform", "request") for act, _, _ in acts):
                means = tuple(sorted(meaning_without_value(*act) for act in acts))
                alike[means, leading_act(call.told.get(turn - 1, ()))].append((call.dialogue_id, count))
    places: defaultdict[str, list[float]] = defaultdict(list)
    for turns in alike.values():
        if len(turns) >= _FEWEST_ALIKE:
            ranks = (rankdata([count for _, count in turns]) - 0.5) / len(turns) - 0.5
            for (dialogue, _), rank in zip(turns, ranks, strict=True):
                places[dialogue].append(float(rank))
    squares = [place**2 for call_places in places.values() for place in call_places]
    pairs = sum(len(place) * (len(place) - 1) for place in places.values())
    if not pairs or not sum(squares):
        return None, 0
    together = (
        sum(sum(call_places) ** 2 - sum(place**2 for place in call_places) for call_places in places.values())
        / pairs
    )
    return max(0.0, together / (sum(squares) / len(squares))) ** 0.5, len(squares)


def _giving_up(calls: Sequence[Call]) -> Share:
    """Share of "it does not matter" among the answers to a refusal that repeat or give up a value."""
    given_up: list[bool] = []
    for call in calls:
        values_so_far: dict[str, str] = {}
        for turn, acts in zip(call.turn_of_acts, call.acts, strict=True):
            informed = {slot: value for act, slot, value in acts if act == "inform" and slot and value}
            if "canthelp" in call.told.get(turn - 1, ()) and informed:
                if DONTCARE in informed.values():
                    given_up.append(True)
                elif informed.items() <= values_so_far.items():
                    given_up.append(False)
            values_so_far.update(informed)
    return _share(given_up)


def _changed_mind(call: Call) -> bool:
    """True if a slot got another value after the system had not said that nothing matches."""
    value_of: dict[str, str] = {}
    for turn, acts in zip(call.turn_of_acts, call.acts, strict=True):
        before = [helped for index, helped in call.helpful if index < turn]
        for act, slot, value in acts:
            if act != "inform" or not slot or not value or value == DONTCARE:
                continue
            if slot in value_of and value_of[slot] != value and (not before or before[-1]):
                return True
            value_of[slot] = value
    return False
