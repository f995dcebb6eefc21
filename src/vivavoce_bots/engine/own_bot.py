"""Bot of a file of one's own, with an optional back end beside it: `mybot.yaml` and `mybot.py`."""

from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from ruamel.yaml.error import MarkedYAMLError, YAMLError

from vivavoce_bots.bot import Entry
from vivavoce_bots.engine.bot_file import BotFileError, read_yaml
from vivavoce_bots.engine.checks import check_bot, check_source
from vivavoce_bots.engine.file_bot import FileBot


def is_bot_path(name: str) -> bool:
    """True if a name is a path of a file, not the name of a bundled bot."""
    return "/" in name or "\\" in name or name.endswith((".yaml", ".yml"))


def own_entry(path: Path) -> Entry:
    """Entry of a bot file.

    Raises  BotFileError: it cannot be read, or has a mistake
    """
    source = _read_own(path)
    check_source(path.name, source)
    variants = tuple(source.get("variants") or ("standard",))
    return Entry(path.stem, str(source.get("summary", "")), variants, partial(_make_own_bot, path))


def _make_own_bot(
    path: Path, variant: str, seed: int = 1, domain: Path | None = None, understanding: str = "rules"
) -> FileBot:
    return OwnBot(path.stem, variant, seed, understanding, domain, path.parent)


def _read_own(path: Path) -> dict[str, object]:
    if path.suffix != ".yaml":
        raise BotFileError(f"{path}: is no bot file. Give its name the ending .yaml")
    try:
        source = read_yaml(path)
    except OSError as error:
        raise BotFileError(f"{path}: {error.strerror}. Correct the path") from None
    except UnicodeDecodeError:
        raise BotFileError(f"{path}: is not UTF-8. Save it as UTF-8") from None
    except MarkedYAMLError as error:
        raise BotFileError(f"{path.name}, {_place_of(error)}: {error.problem}. Correct the YAML") from None
    except YAMLError as error:
        raise BotFileError(f"{path.name}: {' '.join(str(error).split())}. Correct the YAML") from None
    if not isinstance(source, dict):
        raise BotFileError(f"{path.name}: is no mapping. Begin with `prompts:` and `tasks:`")
    return source


def _place_of(error: MarkedYAMLError) -> str:
    mark = error.problem_mark
    return f"line {mark.line + 1}" if mark else "YAML"


class OwnBot(FileBot):
    """Bot of a file of one's own; its mistakes are told when it starts."""

    def prepare(self, domain: Path | None) -> None:
        super().prepare(domain)
        check_bot(f"{self.name}.yaml", self.source, self.backend)

    def load_backend(self) -> ModuleType | None:
        path = self.folder / f"{self.name}.py"
        spec = spec_from_file_location(f"vivavoce_own_bot_{self.name}", path) if path.is_file() else None
        if spec is None or spec.loader is None:
            return None
        module = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise BotFileError(_describe_failure(path, error)) from None
        return module


def _describe_failure(path: Path, error: Exception) -> str:
    """Line of a back end that could not be loaded."""
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else 1
    problem = error.msg if isinstance(error, SyntaxError) else f"{type(error).__name__}: {error}"
    return f"{path.name}, line {line}: {' '.join(problem.split())}. Correct the back end"
