"""The section `quotas` of a study file: limits per participant and numbers of participants."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from vivavoce.core.errors import nearest
from vivavoce.core.yaml_source import Source
from vivavoce.study.settings import Settings, Whole

Places = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]


class Quotas(Settings):
    """Limits over all visits. A participant beyond a limit is turned away with the outcome `no_place`.

    The first dialogue takes a place. The place is free again when the visit ends unfinished or pauses for
    longer than `limits.visit_minutes`. People and simulated users are counted separately.
    """

    visits: Whole | None = Field(
        None, ge=1, le=10_000, description="maximum visits per participant (default: no limit)"
    )
    dialogues: Whole | None = Field(
        None,
        ge=1,
        le=100_000,
        description=("maximum dialogues per participant over all visits (default: no limit)"),
    )
    participants: Places | None = Field(
        None, description=("maximum number of participants (default: no limit)")
    )
    conditions: Places | dict[str, Places] | None = Field(
        None,
        description="participants per condition: one number, or by name, such as {robot: 25}",
    )

    def places(self, condition: str) -> int | None:
        """Participants of a condition; None: no limit."""
        return self.conditions.get(condition) if isinstance(self.conditions, dict) else self.conditions


def check_quotas(
    quotas: Quotas,
    conditions: Mapping[str, str],
    dialogues: int,
    source: Source,
    *,
    anonymous: bool,
    routed: bool,
) -> None:
    """Report quotas that the study cannot keep.

    Input   conditions: by system; dialogues: minimum of one visit; anonymous: people come without an
    identifier; routed: the system is drawn when a call comes
    """
    known = sorted(set(conditions.values()))
    for name in quotas.conditions if isinstance(quotas.conditions, dict) else ():
        if known and name not in known:
            source.report(("quotas", "conditions", name), f"unknown condition {name!r}", nearest(name, known))
    if quotas.dialogues is not None and quotas.dialogues < dialogues:
        problem = f"at most {quotas.dialogues} dialogues are allowed, but a visit needs {dialogues}"
        source.report(
            ("quotas", "dialogues"), problem, f"write at least {dialogues}, or plan fewer dialogues"
        )
    if not dialogues and (quotas.participants or quotas.conditions or quotas.dialogues):
        source.report(
            ("quotas",),
            "`dialogues` and places are limited, but the visit has no dialogue",
            "keep only `visits`",
        )
    for key in ("visits", "dialogues"):
        if anonymous and getattr(quotas, key) is not None:
            hint = "write `identity: {anonymous: false}`, or add `recruitment`"
            source.report(
                ("quotas", key), "a participant without an identifier counts as new at every visit", hint
            )
    if routed and quotas.conditions is not None:
        hint = "leave out one of the two"
        source.report(("quotas", "conditions"), "telephone.routing draws systems when a call comes", hint)
