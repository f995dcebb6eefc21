"""What the steps `elicit` of a study show, read with everything that it names."""

from vivavoce.study.file import StudyFile
from vivavoce.study.materials import Entries, Materials
from vivavoce.study.stimuli import Stimulus
from vivavoce.study.stimuli_file import read_stimuli


def read_elicitation(
    materials: Materials, file: StudyFile, entries: Entries
) -> dict[str, tuple[Stimulus, ...]]:
    """The stimuli of every step `elicit`, by the file that holds them; {} where there is none."""
    found: dict[str, tuple[Stimulus, ...]] = {}
    for index, entry in entries:
        if entry.elicit is None or entry.elicit.stimuli in found:
            continue
        name, at = entry.elicit.stimuli, ("visit", index, "elicit", "stimuli")
        path = materials.file(name, at, "write recipes and frames; `vivavoce init` shows how")
        if path is None:
            continue
        materials.keep(path, f"stimuli/{name}", at)
        stimuli, source = read_stimuli(path, materials.folder, tuple(file.languages))
        materials.source.problems += source.problems
        for stimulus in stimuli if not source.problems else ():
            if stimulus.file is not None:
                materials.keep(materials.folder / stimulus.file, f"stimulus/{stimulus.file}", at)
        found[name] = stimuli
    return found
