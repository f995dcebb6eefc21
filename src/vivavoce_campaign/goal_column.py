"""Success on the dashboard of a campaign's study: the goals of black boxes, as the report counts them."""

from typing import TYPE_CHECKING, Final

from vivavoce.dashboard.page import DashboardPage
from vivavoce.study.model import Study

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset

REACHED: Final = "campaign_goal"


def campaign_goals(study: Study, dataset: "Dataset") -> dict[str, dict[str, bool]]:
    """Goals reached, by dialogue: True or False.

    Empty  the study is of no campaign, or its submission is not sound: {}
    """
    from vivavoce_campaign.campaign_file import CAMPAIGN_FILE
    from vivavoce_campaign.submissions import submissions_in
    from vivavoce_campaign.success import goals_reached

    place = study.folder.resolve()
    campaign = place.parent.parent
    if place.parent.name != "systems" or not (campaign / CAMPAIGN_FILE).is_file():
        return {}
    submission, _ = submissions_in(campaign).get(place.name, (None, []))
    return {REACHED: goals_reached(dataset, submission)} if submission is not None else {}


PAGE: Final = DashboardPage(name="campaign_goal", rates=campaign_goals, help="how-to/read-dialogues")
