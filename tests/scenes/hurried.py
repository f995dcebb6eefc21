"""The command `vivavoce` whose wall clock begins at an instant and goes sixty times as fast: INSTANT WORDS...

Visits that were left a while ago can be taken up again, and who answers at once has taken their time.
"""

import sys
import time
from datetime import datetime, timedelta

from vivavoce.cli.main import app
from vivavoce.core.clock import SystemClock

TIMES = 60


def hurry(begin: datetime) -> None:
    """Put the clock of this process there."""
    begun_s = time.monotonic()
    SystemClock.now = lambda _: begin + TIMES * timedelta(seconds=time.monotonic() - begun_s)  # type: ignore[method-assign]


if __name__ == "__main__":
    hurry(datetime.fromisoformat(sys.argv[1]))
    app(sys.argv[2:])
