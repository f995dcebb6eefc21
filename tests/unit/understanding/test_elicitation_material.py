"""What the step `elicit` reads of a study: recipes and pictures, which count in the revision as ever."""

import hashlib
from pathlib import Path

from scenes.eliciting import commanding_study
from vivavoce.study.load import check_study, load_study


def problems(folder: Path) -> list[str]:
    return [str(problem) for problem in check_study(folder)]


def revision(files: dict[str, bytes]) -> str:
    """Over the name and content of everything that a study reads."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:12]


def test_a_study_keeps_the_revision_with_which_older_visits_are_stamped(tmp_path: Path) -> None:
    study = commanding_study(tmp_path)
    names = ("study.yaml", "stimuli/stimuli.yaml", "stimulus/frame.svg")
    assert study.revision == revision({one: (tmp_path / Path(one).name).read_bytes() for one in names})
    picture = tmp_path / "frame.svg"
    picture.write_text(picture.read_text("utf-8").replace("30", "31"), "utf-8")
    assert load_study(tmp_path).revision != study.revision


def test_what_is_wrong_in_a_file_of_two_steps_is_told_once(tmp_path: Path) -> None:
    commanding_study(tmp_path)
    with (tmp_path / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("  - elicit: {stimuli: stimuli.yaml, by: text}\n")
    recipes = tmp_path / "stimuli.yaml"
    recipes.write_text(recipes.read_text("utf-8").replace("id: boil", "id: fill"), "utf-8")
    (line,) = problems(tmp_path)
    assert line.endswith(
        "stimuli.yaml:8 recipes[0].frames[1]: duplicate frame 'fill' in 'tea'. Give one frame another id"
    )


def test_a_file_that_is_not_there_is_asked_for_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("study: tea\nvisit:\n  - elicit: cups.yaml\n", "utf-8")
    (line,) = problems(tmp_path)
    assert line.endswith(
        "study.yaml:3 visit[0].elicit.stimuli: no file 'cups.yaml'. Write recipes and frames; "
        "see the example of `vivavoce init`"
    )


def test_whoever_speaks_has_agreed_to_be_recorded_where_the_study_asks_for_that(tmp_path: Path) -> None:
    commanding_study(tmp_path)
    file = tmp_path / "study.yaml"
    file.write_text(file.read_text("utf-8") + "recordings: {}\n", "utf-8")
    (line,) = problems(tmp_path)
    assert "visit[0].elicit: it records without consent" in line
    file.write_text(
        file.read_text("utf-8").replace("stimuli.yaml\n", "stimuli.yaml\n      by: text\n"), "utf-8"
    )
    assert problems(tmp_path) == []
