"""Measures of a system that is an agent: task checks, tool calls, tokens."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from typing import Any, Final

from vivavoce.measures.base import Components, Direction, Measure, Pairs, Tables, field_of
from vivavoce.measures.counting import labels
from vivavoce.measures.task_success import objective_success, subjective_success

SOURCE: Final = "Yao and others 2024, tau-bench, section 3: agents that call tools while users talk to them"
GROUNDING_SOURCE: Final = (
    "Rashkin and others 2023, Measuring attribution in natural language generation models"
)
TOKEN_SOURCE: Final = "OpenTelemetry, semantic conventions for generative AI: gen_ai.usage"
NEARLY: Final = 1e-6  # tau-bench takes a reward so close to 1 for success
UNLOGGED: Final = "the log does not say which tools were called: missing"
TOOLS: Final = (("tools",),)
Call = tuple[str, str]


def _checked_success(tables: Tables) -> Pairs:
    rows = tables.read("dialogues").select(["dialogue_id", "reward"]).drop_null().to_pydict().values()
    return {key: (float(abs(reward - 1) <= NEARLY), 1) for key, reward in zip(*rows, strict=True)}


def _calls(tables: Tables) -> dict[str, list[Call]]:
    """Tool calls by dialogue, as name and arguments; none where the log says that there was none."""

    def read() -> dict[str, list[Call]]:
        logged = tables.read("dialogues").filter(field_of("tools_logged"))["dialogue_id"].to_pylist()
        calls: dict[str, list[Call]] = {key: [] for key in logged}
        rows = tables.read("tool_calls").select(["dialogue_id", "name", "arguments"]).to_pydict().values()
        for key, name, arguments in zip(*rows, strict=True):
            calls.setdefault(key, []).append((name, _canonical(arguments)))
        return calls

    return tables.remember(_calls, read)


def _canonical(arguments: str | None) -> str:
    """Arguments so that the same ones in another order are the same."""
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments or ""


def _counted(count: Callable[[list[Call]], int]) -> Components:
    return lambda tables: {key: (count(calls), 1) for key, calls in _calls(tables).items()}


def _repeated(calls: list[Call]) -> int:
    return sum(times - 1 for times in Counter(calls).values())


def _tool_errors(tables: Tables) -> Pairs:
    rows = tables.read("tool_calls").select(["dialogue_id", "failed"]).drop_null().to_pydict().values()
    return _summed((key, float(failed)) for key, failed in zip(*rows, strict=True))


def _summed(values: Iterable[tuple[str, float]]) -> Pairs:
    totals: dict[str, tuple[float, int]] = {}
    for key, value in values:
        total, many = totals.get(key, (0.0, 0))
        totals[key] = total + value, many + 1
    return totals


def _cost(tables: Tables) -> Pairs:
    """Cost of a dialogue; missing where one of its calls has no price, or its prices have two currencies."""
    rows: Any = tables.read("usage").select(["dialogue_id", "cost", "currency"]).to_pydict().values()
    costs: dict[str, list[float | None]] = {}
    currencies: dict[str, set[str]] = {}
    for key, cost, currency in zip(*rows, strict=True):
        costs.setdefault(key, []).append(cost)
        currencies.setdefault(key, set()).add(currency)
    priced = [
        key for key, turn_costs in costs.items() if None not in turn_costs and len(currencies[key]) == 1
    ]
    return {key: (sum(cost for cost in costs[key] if cost is not None), 1) for key in priced}


def _per_success(totals: Components, succeeded: Components) -> Components:
    """Total over all dialogues, divided by the successes; dialogues where either is unknown are left out."""

    def components(tables: Tables) -> Pairs:
        spent, outcomes = tables.pairs(totals(tables)), tables.pairs(succeeded(tables))
        successes = {key: won / of for key, (won, of) in outcomes.items() if of}
        return {key: (total, successes[key]) for key, (total, n) in spent.items() if n and key in successes}

    return components


def _tokens(*columns: str) -> Components:
    """Tokens of a dialogue; missing where one of its rows does not tell them."""

    def components(tables: Tables) -> Pairs:
        rows: Any = tables.read("usage").select(["dialogue_id", *columns]).to_pydict().values()
        counts_of = {row[0]: [0.0] for row in zip(*rows, strict=True)}
        for key, *counts in zip(*rows, strict=True):
            counts_of[key].append(float("nan") if None in counts else float(sum(counts)))
        return {key: (sum(values), 1) for key, values in counts_of.items() if sum(values) == sum(values)}

    return components


def _grounded(label: str) -> Components:
    """Answers that annotators give this label, of those that have any: turns without facts have none."""

    def components(tables: Tables) -> Pairs:
        judged = labels(tables).of("grounding").items()
        return {
            key: (sum(standing.label == label for standing in standing_labels), len(standing_labels))
            for key, standing_labels in judged
        }

    return components


_GROUNDING: Final[tuple[tuple[str, str, str, Direction, str], ...]] = (
    ("grounded_answers", "Grounded answers", "grounded", "higher", "all are"),
    ("ungrounded_answers", "Ungrounded answers", "ungrounded", "lower", "none is"),
)

_agent = partial(Measure, family="agent", origin="instrumental", level="dialogue", source=SOURCE)
_dialogue = partial(_agent, analysis_unit="dialogue")


def _measures() -> Iterator[Measure]:
    yield _dialogue(
        name="checked_success",
        title="Checked success",
        symbol="reward",
        unit="ratio",
        direction="higher",
        meaning="An automatic check after the dialogue, such as the reward of a benchmark, found "
        "the task completed.",
        needs=(("checked",),),
        empty="no automatic check after the dialogue: missing",
        components=_checked_success,
    )
    yield _dialogue(
        name="tool_calls",
        title="Tool calls",
        symbol="# tool calls",
        unit="calls",
        meaning="Number of tool calls by the system.",
        empty=UNLOGGED,
        needs=TOOLS,
        components=_counted(len),
    )
    yield _dialogue(
        name="repeated_tool_calls",
        title="Repeated tool calls",
        unit="calls",
        direction="lower",
        meaning="Tool calls with the same arguments as an earlier call in the dialogue.",
        empty=UNLOGGED,
        needs=TOOLS,
        components=_counted(_repeated),
    )
    yield _agent(
        name="tool_error_rate",
        title="Tool error rate",
        unit="ratio",
        direction="lower",
        analysis_unit="tool call",
        meaning="Share of tool calls that ended in an error.",
        empty="calls of which the log does not say how they ended are left out; without others it is missing",
        needs=TOOLS,
        components=_tool_errors,
    )
    for name, title, label, direction, which in _GROUNDING:
        yield _agent(
            name=name,
            title=title,
            unit="ratio",
            direction=direction,
            analysis_unit="answer",
            origin="expert",
            source=GROUNDING_SOURCE,
            meaning=f"Share of answers, among those that tell facts, of which {which} what a document says "
            "that the system looked up, by annotators.",
            empty="not annotated in layer `grounding`: missing",
            needs=(("layer:grounding",),),
            components=_grounded(label),
        )
    columns = {"": ("input_tokens", "output_tokens"), "input_": ("input_tokens",)}
    columns["output_"] = ("output_tokens",)
    for kind, counted in columns.items():
        yield _dialogue(
            name=f"{kind}tokens",
            title=f"{kind.replace('_', ' ')}tokens".capitalize(),
            unit="tokens",
            direction="lower",
            source=TOKEN_SOURCE,
            meaning=f"Tokens that models {_TOKENS[kind]}.",
            empty="the log does not tell the tokens of all calls of models in the dialogue: missing",
            needs=(("usage",),),
            components=_tokens(*counted),
        )
    yield _dialogue(
        name="cost",
        title="Cost",
        unit="currency units",
        direction="lower",
        source=TOKEN_SOURCE,
        meaning="Cost of model calls by the study's price list, in its currency (column currency of usage).",
        empty="a call of a model has no price, or prices are in several currencies: missing",
        needs=(("usage", "prices"),),
        components=_cost,
    )
    uses = {
        "tokens": ("tokens", _tokens("input_tokens", "output_tokens")),
        "cost": ("currency units", _cost),
    }
    for (name, (unit, spent)), (success, (title, seen, succeeded)) in product(uses.items(), _SUCCESS.items()):
        yield _agent(
            name=f"{name}_per_{success}",
            title=f"{name.capitalize()} for {title}",
            unit=unit,
            direction="lower",
            analysis_unit="success",
            source=TOKEN_SOURCE,
            meaning=f"{name.capitalize()} of all dialogues, of those without success too, over the number of "
            f"dialogues that succeeded, as {seen}.",
            empty="dialogues of which success or spending is not known are left out; without a success it is "
            "missing",
            components=_per_success(spent, succeeded),
        )


_SUCCESS: Final[dict[str, tuple[str, str, Components]]] = {
    "checked_success": ("a checked success", "a check of the world found afterwards", _checked_success),
    "subjective_success": ("a subjective success", "participants say", subjective_success),
    "objective_success": (
        "an objective success",
        "the acts show against the assigned goal",
        objective_success,
    ),
}
_TOKENS: Final = {
    "": "read and wrote in the dialogue, cached and reasoning ones included",
    "input_": "read in the dialogue, cached ones included",
    "output_": "wrote in the dialogue, reasoning included",
}

FAMILY: Final[tuple[Measure, ...]] = tuple(_measures())
