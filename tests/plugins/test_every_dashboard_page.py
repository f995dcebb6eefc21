"""One suite that every registered page of the dashboard must pass: ours, and those of installed packages."""

import pytest

from vivavoce.dashboard.page import DASHBOARD_PAGES
from vivavoce.testing.dashboard_page import DashboardPageContract

TESTS = [name for name in vars(DashboardPageContract) if name.startswith("test_")]


@pytest.mark.parametrize("keeps", TESTS)
@pytest.mark.parametrize("name", DASHBOARD_PAGES.names())
def test_a_page_keeps_its_contract(name: str, keeps: str) -> None:
    contract = DashboardPageContract()
    contract.name = name
    getattr(contract, keeps)()


def test_no_two_pages_answer_at_one_address() -> None:
    every = [
        (method, route.path)  # type: ignore[attr-defined]
        for _, page in DASHBOARD_PAGES
        for route in page.router.routes
        for method in route.methods  # type: ignore[attr-defined]
    ]
    assert len(every) > 30 and len(set(every)) == len(every)
