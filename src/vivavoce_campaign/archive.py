"""A whole campaign as one archive, for publication; addresses of systems stay out."""

import json
import zipfile
from pathlib import Path
from typing import Final

from vivavoce.core.errors import InputError
from vivavoce.core.result import as_json
from vivavoce.core.secrets import without_secrets
from vivavoce.dataset.reader import MANIFEST
from vivavoce_campaign.answers import summary
from vivavoce_campaign.campaign_file import CAMPAIGN_FILE, Campaign
from vivavoce_campaign.places import place_of
from vivavoce_campaign.reports import campaign_figures

_DAY: Final = (1980, 1, 1, 0, 0, 0)
_TELLING: Final = ("file", "revisions")


def export_campaign(campaign: Campaign, into: Path) -> list[str]:
    """Write the archive; returns the names of what it holds. The same campaign gives the same bytes.

    Raises  InputError: the place cannot be written
    """
    text = (campaign.folder / CAMPAIGN_FILE).read_text(encoding="utf-8")
    files: dict[str, bytes] = {CAMPAIGN_FILE: without_secrets(text).encode()}
    for submission in campaign.submissions:
        files[f"submissions/{submission.submission}.json"] = _json(submission.described())
        dataset = place_of(campaign, submission.submission).dataset
        for path in sorted(dataset.glob("*")) if dataset.is_dir() else ():
            files[f"datasets/{submission.submission}/{path.name}"] = _unaddressed(path)
    for path in sorted((campaign.folder / "reports").glob("*")):
        files[f"reports/{path.name}"] = path.read_bytes()
    files["figures.json"] = _json(campaign_figures(campaign))
    files["teams.json"] = _json(summary(campaign))
    try:
        with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(zipfile.ZipInfo(f"{campaign.settings.campaign}/{name}", _DAY), content)
    except OSError as error:
        problem = f"cannot write the file ({error.strerror})"
        raise InputError(problem, place=str(into), hint="choose another location") from None
    return list(files)


def _unaddressed(path: Path) -> bytes:
    """A file of a dataset; from its manifest the study file, which tells addresses, is left out."""
    if path.name != MANIFEST:
        return path.read_bytes()
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["study"] = {key: value for key, value in manifest["study"].items() if key not in _TELLING}
    return _json(manifest)


def _json(facts: object) -> bytes:
    return (json.dumps(as_json(facts), indent=1, ensure_ascii=False, default=str) + "\n").encode()
