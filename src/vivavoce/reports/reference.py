"""The reference page of the report's sections: `python -m vivavoce.reports.reference`."""

import sys
from typing import Any, Final

from vivavoce.core.reference import markdown_table
from vivavoce.core.registry import installed_points
from vivavoce.reports.section import SECTIONS, Section, sections_in_order

_HEAD: Final = """# Sections of the report

<!-- Made by `python -m vivavoce.reports.reference`; edit the sections, not this page. -->

Sections in the order of a report. A section is left out if one of the tables that it needs has no rows, or if
it has nothing to report. The last column marks sections that are also on the dashboard's results page.
Packages can [add sections](../how-to/extend.md) between these.

"""


def sections_reference() -> str:
    """The whole page, Markdown; only sections of this program."""
    ours = {point.name for point in installed_points(SECTIONS.group) if point.package == "vivavoce"}
    head = ("section", "order", "title", "content", "needs", "dashboard")
    rows = (_row(section) for section in sections_in_order() if section.name in ours)
    return _HEAD + markdown_table(head, rows)


def _row(section: Section[Any]) -> tuple[str, ...]:
    content = (sys.modules[type(section).__module__].__doc__ or "").splitlines()[0]
    needs = ", ".join(f"`{table}`" for table in section.needs)
    name, order = f"`{section.name}`", str(section.order)
    return name, order, section.title, content, needs, "\u2713" if section.dashboard else ""


if __name__ == "__main__":
    print(sections_reference(), end="")
