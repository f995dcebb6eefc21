"""What services report tells what failed and where, and nothing that anybody wrote or keeps secret."""

from collections.abc import Iterator

import pytest
import structlog

from vivavoce.api.studies import report_to_stderr


@pytest.fixture
def configured() -> Iterator[None]:
    report_to_stderr.cache_clear()
    report_to_stderr()
    yield
    structlog.reset_defaults()
    report_to_stderr.cache_clear()


def test_a_traceback_shows_no_local_variables_and_leaves_stdout_alone(
    configured: None, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer() -> None:
        token = "".join(("the", "secret", "key"))
        raise ZeroDivisionError(f"{len(token)} of none")

    try:
        answer()
    except ZeroDivisionError:
        structlog.get_logger("test").exception("relay_failed", detail="half \ud83d")
    told = capsys.readouterr()
    assert told.out == ""
    assert "relay_failed" in told.err and "ZeroDivisionError: 12 of none" in told.err
    assert "thesecretkey" not in told.err
