"""The section `caps` of a study file: how much one participant does, and how many participants there are."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from vivavoce.core.errors import nearest
from vivavoce.core.yaml_source import Source
from vivavoce.study.settings import Settings, Whole

Places = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]


class Caps(Settings):
    """Bounds over all visits. Whoever comes beyond one is told so, and their outcome is `no_place`.

    A place is taken with the first dialogue, and free again when the visit ends without being completed, or
    was left for longer than `limits.visit_minutes`. People and simulated users are counted apart.
    """

    visits: Whole | None = Field(None, ge=1, le=10_000, description="visits of one participant; none: any")
    dialogues: Whole | None = Field(
        None, ge=1, le=100_000, description="dialogues of one participant, over all visits; none: any"
    )
    participants: Places | None = Field(None, description="participants in all; none: any number")
    conditions: Places | dict[str, Places] | None = Field(
        None,
        description="participants of each condition: one number, or by name, such as {robot: 25}",
    )

    def places(self, condition: str) -> int | None:
        """How many participants a condition has; None: any number."""
        return self.conditions.get(condition) if isinstance(self.conditions, dict) else self.conditions


def check_caps(
    caps: Caps | None, conditions: Mapping[str, str], dialogues: int, source: Source, *,
    anonymous: bool, routed: bool,
) -> None:  # fmt: skip
    """Reports caps that cannot be kept.

    Input   conditions: by system; dialogues: the fewest of one visit; anonymous: people come without an
            identifier; routed: the system is drawn when a call comes
    """
    if caps is None:
        return
    known = sorted(set(conditions.values()))
    for name in caps.conditions if isinstance(caps.conditions, dict) else ():
        if known and name not in known:
            source.report(("caps", "conditions", name), f"unknown condition {name!r}", nearest(name, known))
    if caps.dialogues is not None and caps.dialogues < dialogues:
        problem = f"{caps.dialogues} dialogues, and a visit needs {dialogues}"
        source.report(("caps", "dialogues"), problem, f"write at least {dialogues}, or ask for fewer")
    if not dialogues and (caps.participants or caps.conditions or caps.dialogues):
        source.report(("caps",), "places of dialogues, and the visit has none", "keep `visits` only")
    for key in ("visits", "dialogues"):
        if anonymous and getattr(caps, key) is not None:
            hint = "write `identity: {anonymous: false}`, or where people come from, under `recruitment`"
            source.report(("caps", key), "who comes without an identifier is somebody new each time", hint)
    if routed and caps.conditions is not None:
        hint = "leave out one of the two"
        source.report(("caps", "conditions"), "telephone.routing draws systems when a call comes", hint)
