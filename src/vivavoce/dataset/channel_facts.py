"""Facts of channels for logs and datasets that do not store them.

Logs store with each dialogue what its channel states (`vivavoce.study.channel.Channel`). Older logs and
datasets, and most importers, store only the channel's name.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyarrow as pa

FACTS: Final = ("spoken", "calls_out")
_EARLIER: Final = {
    "text": (False, False),
    "voice": (True, False),
    "phone": (True, True),
    "multimodal": (True, False),
}


def earlier_facts(channel: str) -> dict[str, bool | None]:
    """The facts of a channel by its name; `spoken` is None for a channel of another package."""
    return dict(zip(FACTS, _EARLIER.get(channel, (None, False)), strict=True))


def with_channel_facts(dialogues: "pa.Table") -> "pa.Table":
    """Fill the facts that are missing in the table `dialogues`, or null."""
    import pyarrow as pa

    channels = dialogues["channel"].to_pylist()
    for fact in FACTS:
        place = dialogues.schema.get_field_index(fact)
        stored = dialogues[fact].to_pylist() if place >= 0 else [None] * len(channels)
        if None not in stored and place >= 0:
            continue
        values = [
            earlier_facts(channel)[fact] if value is None and channel is not None else value
            for channel, value in zip(channels, stored, strict=True)
        ]
        column = pa.array(values, pa.bool_())
        dialogues = (
            dialogues.set_column(place, fact, column) if place >= 0 else dialogues.append_column(fact, column)
        )
    return dialogues
