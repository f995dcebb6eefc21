"""The participants' server as a process that can be killed: STUDY LOG_URL PORT."""

import sys
from pathlib import Path

import uvicorn

from vivavoce.api.studies import make_connectors
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.participant.site import RateLimits
from vivavoce.study.load import load_study
from vivavoce.trial.engine import SessionEngine


def main() -> None:
    study = load_study(Path(sys.argv[1]))
    log = Log.open(sys.argv[2])
    engine = SessionEngine(study, log, make_connectors(study))
    app = create_app(engine, rates=RateLimits(turns_per_minute=100_000, visits_per_hour=100_000))
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[3]), log_level="error", access_log=False)


if __name__ == "__main__":
    main()
