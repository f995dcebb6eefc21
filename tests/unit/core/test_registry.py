"""Shelves find what packages offer by entry points, and say what is wrong with a package by its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenes.packages import put_package
from vivavoce.core.errors import DuplicateName, InputError
from vivavoce.core.extras import install_command
from vivavoce.core.registry import Registry

GROUP = "vivavoce.lamps"
LAMP = "class Lamp:\n    def __init__(self, name): self.name = name\n"
Install = Callable[[str, dict[str, str], str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    def put(package: str, points: dict[str, str], code: str) -> None:
        monkeypatch.syspath_prepend(str(put_package(tmp_path, package, GROUP, points, code)))

    return put


def lamps() -> Registry[Any]:
    return Registry("lamp", fits=lambda made: hasattr(made, "name"), needs="a name")


def pairs(offered: Any) -> list[tuple[str, Callable[[], Any]]]:
    if not isinstance(offered, list):
        raise TypeError("it is no list of lamps")
    return [(one.name, lambda one=one: one) for one in offered]


def refusal(look: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        look()
    return str(caught.value)


def test_an_object_is_found_by_its_entry_point_and_made_once(install: Install) -> None:
    install("desk-lamps", {"desk": "desk_lamps:DESK"}, LAMP + "DESK = Lamp('desk')")
    shelf = lamps()
    assert shelf.names() == ["desk"] and "desk" in shelf and "floor" not in shelf
    assert shelf.get("desk") is shelf.get("desk")
    assert refusal(lambda: shelf.get("dessk", place="study.yaml")) == (
        "study.yaml: unknown lamp 'dessk'. Did you mean 'desk'? Known: desk"
    )


def test_a_package_that_comes_later_on_the_path_is_found_by_the_same_shelf(install: Install) -> None:
    shelf = lamps()
    install("early-lamps", {"early": "early_lamps:ONE"}, LAMP + "ONE = Lamp('early')")
    assert shelf.names() == ["early"]
    install("late-lamps", {"late": "late_lamps:ONE"}, LAMP + "ONE = Lamp('late')")
    assert shelf.names() == ["early", "late"]


def test_a_program_may_add_its_own_but_no_name_that_a_package_offers(install: Install) -> None:
    install("sold-lamps", {"sold": "sold_lamps:ONE"}, LAMP + "ONE = Lamp('sold')")
    shelf = lamps()
    shelf.add("mine", "a lamp")
    assert shelf.names() == ["mine", "sold"] and shelf.get("mine") == "a lamp"
    with pytest.raises(DuplicateName):
        shelf.add("sold", "another")


def test_a_member_of_an_extra_that_is_not_there_is_passed_over_until_it_is_asked_for(
    install: Install,
) -> None:
    install("near-lamps", {"near": "near_lamps:ONE"}, LAMP + "ONE = Lamp('near')")
    install("far-lamps", {"far": "vivavoce_telephone.lamps:ONE"}, "")
    shelf = lamps()
    assert [name for name, _ in shelf] == ["near"] and shelf.names() == ["far", "near"]
    assert refusal(lambda: shelf.get("far")) == (
        f"this needs the package vivavoce-telephone. {install_command('telephone')}"
    )
    install("half-lamps", {"half": "half_lamps:ONE"}, "import vivavoce_telephone")
    assert install_command("telephone") in refusal(lambda: dict(shelf))


def test_what_is_offered_under_another_name_is_refused(install: Install) -> None:
    install("odd-lamps", {"odd": "odd_lamps:ONE"}, LAMP + "ONE = Lamp('even')")
    assert refusal(lambda: lamps().get("odd")) == (
        "lamp 'odd' of the package odd-lamps is not a lamp. "
        "It needs a name, and name = 'odd'; see docs/how-to/extend.md"
    )


def test_an_empty_shelf_says_that_the_installation_is_old() -> None:
    assert "einstall Vivavoce" in refusal(lambda: lamps().get("any"))
    assert "einstall Vivavoce" in refusal(lambda: Registry("lamp", unpack=pairs).get("any"))


def test_one_entry_point_offers_a_family(install: Install) -> None:
    install("many-lamps", {"many": "many_lamps:ALL"}, LAMP + "ALL = [Lamp('red'), Lamp('blue')]")
    shelf = Registry("lamp", unpack=pairs)
    assert shelf.names() == ["blue", "red"] and shelf.get("red").name == "red"
    assert "Did you mean 'red'" in refusal(lambda: shelf.get("reed"))


def test_what_a_family_offers_is_known_at_once_and_made_once_when_asked_for(install: Install) -> None:
    made: list[str] = []
    install("slow-lamps", {"slow": "slow_lamps:NAMES"}, "NAMES = ['neon', 'arc']")
    shelf = Registry(
        "lamp", unpack=lambda names: [(one, lambda one=one: made.append(one) or one) for one in names]
    )
    assert shelf.names() == ["arc", "neon"] and "arc" in shelf and len(shelf) == 2 and not made
    assert [shelf.get("arc"), shelf.get("arc"), *shelf] == ["arc", "arc", ("arc", "arc"), ("neon", "neon")]
    assert made == ["arc", "neon"]
    with pytest.raises(DuplicateName):
        shelf.add("arc", "another")


def test_a_name_in_two_families_names_both_packages_each_time(install: Install) -> None:
    for package in ("first-lamps", "second-lamps"):
        module = package.replace("-", "_")
        install(package, {module: f"{module}:ALL"}, LAMP + "ALL = [Lamp('red')]")
    shelf = Registry("lamp", unpack=pairs)
    for _ in range(2):
        assert refusal(shelf.names) == "lamp 'red' is offered by first-lamps and second-lamps. Uninstall one"


@pytest.mark.parametrize(
    ("code", "words"),
    [("import nowhere", "ModuleNotFoundError"), ("ALL = 3", "TypeError: it is no list of lamps")],
)
def test_a_family_that_is_broken_is_named(install: Install, code: str, words: str) -> None:
    package = f"broken-lamps-{len(code)}"
    install(package, {"broken": f"{package.replace('-', '_')}:ALL"}, code)
    said = refusal(Registry("lamp", unpack=pairs).names)
    assert f"lamps 'broken' of the package {package} cannot be loaded: {words}" in said
    assert said.endswith("or uninstall the package")
