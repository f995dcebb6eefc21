"""Protocol presets: study files that a study starts from, and the texts that ship with them."""

from pathlib import Path
from typing import Any, Final

from vivavoce.core.yaml_source import KeyPath, Source, dotted, read_yaml
from vivavoce.languages.base import folders

ROOM: Final = Path(__file__).parent
PROTOCOLS: Final = ROOM / "protocols"
TEXTS: Final = ROOM / "texts"


def protocol_names() -> list[str]:
    """The presets that ship with this version."""
    return sorted(path.stem for path in PROTOCOLS.glob("*.yaml"))


def protocol_file(name: str) -> Path:
    return PROTOCOLS / f"{name}.yaml"


def shipped_texts(protocol: str) -> list[Path]:
    """The texts that a preset ships, in all languages, by name."""
    places = [TEXTS, *folders("texts")]
    return sorted(
        (file for place in places for file in (place / protocol).glob("*.md")), key=lambda one: one.name
    )


def shipped_text(protocol: str | None, file: str, language: str) -> Path | None:
    """The text that a preset ships under this name in this language, such as `consent.it.md`."""
    name = f"{Path(file).stem}.{language}.md"
    return next((one for one in shipped_texts(protocol) if one.name == name), None) if protocol else None


class MergedSource(Source):
    """A study file laid over a preset; places say which of the two a key stands in."""

    preset: str | None = None
    own: frozenset[str] = frozenset()

    def place(self, path: KeyPath = ()) -> str:
        if self.preset is not None and path and path[0] not in self.own:
            return f"{self.shown} (protocol {self.preset}) {dotted(path)}"
        return super().place(path)


def lay_over(study: Source, preset: str | None) -> MergedSource:
    """The study over the preset: mappings are merged key by key, everything else is replaced.

    A study's `tasks: FILE` replaces the preset's settings for generated tasks.
    """
    data: dict[str, Any] = study.data
    merged = MergedSource(study.shown, data, study.lines, study.problems)
    if preset is not None:
        below: dict[str, Any] = read_yaml(protocol_file(preset)).data
        tasks = data.get("tasks")
        if isinstance(tasks, str) or (isinstance(tasks, dict) and "file" in tasks):
            below = {key: value for key, value in below.items() if key != "tasks"}
        merged.data = _over(data, below)
        merged.preset, merged.own = preset, frozenset(data)
    return merged


def _over(above: Any, below: Any) -> Any:
    if not (isinstance(above, dict) and isinstance(below, dict)):
        return above
    return {
        **below,
        **{key: _over(value, below[key]) if key in below else value for key, value in above.items()},
    }
