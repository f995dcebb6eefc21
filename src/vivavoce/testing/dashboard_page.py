"""Contract of every page of the dashboard."""

from starlette.routing import Route

from vivavoce.dashboard.app_shell import FOLDER
from vivavoce.dashboard.page import DASHBOARD_PAGES, DashboardPage, help_file
from vivavoce.participant.accounts import ROLES


class DashboardPageContract:
    """Contract of every page of a study's dashboard.

    name  as its entry point says it
    """

    name: str

    @property
    def page(self) -> DashboardPage:
        return DASHBOARD_PAGES.get(self.name)

    def test_it_is_found_by_its_name_and_says_who_may_open_it(self) -> None:
        assert self.page.name == self.name
        assert self.page.role in ROLES, f"role must be one of {', '.join(ROLES)}"

    def test_its_menu_leads_to_addresses_of_its_own(self) -> None:
        routes = [route for route in self.page.router.routes if isinstance(route, Route)]
        addresses = {route.path for route in routes if "GET" in (route.methods or ())}
        for item in self.page.menu:
            assert item.title and item.address in addresses, (
                f"{item.address} is not a route of the page; routes: {', '.join(sorted(addresses))}"
            )

    def test_its_help_is_there(self) -> None:
        help_page = self.page.help
        assert not help_page or help_page.startswith("https://") or help_file(help_page), (
            f"help page {help_page!r} does not exist"
        )

    def test_its_templates_hide_none_of_the_dashboard(self) -> None:
        folder = self.page.templates
        if folder is not None:
            templates = [str(file.relative_to(folder)) for file in folder.rglob("*.html")]
            assert templates, f"{folder} contains no templates"
            hidden = [name for name in templates if (FOLDER / "templates" / name).exists()]
            assert not hidden, f"the dashboard already has a template {hidden[0]}: rename yours"
