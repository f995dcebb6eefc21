"""Whether two factors went together, in dialogues that one can count."""

from vivavoce.analysis.flow import balance_warnings, confounded, together


def told(**cells: int) -> str | None:
    """So many dialogues of each pair of levels: `ax=3` is level a of `noise` with level x of `task`."""
    pairs = [(name[0], name[1]) for name, count in cells.items() for _ in range(count)]
    found = together("noise", [a for a, _ in pairs], "task", [b for _, b in pairs])
    return found and str(found)


def test_factors_that_went_together_are_told() -> None:
    for cells, word in [
        ({"ax": 5, "ay": 5, "bx": 5, "by": 5}, None),
        ({"ax": 10, "ay": 10, "bx": 9, "by": 11}, None),
        ({"ax": 10, "ay": 10, "bx": 8, "by": 12}, None),
        ({"ax": 10, "ay": 10, "bx": 7, "by": 13}, "unbalanced"),
        ({"ax": 5, "by": 5}, "confounded"),
        ({"ax": 5, "by": 4, "bz": 1}, "confounded"),
        ({"ax": 5, "ay": 5, "by": 5}, "unbalanced"),
        ({"ax": 5, "ay": 5}, None),
        ({"ax": 5, "bx": 5}, None),
        ({}, None),
    ]:
        found = told(**cells)
        assert (found is None) == (word is None) and (word or "") in (found or "")


def test_the_level_that_differs_most_is_named_with_its_shares() -> None:
    found = told(ax=6, ay=2, az=2, bx=2, by=3, bz=5)
    assert found is not None and "x of task makes up 60 % (a), 20 % (b) of the dialogues" in found
    both = told(ax=3, by=3)
    assert both is not None and "confounded: the only combinations are a × x, b × y." in both


def test_dialogues_without_a_level_and_factors_of_very_many_are_left_out() -> None:
    assert together("noise", ["a", "b", None, "a"], "task", ["x", "x", "y", None]) is None
    names = [f"t{number:02}" for number in range(13)]
    assert together("noise", ["a", "b"] * 13, "task", [one for one in names for _ in range(2)]) is None
    many = together("noise", ["a", "b"] * 6, "task", names[:12])
    assert many is not None and "confounded" in str(many)


def test_only_other_factors_and_systems_that_they_do_not_make_are_asked_about(make) -> None:
    talks = [("s", "p", 1), ("s", "p", 1), ("t", "p", 1), ("t", "p", 1)]
    alike = make(*talks, name="alike", factor_noise=["a", "a", "b", "b"], factor_light=["x", "y", "x", "y"])
    assert balance_warnings(alike, "noise") == balance_warnings(alike, "system") == []
    made = make(*talks, name="apart", factor_noise=["a", "b", "a", "b"], factor_light=["x", "y", "x", "y"])
    (warning,) = balance_warnings(made, "noise")
    assert "noise and light are confounded" in str(warning)


def test_a_factor_that_settles_the_other_or_is_settled_by_it_is_confounded() -> None:
    assert confounded("aab", "xxy") and confounded("aab", "xyz") and confounded("abc", "xxy")
    assert not confounded("aabb", "xyxy") and not confounded("aab", "xyy")
    assert not confounded([], []) and not confounded([None, "a"], ["x", None])
    assert confounded([None, "a", "b", "a"], ["x", "x", "y", None]), "only where both are known"


def test_a_gap_of_shares_is_that_of_the_furthest_levels() -> None:
    """Level x: 70, 40 and 30 %; y: 10, 30 and 20 %; z: 20, 30 and 50 %."""
    found = told(ax=7, ay=1, az=2, bx=4, by=3, bz=3, cx=3, cy=2, cz=5)
    assert found is not None and "x of task makes up 70 % (a), 40 % (b), 30 % (c)" in found
