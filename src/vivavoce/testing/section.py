"""Contract of every section of the report."""

import tempfile
from pathlib import Path
from typing import Any, get_args

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.blocks import Block, Fold
from vivavoce.reports.language import speaking
from vivavoce.reports.section import SECTIONS, AnalysisContext, ReportOptions, Section, fill
from vivavoce.testing.sample_dialogues import write_sample


class SectionContract:
    """Contract of every section.

    name       as after `--sections`
    languages  in which it is rendered
    dataset    one in which it has something to say; left out: dialogues in which everything is logged
    options    with which it has something to say
    """

    name: str
    languages: tuple[str, ...] = ("en",)
    dataset: Dataset | None = None
    options: ReportOptions = ReportOptions()

    def test_it_is_found_by_its_name_and_says_its_title_and_place(self) -> None:
        section = self._section()
        assert section.name == self.name and section.title, "set name and title"
        assert set(section.needs) <= set(TABLES), "needs must list tables of the dataset"
        orders = [registered.order for name, registered in SECTIONS if name != self.name]
        assert section.order not in orders, f"another section has the order {section.order}"

    def test_what_it_says_every_renderer_knows_in_each_of_its_languages(self) -> None:
        section = self._section()
        with tempfile.TemporaryDirectory() as folder:
            filled = fill(AnalysisContext(self._data(folder), self.options), [section])
            for language in self.languages:
                with speaking(language):
                    rendered = filled[0].written("") if filled else None
                assert rendered is not None, "no output for a dataset with all tables"
                for block in rendered.blocks:
                    inside = block.blocks if isinstance(block, Fold) else [block]
                    assert all(isinstance(block_, get_args(Block)) for block_ in inside)

    def test_it_is_left_out_where_there_is_nothing_to_say(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with DatasetWriter(Path(folder) / "d", study={"name": "s"}, source={"kind": "log"}):
                pass
            filled = fill(AnalysisContext(Dataset(Path(folder) / "d")), [self._section()])
            rendered = [filled_section for filled_section in filled if filled_section.written("") is not None]
        assert not rendered or not self._section().needs, (
            "list in needs the tables without which it has no output"
        )

    def _section(self) -> Section[Any]:
        return SECTIONS.get(self.name)

    def _data(self, folder: str) -> Dataset:
        return self.dataset or write_sample(Path(folder) / "sample")
