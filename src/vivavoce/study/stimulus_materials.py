"""What the steps `elicit` show and the steps `listen` play, read with everything that they name."""

from vivavoce.study.file import StudyFile
from vivavoce.study.listening import Clip, read_clips
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


def read_listening(materials: Materials, file: StudyFile, entries: Entries) -> dict[str, tuple[Clip, ...]]:
    """The clips of every step `listen`, by the file that lists them; {} where there is none."""
    found: dict[str, tuple[Clip, ...]] = {}
    for index, entry in entries:
        step = entry.listen
        if step is None:
            continue
        at, audio = ("visit", index, "listen"), materials.folder / step.audio
        if not audio.is_dir():
            materials.source.report(
                (*at, "audio"), f"no folder {step.audio!r}", "make it, with the clips in it"
            )
            continue
        path = materials.file(step.clips, (*at, "clips"), "write a line for every clip: audio, condition")
        if path is None:
            continue
        materials.keep(path, f"clips/{step.clips}", (*at, "clips"))
        clips, problems = read_clips(path, audio, step.method)
        materials.source.problems += problems
        for clip in clips if not problems else ():
            materials.keep(audio / clip.audio, f"clip/{step.audio}/{clip.audio}", at)
        found[step.clips] = clips
    return found
