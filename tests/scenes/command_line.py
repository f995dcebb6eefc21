"""The command line as somebody types it, in this process: what it imports is loaded once a run."""

import contextlib
import io
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest


def vivavoce(
    *words: str | Path, typed: str = "", terminal: bool = False, code: int | None = 0
) -> "CompletedProcess[str]":
    """What a line `vivavoce WORDS` prints and how it ends, as a process would tell.

    typed  what stands on its standard input; terminal: it is typed there
    code   how it must end; None where the test asks
    """
    from vivavoce.cli.main import run

    out, told = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    line = ["vivavoce", *map(str, words)]
    with pytest.MonkeyPatch.context() as patched, pytest.raises(SystemExit) as ended:
        patched.setattr(sys, "argv", line)
        patched.setattr(sys, "stdin", keyboard := io.StringIO(typed))
        patched.setattr(keyboard, "isatty", lambda: terminal)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
            run()
    printed, said = (stream.buffer.getvalue().decode() for stream in (out, told))
    end = ended.value.code or 0
    assert isinstance(end, int), end
    assert code in (None, end), f"{end}\n{printed}\n{said}"
    return CompletedProcess(line, end, printed, said)
