"""Progress of a command on stderr: a bar on a terminal, silence in a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size

Report = Callable[..., None]


@contextmanager
def progress(label: str) -> Iterator[Report]:
    """A function `report(done, total, doing="")` that moves a bar; silent if stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(label, total=None)

        def report(done: int, total: int, doing: str = "") -> None:
            bar.update(task, completed=done, total=total, description=doing or label)

        yield report


def note(line: str) -> None:
    """Print one line to stderr; stdout may be a pipe of numbers."""
    print(folded(line), file=sys.stderr)


def folded(line: str) -> str:
    """Wrap a line for the terminal on stderr; unchanged without a terminal."""
    if not sys.stderr.isatty() or len(line) <= (columns := get_terminal_size().columns):
        return line
    from textwrap import TextWrapper

    wrapper = TextWrapper(columns, break_long_words=False, break_on_hyphens=False, subsequent_indent="  ")
    return "\n".join(map(wrapper.fill, line.splitlines()))
