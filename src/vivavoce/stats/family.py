"""The comparisons over which p is adjusted together: what a study declared, and what a summary explores.

Every comparison belongs to one family, whoever prints it, so that one pair and measure has one adjusted p.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from vivavoce.log.dataset import Dataset
from vivavoce.stats.clustered_summary import ClusteredSummary
from vivavoce.stats.declared import declared_family
from vivavoce.stats.groups import Group, groups
from vivavoce.stats.multiple_testing import adjusted, adjustment_words
from vivavoce.stats.rates import HEADLINES

Facts = dict[str, Any]
Key = tuple[str, frozenset[Any]]
ALPHA: Final = 0.05


def decisive(test: Facts) -> Facts:
    """The side of a test that counts: participants as the unit wherever anybody knows who they were."""
    return test["clustered"] if test["unit"] == "participant" else test


def adjust_tests(
    dataset: Dataset, found: Sequence[Group], tests: Sequence[Facts], correction: str | None = None
) -> Facts:
    """Put every test of a summary into its family: `family`, `alpha`, `significant`, `p_adjusted`.

    Input   the tests of one grouping, each {measure, a, b, unit, p, clustered: {p, ...}}; `correction` in
            place of the declared one, or of Holm's where none is declared
    Output  declared: what `declared_family` found, or None; families: one entry a family that has any test,
            {name, correction, tests, untested, measures, why}; `why` names the family in a sentence
    Note    without a declaration the three headline rates over all pairs are one family, only explored;
            with one, what the declaration leaves of them is. Variants of a rate are the same cases counted
            otherwise: they are in no family, and have no adjusted p, unless they are declared. Only the
            side of a test that counts is adjusted
    """
    declared = declared_family(dataset, correction)
    _mark_groups(dataset, found, declared)
    results = declared["results"] if declared else []
    own = {key: one for one in results if (key := _declared_key(one))}
    explored: list[Facts] = []
    for test in tests:
        test |= {"family": None, "alpha": None, "significant": None}
        if asked := own.get(comparison_key(test)):
            _settle(test, "declared", asked["alpha"], asked["p_adjusted"])
        elif test["measure"] in HEADLINES:
            explored.append(test)
    method = correction or "holm"
    for test, p in zip(explored, adjusted([decisive(one)["p"] for one in explored], method), strict=True):
        _settle(test, "explored", ALPHA, p)
    families = [declared["family"]] if declared else []
    if explored:
        families.append(describe_family("explored", explored, method, lambda one: decisive(one)["p"]))
    return {"declared": declared, "families": families}


def describe_family(
    name: str, tests: Iterable[Facts], correction: str, p_of: Callable[[Facts], float | None], of: str = ""
) -> Facts:
    """A family in facts and in one sentence; only tests that gave a p are counted."""
    listed = list(tests)
    used = [one for one in listed if p_of(one) is not None]
    pairs = {frozenset((one["a"], one["b"])) for one in used}
    measures = list(dict.fromkeys(one["measure"] for one in listed))
    why = f"Explored, not declared: {adjustment_words(correction, len(used), 'comparison')}"
    what = f" (measures: {len(measures)}, pairs: {len(pairs)})" if len(used) > 1 and not of else of
    return {
        "name": name,
        "correction": correction,
        "tests": len(used),
        "untested": len(listed) - len(used),
        "measures": measures,
        "why": f"{why}{what}.",
    }


def settled(summary: Facts) -> dict[Key, Facts]:
    """What a summary settled, by measure and pair: {alpha, p_adjusted, family: the family's facts}."""
    families = {one["name"]: one for one in summary["families"]}
    declared = summary["declared"]["results"] if summary["declared"] else []
    found = {key: one | {"family": "declared"} for one in declared if (key := _declared_key(one))}
    found |= {comparison_key(one): {**one, **decisive(one)} for one in summary["tests"] if one["family"]}
    return {
        key: {"alpha": one["alpha"], "p_adjusted": one["p_adjusted"], "family": families[one["family"]]}
        for key, one in found.items()
    }


def explore_measure(
    nested: ClusteredSummary, name: str, places: Iterable[tuple[int, int]], correction: str, *, level: float
) -> dict[Key, Facts]:
    """A measure that no summary tests, as a family of its own over these pairs; the shape of `settled`."""
    pairs = [(nested.keys[a], nested.keys[b], nested.decisive(name, a, b, level=level)) for a, b in places]
    tests = [{"measure": name, "a": a, "b": b, "p": test["p"]} for a, b, test in pairs]
    of = f" of {name.replace('_', ' ')}"
    family = describe_family("explored", tests, correction, lambda one: one["p"], of)
    p_values = adjusted([one["p"] for one in tests], correction)
    return {
        comparison_key(one): {"alpha": ALPHA, "p_adjusted": p, "family": family}
        for one, p in zip(tests, p_values, strict=True)
    }


def _settle(test: Facts, family: str, alpha: float, p: float | None) -> None:
    test |= {"family": family, "alpha": alpha, "significant": None if p is None else p < alpha}
    decisive(test)["p_adjusted"] = p


def comparison_key(one: Facts) -> Key:
    """What a comparison is of, whichever of its groups is named first."""
    return one["measure"], frozenset((one["a"], one["b"]))


def _declared_key(one: Facts) -> Key | None:
    """What a declared comparison is of among the groups here; None: its systems are no groups here."""
    return (one["measure"], frozenset(one["groups"])) if one["groups"] else None


def _mark_groups(dataset: Dataset, found: Sequence[Group], declared: Facts | None) -> None:
    """Note of each declared comparison which groups hold its systems' dialogues, whatever they are called.

    Output  `groups`: the keys of a's and b's group; None where a system's dialogues are no group here
    """
    keys = {frozenset(group.dialogue_ids): group.key for group in found}
    systems = {one.key: frozenset(one.dialogue_ids) for one in groups(dataset, "system")}
    for one in declared["results"] if declared else []:
        held = [systems.get(one[side]) for side in ("a", "b")]
        one["groups"] = [keys[each] for each in held if each] if all(each in keys for each in held) else None
