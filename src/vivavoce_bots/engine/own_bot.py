"""Bot of a file of one's own, with an optional back end beside it: `mybot.yaml` and `mybot.py`."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from ruamel.yaml.error import YAMLError

from vivavoce_bots.bot import Entry
from vivavoce_bots.engine.bot_file import BotFile, BotFileError, Task, read_yaml
from vivavoce_bots.engine.checks import Check
from vivavoce_bots.engine.commands import Outcome
from vivavoce_bots.engine.engine import Engine
from vivavoce_bots.engine.file_bot import FileBot
from vivavoce_bots.engine.state import Turn
from vivavoce_bots.engine.understandings import Understands


def is_bot_path(name: str) -> bool:
    """True if a name is a path of a file, not the name of a bundled bot."""
    return "/" in name or "\\" in name or name.endswith((".yaml", ".yml"))


def own_entry(path: Path) -> Entry:
    """Entry of a bot file.

    Raises  BotFileError: it cannot be read, or has a mistake
    """
    source = _read_own(path)
    Check(path.name).outline(source)
    variants = tuple(source.get("variants") or ("standard",))
    return Entry(
        path.stem,
        str(source.get("summary", "")),
        variants,
        lambda variant, seed=1, domain=None, understanding="rules": OwnBot(
            path.stem, variant, seed, understanding, domain, path.parent
        ),
    )


def _read_own(path: Path) -> dict[str, Any]:
    if path.suffix != ".yaml":
        raise BotFileError(f"{path}: is no bot file. Give its name the ending .yaml")
    try:
        source = read_yaml(path)
    except OSError as error:
        raise BotFileError(f"{path}: {error.strerror}. Correct the path") from None
    except (UnicodeDecodeError, YAMLError) as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", error)
        place = f"{path.name}, line {mark.line + 1}" if mark else path.name
        raise BotFileError(f"{place}: {' '.join(str(problem).split())}. Correct the YAML") from None
    if not isinstance(source, dict):
        raise BotFileError(f"{path.name}: is no mapping. Begin with `prompts:` and `tasks:`")
    return source


class OwnBot(FileBot):
    """Bot of a file of one's own; its mistakes are told when it starts."""

    def prepare(self, domain: Path | None) -> None:
        super().prepare(domain)
        Check(f"{self.name}.yaml").bot(self.source, self.backend)

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

    def make_engine(self, bot: BotFile, understanding: Understands) -> Engine:
        return OwnEngine(bot, understanding, self.backend)


class OwnEngine(Engine):
    """Engine that writes a mistake of the back end as one line, and tells users that something failed."""

    def _call(self, turn: Turn, task: Task, function: str, used: dict[str, Any] | None = None) -> Any:
        try:
            outcome = super()._call(turn, task, function, used)
            mistake = self._mistake(turn, task, outcome) if outcome or function != task.check else ""
            if not mistake:
                return outcome
            line = f"{self.bot.name}.py: {function}: {mistake}"
        except Exception as error:
            line = _describe_failure(Path(getattr(self.backend, "__file__", "")), error)
        print(line, file=sys.stderr)
        return Outcome("went_wrong", failed=True)

    def _mistake(self, turn: Turn, task: Task, outcome: Any) -> str:
        place = f"tasks.{task.name}"
        if not isinstance(outcome, Outcome):
            return f"returns {outcome!r}, which is no Outcome"
        for slot in {outcome.retry, *outcome.ask} - {"", *task.slots}:
            return f"slot {slot!r} is not in {place}.slots"
        if not outcome.name and outcome.ask:
            return ""
        if outcome.name not in {*task.outcomes, *self.bot.prompts}:
            return f"outcome {outcome.name!r} is not in {place}.outcomes"
        try:
            self._describe(turn, task, outcome)
        except KeyError as error:
            return f"outcome {outcome.name!r} has no value {error}"
        return ""


def _describe_failure(path: Path, error: Exception) -> str:
    """Line of a back end that could not be loaded or called."""
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
    line = [getattr(error, "lineno", 1), *lines][-1]
    problem = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{path.name}, line {line}: {problem}. Correct the back end"
