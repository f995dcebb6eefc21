"""What running services report: lines on stderr, for whoever keeps them."""

import sys
from functools import cache


@cache
def report_to_stderr() -> None:
    """Report to stderr, with plain tracebacks.

    Left to itself structlog prints on stdout, which may be a pipe of numbers, and shows local variables of
    every frame: what participants wrote, and secrets. Rendering them also takes minutes for a long dialogue.
    """
    import structlog

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars, structlog.processors.add_log_level,
            structlog.dev.set_exc_info, structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ],
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )  # fmt: skip
