"""The reference page of the report's sections: `python -m vivavoce.report.reference`."""

import sys
from typing import Any, Final

from vivavoce.core.shelf import offers
from vivavoce.report.section import SECTIONS, Section, sections_in_order

_HEAD: Final = """# Sections of the report

<!-- Made by `python -m vivavoce.report.reference`; edit the sections, not this page. -->

In the order in which they stand in a report. One is left out where a table that it needs holds no rows, or
where it has nothing to say. Those with a tick stand among the dashboard's results, too. A section of your own
is offered by [a package](../how-to/extend.md); there is room for it between
these.

| section | order | title | what it holds | needs | dashboard |
| --- | --- | --- | --- | --- | --- |
"""


def sections_reference() -> str:
    """The whole page, Markdown; of the sections of this program alone."""
    ours = {point.name for point in offers(SECTIONS.group) if point.package == "vivavoce"}
    return _HEAD + "".join(_line(one) for one in sections_in_order() if one.name in ours)


def _line(section: Section[Any]) -> str:
    holds = (sys.modules[type(section).__module__].__doc__ or "").splitlines()[0]
    cells = (
        f"`{section.name}`",
        str(section.order),
        section.title,
        holds,
        ", ".join(f"`{table}`" for table in section.needs),
        "\u2713" if section.dashboard else "",
    )
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    print(sections_reference(), end="")
