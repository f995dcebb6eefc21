"""The verb `demo`: a whole trial on bundled bots, in a minute."""

import json
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.arguments import note, progress
from vivavoce.cli.trial import FreeDeskPort, FreePagesPort, chosen_ports

WORD_ERROR_RATE = 0.4  # where a bot that weighs all hypotheses should do better than one that takes the first


def demo(
    out: Annotated[Path, typer.Option("--out", help="Output folder; may exist.")] = Path("out/demo"),
    dialogues: Annotated[
        int, typer.Option("--dialogues", min=1, help="Number of simulated dialogues.")
    ] = 240,
    seed: Annotated[
        int, typer.Option("--seed", help="Random seed; the same seed gives the same callers.")
    ] = 1,
    serve: Annotated[bool, typer.Option("--serve/--no-serve", help="Serve the pages at the end.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON to stdout.")] = False,
    port: FreePagesPort = None,
    desk_port: FreeDeskPort = None,
) -> None:
    """Run a demo trial on bundled bots with SIMULATED callers: log, dataset, measures, report, pages."""
    from vivavoce.cli.demo_files import prepare
    from vivavoce.cli.processes import bundled_bots
    from vivavoce.core.ports import free_port

    pages, dashboard = chosen_ports(port, desk_port) if serve else (0, 0)
    note(f"Starting two bots; simulated callers will hold {dialogues} dialogues. Then dataset and report ...")
    place = prepare(out, {"nbest": free_port(9101), "onebest": free_port(9102)})
    with bundled_bots(place.domain, place.bots):
        _run_trial(place.study, place.dataset, place.report, dialogues, seed, as_json)
        if serve:
            from vivavoce.cli.servers import DEMONSTRATION_NOTICE, serve_study

            serve_study(
                place.study,
                None,
                host="127.0.0.1",
                port=pages,
                desk_port=dashboard,
                notice=DEMONSTRATION_NOTICE,
            )


def _run_trial(study: Path, dataset: Path, report: Path, dialogues: int, seed: int, as_json: bool) -> None:
    from vivavoce.analysis.summary import summarise
    from vivavoce.api.simulating import simulate_study
    from vivavoce.api.studies import export_study, open_log, read_study
    from vivavoce.core.result import as_json as as_json_object
    from vivavoce.dataset.reader import replacing
    from vivavoce.reports.html import write_report

    plan = read_study(study)
    with open_log(plan, None) as log:
        with progress("simulated dialogues") as moved:
            simulate_study(plan, log, dialogues, seed=seed, error_rate=WORD_ERROR_RATE, report=moved)
        note("Dialogues finished. Writing dataset and report ...")
        with replacing():
            exported = export_study(plan, log, dataset, scope="simulated")
    summary = summarise(exported, "system")
    write_report(exported, report, by="system")
    if as_json:
        typer.echo(json.dumps(as_json_object(summary), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        from rich.console import Console

        from vivavoce.reports.table import results_table

        Console().print(results_table(summary))
    note(f"report   {report}")
    note(f"dataset  {dataset}")
