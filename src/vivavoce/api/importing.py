"""`import_log`: a foreign log becomes a dataset."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.api.wording import errors_in_python

if TYPE_CHECKING:
    from vivavoce.importers.base import Importer, ImportResult, Progress


def import_log(
    format: "str | Importer",
    paths: Sequence[Path | str] | Path | str,
    into: Path | str,
    *,
    venues: Path | str | None = None,
    mapping: Path | str | None = None,
    strict: bool = False,
    replace: bool = False,
    progress: "Progress | None" = None,
) -> "ImportResult":
    """Turn a foreign log into a dataset, as `vivavoce import` does.

    Input   format: a name such as dstc2, or an `Importer` of your own. paths: files, folders or archives.
            into: folder of the dataset. venues: database to check against. mapping: what the columns of a
            table are. strict: stop at the first broken call. replace: put it in the place of a dataset that
            is there. progress: called with done, total
    Output  dataset, calls (how many), skipped: one line for each call left out, summary: what else is
            not in it
    Raises  InputError: nothing can be read, or the folder holds a dataset already; UnknownName: a format
    """
    from vivavoce.dataset.reader import replacing
    from vivavoce.importers.base import IMPORTERS

    with errors_in_python(), replacing() if replace else nullcontext():
        importer = IMPORTERS.get(format, place="import") if isinstance(format, str) else format
        listed = [paths] if isinstance(paths, str | Path) else paths
        return importer.make_dataset(
            [Path(path) for path in listed],
            Path(into),
            venues=None if venues is None else Path(venues),
            mapping=None if mapping is None else Path(mapping),
            strict=strict,
            progress=progress,
        )
