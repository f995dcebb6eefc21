"""Verbs of the command line as `vivavoce --help` lists them, without their imports."""

from vivavoce.core.verb import Verb

SERVED = "Acknowledged messages are saved. Run the same command to continue"
READ = "The dataset is unchanged. Run the same command to start again"
UP = Verb(
    "up",
    "vivavoce.cli.up:up",
    part="Begin",
    order=0,
    short_help="Create a study in the browser, or run an existing one.",
    examples=("my-study", "my-study --no-open"),
    kept=SERVED,
)
DEMO = Verb(
    "demo",
    "vivavoce.cli.demo:demo",
    part="Begin",
    order=1,
    short_help="Run a demo trial on bundled bots (SIMULATED).",
    examples=(
        "",
        "--out trial --dialogues 40 --no-serve",
    ),
    kept="Study and log are in --out. A new demo sets this log aside; `vivavoce up` runs the study",
)
INIT = Verb(
    "init",
    "vivavoce.cli.trial:init",
    part="Begin",
    order=2,
    short_help="Create a runnable study to edit.",
    examples=(
        "my-study",
        "my-study --protocol guerini-2018",
    ),
)
NEW = Verb(
    "new",
    "vivavoce.cli.trial:new",
    part="Begin",
    order=3,
    short_help="Create an extension package.",
    examples=(
        "measure apologies",
        "connector my-desk --folder desk",
    ),
)
CHECK = Verb(
    "check",
    "vivavoce.cli.trial:check",
    part="Begin",
    order=4,
    short_help="Check a study file and its systems.",
    examples=(
        "my-study",
        "my-study --no-bots --json",
    ),
)
CONNECT = Verb(
    "connect",
    "vivavoce.cli.connect:connect",
    part="Begin",
    order=4,
    short_help="Test a bot's address and propose its configuration.",
    examples=("https://bot.example.org/chat", "http://127.0.0.1:8000 --name mine"),
)
PAIRS = Verb(
    "pairs",
    "vivavoce.cli.pairs:pairs",
    part="Begin",
    order=5,
    short_help="Show and check pairs of transcripts.",
    examples=("my-study --language it", "my-study --prefer empathy=0.65 --judges 143"),
)
TALK = Verb(
    "talk",
    "vivavoce.cli.talk:talk",
    part="Begin",
    order=6,
    short_help="Chat with one system in the terminal.",
    examples=(
        "my-study nbest",
        "my-study nbest --language it --save transcript.jsonl",
    ),
    kept="The --save file contains all turns so far",
)
BOTS = Verb(
    "bots",
    "vivavoce.cli.bots:app",
    part="Begin",
    order=7,
    short_help="List and run the bundled bots.",
    examples=("run restaurant --port 9101 --variant nbest --domain my-study/restaurants.yaml",),
)
SERVE = Verb(
    "serve",
    "vivavoce.cli.trial:serve",
    part="Run",
    order=1,
    short_help="Run the trial: pages and dashboard.",
    examples=(
        "my-study",
        "my-study --port 8010 --desk-port 8011",
        "my-study --log postgresql://vivavoce@localhost/trials",
        "my-study --log postgresql://vivavoce@localhost/trials --workers 3",
    ),
    kept=SERVED,
)
SIMULATE = Verb(
    "simulate",
    "vivavoce.cli.simulate:app",
    part="Run",
    order=2,
    short_help="Run simulated callers; train a bot.",
    examples=(
        "my-study --dialogues 40",
        "my-study --language it --word-error-rate 0.25",
        "train my-study --system learner --out policy.json",
        "tasks telco --number 30 --language it --out my-study/tasks.yaml",
        "fit real --out callers.yaml",
        "compare real simulated --figures figures",
    ),
    kept={
        "run": "Finished dialogues and the current one so far are in the log. Run the same command to add "
        "more",
        "train": "The trained policy is written at the end, so nothing was saved. Start again with fewer "
        "--dialogues",
    },
)
RECORDINGS = Verb(
    "recordings",
    "vivavoce.cli.recordings:recordings",
    part="Run",
    order=5,
    short_help="Count, check and erase recordings.",
    examples=(
        "my-study --verify",
        "my-study --erase PARTICIPANT",
        "my-study --expire",
    ),
)
LOG = Verb(
    "log",
    "vivavoce.cli.verify:app",
    part="Run",
    order=6,
    short_help="Verify a log, or rebuild its derived tables.",
    examples=(
        "verify my-study",
        "verify my-study --log postgresql://vivavoce@localhost/trials --json",
        "rebuild my-study",
        "rebuild my-study/log.sqlite --json",
    ),
)
ERASE = Verb(
    "erase",
    "vivavoce.cli.erase:erase",
    part="Run",
    order=7,
    short_help="Erase a participant from the log.",
    examples=("my-study PARTICIPANT",),
)
RETENTION = Verb(
    "retention",
    "vivavoce.cli.retention:retention",
    part="Run",
    order=8,
    short_help="Show and erase data past its retention period.",
    examples=("my-study", "my-study --confirm"),
)
EXPORT = Verb(
    "export",
    "vivavoce.cli.data:export",
    part="Data",
    order=1,
    short_help="Export a study's log to a dataset.",
    examples=(
        "my-study --into results",
        "my-study --into results --only people --csv tables",
    ),
    kept="No dataset was written and the log is unchanged. Run the same command to start again",
)
IMPORT = Verb(
    "import",
    "vivavoce.cli.data:import_",
    part="Data",
    order=2,
    short_help="Import a foreign log into a dataset.",
    examples=("dstc2 Mar13_S0A0.tar.gz --into calls",),
    kept="No dataset was written and the source is unchanged. Run the same command to start again",
)
ANNOTATE = Verb(
    "annotate",
    "vivavoce.cli.annotate:app",
    part="Data",
    order=3,
    short_help="Import and export annotations; choose dialogues to judge.",
    examples=(
        "out my-study --into forms --blank --annotator dora",
        "out results --into tables",
        "in my-study forms",
        "in results said.csv --into transcribed",
        "plan results --target subtask.S --number 50 --into chances.csv",
        "items my-study --into transcribing/items.csv",
        "transcripts transcribing --into said.csv --manifest train.jsonl",
    ),
)
FLAGS = Verb(
    "flags",
    "vivavoce.cli.flags:flags",
    part="Data",
    order=4,
    short_help="Show the source of system-turn flags.",
    examples=(
        "results",
        "results --rules rules.yaml --into flagged",
    ),
)
PARSE = Verb(
    "parse",
    "vivavoce.cli.parse:parse",
    part="Data",
    order=5,
    short_help="Parse the meaning of user turns; score the parser.",
    examples=(
        "results",
        "results --domain my-domain.yaml --into read",
    ),
)
TIMING = Verb(
    "timing",
    "vivavoce.cli.timing:timing",
    part="Data",
    order=6,
    short_help="Compute turn times from recordings.",
    examples=(
        "results --into timed",
        "calls recordings/ --into timed --channels system,user",
    ),
)
MEASURE = Verb(
    "measure",
    "vivavoce.cli.measure:measure",
    part="Figures",
    order=1,
    short_help="Compute the measures of a dataset and compare its systems.",
    examples=(
        "results --by system",
        "results --only recognition --csv recognition.csv",
        "--list",
    ),
    kept=READ,
)
ANALYSE = Verb(
    "analyse",
    "vivavoce.cli.analyse:analyse",
    part="Figures",
    order=2,
    short_help="Compare systems, clustered by participant.",
    examples=(
        "results",
        "rates A=259/403 B=263/390",
        "results --measure user_turns --pair nbest:onebest",
        "judged --judge judge --target found_all",
        "results --model 'success ~ system + order + (1|participant) + (1|task)'",
    ),
    kept=READ,
)
POWER = Verb(
    "power",
    "vivavoce.cli.analyse:power",
    part="Figures",
    order=3,
    short_help="Compute sample size or power.",
    examples=(
        "two-rates .45 .50",
        "--study my-study",
        "two-rates .4 .7 --pilot results --design within",
    ),
)
CONFIDENCE = Verb(
    "confidence",
    "vivavoce.cli.confidence:confidence",
    part="Figures",
    order=4,
    short_help="Calibration of recognition confidences.",
    examples=("results --by system --figure diagram.svg",),
)
PREDICT = Verb(
    "predict",
    "vivavoce.cli.predict:app",
    part="Figures",
    order=5,
    short_help="Predict quality judgements from interaction parameters.",
    examples=(
        "evaluate results --target satisfaction",
        "correlate results",
        "explain results --target satisfaction --out figures",
        "fit results --target satisfaction --model ordinal --out model.json",
        "score results --model model.json",
    ),
)
JUDGE = Verb(
    "judge",
    "vivavoce.cli.judge:app",
    part="Figures",
    order=6,
    short_help="Run a judge on dialogues and calibrate it against people.",
    examples=(
        "run results --judge judge.yaml --target found_all --into judged --spend-at-most 5",
        "calibrate judged --judge judge --target found_all",
        "choose judged --judge judge --target found_all --number 100 --into chances.csv",
    ),
    kept={
        "run": "Answers so far are in the journal and are not paid for twice. Run the same command to "
        "continue"
    },
)
REPORT = Verb(
    "report",
    "vivavoce.cli.report:report",
    part="Texts",
    order=1,
    short_help="Write a report on a dataset (HTML, PDF, Word).",
    examples=(
        "results",
        "results --out report.pdf --language it",
        "results --against last-version",
        "results --out - --sections results,flow",
    ),
    kept=READ,
)
PREREGISTER = Verb(
    "preregister",
    "vivavoce.cli.report:preregister",
    part="Texts",
    order=2,
    short_help="Write the declared analysis as text.",
    examples=("my-study --shape osf --out preregistration.md",),
)
DESK = Verb("desk", "vivavoce.cli.trial:desk", short_help="Run the dashboard alone.", hidden=True)
WORKER = Verb("worker", "vivavoce.cli.workers:worker", short_help="Serve pages beside others.", hidden=True)
