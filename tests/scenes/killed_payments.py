"""Pays what is due of a study, in a process that kills itself between two steps of it.

    python killed_payments.py STUDY [LOG]      reads numbers: a child pays, and kills itself at that step

Prints for each number `killed` or `done`. Steps are counted before and after each write to the ledger and
each call of the platform.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

from vivavoce.api.studies import open_log, read_study
from vivavoce.study.model import Study
from vivavoce.study.recruiter import RECRUITERS
from vivavoce_recruitment import payment, prolific_api
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.platform import PaidRecruiter


def kill_myself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def pay(
    study: Study, recruiter: PaidRecruiter, stop_at: int, stop: Callable[[], None], log_url: str | None = None
) -> None:
    """What `approve --confirm` and `bonus --confirm` do, and a stop at one step."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == stop_at:
            stop()

    def counted(owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def call(*given: Any, **more: Any) -> Any:
            step()
            answer = real(*given, **more)
            step()
            return answer

        patches.enter_context(patch.object(owner, name, call))

    settings = study.recruitment["prolific"]
    terms = recruiter.terms(settings)
    with (
        ExitStack() as patches,
        open_log(study, log_url) as log,
        closing(recruiter.open(settings)) as platform,
    ):
        counted(Ledger, "plan")
        counted(Ledger, "move")
        counted(prolific_api.ProlificPlatform, "_answer")
        ledger = Ledger(log, study.name)
        found = ledger.listing("prolific")
        assert found is not None and found.listing is not None

        def work() -> list[payment.RecordedWork]:
            return payment.judged(log, study.name, "prolific", platform.submissions(found.listing or ""))

        planned = ledger.plan("prolific", found.listing, "reward", payment.rewards_due(work(), terms))
        payment.pay_rewards(ledger, platform, planned)
        ledger.plan("prolific", found.listing, "bonus", payment.bonuses_due(work(), terms))
        payment.pay_bonuses(ledger, platform, "prolific", found.listing)


def main() -> None:
    study, recruiter = read_study(Path(sys.argv[1])), RECRUITERS.get("prolific")
    log_url = sys.argv[2] if len(sys.argv) > 2 else None
    assert isinstance(recruiter, PaidRecruiter)
    with open_log(study, log_url) as log:  # so that no child needs to import what that takes
        Ledger(log, study.name)
    recruiter.open(study.recruitment["prolific"]).close()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                pay(study, recruiter, int(line), kill_myself, log_url)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(ended) else "done" if ended == 0 else "failed", flush=True)


if __name__ == "__main__":
    main()
