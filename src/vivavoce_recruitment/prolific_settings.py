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
        "${PROLIFIC_TOKEN}", description="API token of Prolific, from the environment", validate_default=True
    )
    reward: Amount = Field(description="reward for each participant, such as 2.00 GBP")
    places: Whole = Field(ge=1, le=100_000, description="number of participants")
    minutes: Whole = Field(ge=1, le=1440, description="advertised duration in minutes")
    maximum_minutes: Whole | None = Field(
        None,
        ge=1,
        le=10_000,
        description="minutes until an unused place is given to another participant (default: Prolific's)",
    )
    description: str = Field(
        min_length=1, description="study description shown before participants take a place"
    )
    proof: Literal["signed", "api"] = Field(
        "signed", description="verification of arrivals: a signed token in the link, or a request to the API"
    )
    site: HttpsAddress = Field(
        description=(
            "https address of the study's pages; destination of participants and audience of the tokens"
        )
    )
    bonuses: list[Bonus] = Field([], description="bonuses with their conditions")
    per_dialogue: DialoguePay | None = Field(None, description="pay for each completed dialogue")
    calls: CallCost | None = Field(None, description="telephone costs per minute; for `recruit plan`")
    fee_percent: Annotated[Decimal | None, BeforeValidator(read_percent)] = Field(
        None, ge=0, le=200, description="fee of Prolific in per cent of all payments, including tax"
    )
    screen_out_pay: Amount | None = Field(
        None, description="pay for screened-out participants; None: `screen-out` pays nothing"
    )
    workspace: str | None = Field(
        None,
        description="workspace on Prolific, for notices and for groups of returning participants",
    )
    webhook_secret: SecretName | None = Field(
        None,
        description=(
            "secret of Prolific's notices, such as ${PROLIFIC_WEBHOOK_SECRET}; None: notices are not accepted"
        ),
    )
    devices: list[Literal["desktop", "tablet", "mobile"]] = Field(
        ["desktop", "tablet", "mobile"], min_length=1, description="devices on which people can take part"
    )
    needs: list[Literal["audio", "camera", "download", "microphone"]] = Field(
        [], description="required peripherals"
    )
    filters: list[dict[str, Any]] = Field(
        [], description="eligibility filters, in the format of Prolific's API"
    )
    project: str | None = Field(None, description="project on Prolific (default: the default project)")
    api: HttpsAddress = Field("https://api.prolific.com", description="base address of the API, for tests")

    def model_post_init(self, _: Any) -> None:
        same_currency(
            self.reward, self.bonuses, self.per_dialogue and self.per_dialogue.pay, self.screen_out_pay
        )
