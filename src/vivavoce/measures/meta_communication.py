"""Meta-communication: help, prompts about trouble, interruptions, corrections; and the system's questions."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from vivavoce.measures.base import Measure, Pairs, Tables, field_of
from vivavoce.measures.counting import flags_of, label_counts, number_of_turns, over

SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), meta-communication-related parameters"
LOGGED: Final = "neither logged nor annotated in the dialogue: missing"
TYPED: Final = "text"

_meta = partial(
    Measure, family="meta_communication", source=SOURCE, level="dialogue", analysis_unit="dialogue"
)


def _flagged(flag: str, party: str = "system") -> Callable[[Tables], Pairs]:
    return lambda tables: flags_of(tables, flag, party)


def _rejections(*, typed: bool) -> Callable[[Tables], Pairs]:
    """Rejection prompts of spoken dialogues, or of typed ones, where no recogniser could reject."""

    def count(tables: Tables) -> Pairs:
        table = tables.read("dialogues")
        chosen = field_of("channel") == TYPED if typed else field_of("channel") != TYPED
        ids = set(table.filter(chosen)["dialogue_id"].to_pylist())
        flags = flags_of(tables, "rejection_prompt", "system")
        return {key: pair for key, pair in flags.items() if key in ids}

    return count


def _prompts() -> Iterator[Measure]:
    logged = partial(_meta, origin="instrumental", empty=LOGGED)
    yield logged(
        name="system_questions",
        title="System questions",
        symbol="# system questions",
        unit="turns",
        family="communication",
        source=SOURCE.replace("meta-communication", "dialogue- and communication"),
        meaning="System turns that ask the user for information, explicitly or not.",
        components=_flagged("question"),
    )
    yield logged(
        name="system_help_messages",
        title="Help messages",
        symbol="# system help",
        unit="turns",
        meaning="System turns that list the available options.",
        components=_flagged("help"),
    )
    yield logged(
        name="timeout_prompts",
        title="Time-out prompts",
        symbol="# time-outs",
        unit="turns",
        direction="lower",
        meaning="System turns after a long silence of the user.",
        components=_flagged("timeout_prompt"),
    )
    yield logged(
        name="recognition_rejections",
        title="ASR rejections",
        symbol="# ASR rejections",
        unit="turns",
        direction="lower",
        meaning="System turns of spoken dialogues that say that nothing was heard or understood.",
        empty=f"a typed dialogue, or {LOGGED}",
        components=_rejections(typed=False),
    )
    yield logged(
        name="fallback_prompts",
        title="Fallback prompts",
        symbol="# fallback prompts",
        unit="turns",
        direction="lower",
        source="the project's convention for text, in the place of ASR rejections",
        meaning="System turns of typed dialogues that say that nothing was understood.",
        empty=f"a spoken dialogue, or {LOGGED}",
        components=_rejections(typed=True),
    )
    yield logged(
        name="system_error_messages",
        title="System error messages",
        symbol="# system error messages",
        unit="turns",
        direction="lower",
        meaning="System turns that say that a request is not possible.",
        components=_flagged("error_message"),
    )
    yield logged(
        name="barge_ins",
        title="Barge-ins",
        symbol="# barge-ins",
        unit="turns",
        meaning=(
            "User turns that begin while the system is still speaking, or while its text still arrives."
        ),
        components=_flagged("barge_in", "user"),
    )


def _attempts() -> Iterator[Measure]:
    for layer, name, symbol, meaning in (
        ("help_request", "help_requests", "# help requests", "User turns that ask for help."),
        ("cancel", "cancel_attempts", "# cancel", "User turns that try to cancel or to start again."),
    ):
        yield _meta(
            name=name,
            title=name.replace("_", " ").capitalize(),
            symbol=symbol,
            unit="turns",
            origin="expert",
            direction="lower",
            meaning=meaning,
            empty=f"not annotated in layer `{layer}`: missing",
            needs=((f"layer:{layer}",),),
            components=label_counts(layer, "yes"),
        )


def _corrections() -> Iterator[Measure]:
    for party, symbol in (("system", "SC"), ("user", "UC")):
        count = label_counts("correction", "yes", party=party)
        common = partial(
            _meta,
            origin="expert",
            direction="lower",
            empty="not annotated in layer `correction`: missing",
            needs=(("layer:correction",),),
        )
        meaning = (
            f"{party.capitalize()} turns that mainly repair a problem, add no new content"
            " and interrupt the flow"
        )
        yield common(
            name=f"{party}_correction_turns",
            title=f"{party.capitalize()} correction turns",
            symbol=f"{symbol}T",
            unit="turns",
            meaning=f"{meaning}.",
            components=count,
        )
        yield common(
            name=f"{party}_correction_rate",
            title=f"{party.capitalize()} correction rate",
            symbol=f"{symbol}R",
            unit="ratio",
            level="turn",
            analysis_unit="turn",
            meaning=f"{meaning}, over all {party} turns.",
            components=over(count, number_of_turns(party)),
        )


FAMILY: Final[tuple[Measure, ...]] = (*_prompts(), *_attempts(), *_corrections())
