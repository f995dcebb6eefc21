"""What packages offer, as the standard library finds it, wherever they lie."""

import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from scenes.packages import put_package
from vivavoce.core.registry import EntryPoint, installed_points, read_entry_points

GROUP = "vivavoce.lamps"


def test_of_what_is_installed_it_finds_what_the_standard_library_finds() -> None:
    library = entry_points()
    ours = [group for group in library.groups if group.startswith("vivavoce")]
    expected = sorted(
        (one.group, one.name, one.value) for group in ours for one in library.select(group=group)
    )
    found = [one for points in read_entry_points(tuple(sys.path)).values() for one in points]
    assert sorted((one.group, one.name, one.value) for one in found) == expected and len(found) > 100
    assert {one.package for one in found if one.value.startswith("vivavoce.")} == {"vivavoce"}


class FinderOfOthers:
    """Beside which packages may lie anywhere."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        return None

    def find_distributions(self, context: object = None) -> list[object]:
        return []


@pytest.fixture(params=["folders", "twin", "others"])
def finders(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who finds packages: the standard library, its twin, which takes its place, or others beside it."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    if request.param == "twin":
        twin = type("MetadataPathFinder", (FinderOfOthers,), {"__module__": "importlib_metadata"})
        sys.meta_path.append(twin())
    elif request.param == "others":
        sys.meta_path.append(FinderOfOthers())


@pytest.mark.usefixtures("finders")
def test_of_two_packages_of_one_name_the_first_on_the_path_counts(tmp_path: Path) -> None:
    first = put_package(tmp_path / "first", "desk-lamps", GROUP, {"desk": "a:ONE"})
    second = put_package(tmp_path / "second", "Desk.Lamps", GROUP, {"desk": "b:ONE"})
    (found,) = read_entry_points((str(first), str(tmp_path / "nowhere"), str(second)))[GROUP]
    assert (found.name, found.value, found.package) == ("desk", "a:ONE", "desk-lamps")


@pytest.mark.usefixtures("finders")
def test_comments_and_groups_of_others_are_left_out(tmp_path: Path) -> None:
    site = put_package(tmp_path, "lamps", GROUP, {"desk": "a:ONE", "# floor": "a:TWO"})
    with (site / "lamps-0.1.dist-info" / "entry_points.txt").open("a") as file:
        file.write("\n\n[console_scripts]\nlamp = a:main\n")
    assert [one.name for one in read_entry_points((str(site),))[GROUP]] == ["desk"]
    assert list(read_entry_points((str(site),))) == [GROUP]


def test_a_package_in_an_archive_is_found_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = put_package(tmp_path, "zipped-lamps", GROUP, {"desk": "zipped_lamps:ONE"}, "ONE = 1")
    with zipfile.ZipFile(tmp_path / "lamps.zip", "w") as archive:
        for path in site.rglob("*"):
            if path.is_file():
                archive.write(path, path.relative_to(site))
    monkeypatch.syspath_prepend(str(tmp_path / "lamps.zip"))
    (found,) = installed_points(GROUP)
    assert (found.package, found.load()) == ("zipped-lamps", 1)


def test_a_value_names_a_module_an_attribute_or_a_part_of_one() -> None:
    assert EntryPoint("a", "os.path", GROUP).load() is sys.modules["os.path"]
    assert EntryPoint("a", "pathlib:Path.cwd [extra]", GROUP).load() == Path.cwd
    with pytest.raises(ValueError, match="module:attribute"):
        EntryPoint("a", "not an object", GROUP).load()
