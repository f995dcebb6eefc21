"""The verb `parse`: meaning of user turns, scored where the dataset has labels."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Dataset_, Replace, note, progress

if TYPE_CHECKING:
    from vivavoce.analysis.parsing import ParserScore
    from vivavoce.dataset.reader import Dataset
    from vivavoce.study.ontology import Ontology


def parse(
    dataset: Dataset_,
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder of the new dataset with these acts.")
    ] = None,
    domain: Annotated[
        Path | None, typer.Option("--domain", help="Ontology (YAML), or slots and values (JSON).")
    ] = None,
    parser: Annotated[
        str, typer.Option("--parser", help="Parser: rules, package.module:function, or an address.")
    ] = "rules",
    replace: Replace = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Parse user turns; score the parser where the dataset has labels."""
    from vivavoce.annotation.parsers import load_parser
    from vivavoce.annotation.reading import read_turns
    from vivavoce.dataset.reader import Dataset

    opened = Dataset(dataset)
    made = load_parser(parser, _ontology(domain), folder=Path.cwd())
    assert made is not None, "an ontology is always given here"
    with TemporaryDirectory(prefix="vivavoce-parse-") as spare:
        with progress("reading") as report:
            read = read_turns(opened, made, into or Path(spare) / "read", parser=parser, progress=report)
        if into is not None:
            note(f"wrote {into}")
        _score(read, as_json=as_json)


def _ontology(domain: Path | None) -> "Ontology":
    from vivavoce.annotation.ontology_lists import read_lists
    from vivavoce.study.ontology import load_ontology
    from vivavoce.study.scaffold import DOMAINS

    ours = DOMAINS / "restaurants.yaml"
    if domain is not None and domain.suffix == ".json":
        return read_lists(domain, load_ontology(ours))
    return load_ontology(domain or ours)


def _score(dataset: "Dataset", *, as_json: bool) -> None:
    from vivavoce.analysis.parsing import score_parser
    from vivavoce.core.errors import InputError
    from vivavoce.core.result import as_json as plain

    try:
        found = score_parser(dataset)
    except InputError:
        rows = dataset.read("acts").to_pylist()
        turns = {(row["dialogue_id"], row["turn_index"]) for row in rows if row["source"] == "parser"}
        if as_json:
            typer.echo(json.dumps({"turns": len(turns), "scored": False}))
        else:
            note(f"{len(turns)} turns parsed; without labels there is nothing to score against")
        return
    if as_json:
        typer.echo(json.dumps(plain(found) | {"scored": True}, indent=2, allow_nan=False))
    else:
        _show(found)


def _show(found: "ParserScore") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console

    from vivavoce.core.terminal import FittedTable as Table

    title = f"{found.turns} user turns of {found.participants} people, scored against the {found.judge}s"
    table = Table(
        "",
        "precision",
        "recall",
        "F1",
        "95%",
        title=title,
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
    )
    parts = {"items": found.items, "acts": found.acts, "slots": found.slots}
    for number, (name, one) in enumerate([*parts.items(), *found.by_act.items()]):
        if number == 3:
            table.add_section()
        cells = ["–" if value is None else f"{value:.3f}" for value in (one.precision, one.recall, one.f1)]
        span = "" if one.low is None else f"{one.low:.3f} to {one.high:.3f}"
        table.add_row(name, *cells, span)
    console = Console()
    console.print(table)
    console.print(f"turns parsed exactly as labelled: {found.exact.share:.3f}", highlight=False)
    if found.left_out:
        console.print(f"slots without labels, left out: {', '.join(found.left_out)}", highlight=False)
    if (success := found.success) is not None:
        a, b = success.labels, success.parser
        console.print(
            f"success against inferred goals: {a.ratio:.3f} of {a.goals} goals by labels, "
            f"{b.ratio:.3f} of {b.goals} by the parser; difference {success.difference:+.3f} "
            f"({success.low:+.3f} to {success.high:+.3f})",
            highlight=False,
        )
    note(found.signature)
