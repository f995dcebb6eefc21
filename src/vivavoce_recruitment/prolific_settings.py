"""Settings of a study on Prolific, from the study file."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from vivavoce.study.settings import Settings, Whole
from vivavoce_recruitment.money import Amount
from vivavoce_recruitment.settings import (
    Bonus,
    CallCost,
    DialoguePay,
    HttpsAddress,
    SecretName,
    read_percent,
    same_currency,
)


class ProlificSettings(Settings):
    """A study on Prolific."""

    token: SecretName = Field(
        "${PROLIFIC_TOKEN}", description="of Prolific's API; the environment has it", validate_default=True
    )
    reward: Amount = Field(description="of each participant, such as 2.00 GBP")
    places: Whole = Field(ge=1, le=100_000, description="how many participants")
    minutes: Whole = Field(ge=1, le=1440, description="duration that participants are shown, in minutes")
    maximum_minutes: Whole | None = Field(
        None, ge=1, le=10_000, description="after which a place is given to somebody else; Prolific's own"
    )
    description: str = Field(min_length=1, description="what participants read before they take a place")
    proof: Literal["signed", "api"] = Field(
        "signed", description="who proves an arrival: a signed token in the link, or a question to the API"
    )
    site: HttpsAddress = Field(
        description="https address of the study's pages: where participants are sent, and whom tokens are for"
    )
    bonuses: list[Bonus] = Field([], description="what is paid on top, and for what")
    per_dialogue: DialoguePay | None = Field(None, description="what is paid for each completed dialogue")
    calls: CallCost | None = Field(None, description="what telephone minutes cost; for `recruit plan`")
    fee_percent: Annotated[Decimal | None, BeforeValidator(read_percent)] = Field(
        None, ge=0, le=200, description="what Prolific takes of everything paid, with its tax"
    )
    screen_out_pay: Amount | None = Field(
        None, description="pay of a participant who was screened out; None: `screen-out` pays nobody"
    )
    workspace: str | None = Field(
        None,
        description="workspace on Prolific, for notices and for a group of people who come again",
    )
    webhook_secret: SecretName | None = Field(
        None,
        description="of Prolific's notices, such as ${PROLIFIC_WEBHOOK_SECRET}; None: none are taken",
    )
    devices: list[Literal["desktop", "tablet", "mobile"]] = Field(
        ["desktop", "tablet", "mobile"], min_length=1, description="on which people may take part"
    )
    needs: list[Literal["audio", "camera", "download", "microphone"]] = Field(
        [], description="what people's devices must have"
    )
    filters: list[dict[str, Any]] = Field([], description="who may take part, as Prolific's API has it")
    project: str | None = Field(None, description="project on Prolific; its default when left out")
    api: HttpsAddress = Field("https://api.prolific.com", description="another one to try things out with")

    def model_post_init(self, _: Any) -> None:
        same_currency(
            self.reward, self.bonuses, self.per_dialogue and self.per_dialogue.pay, self.screen_out_pay
        )
