"""Files of annotated commands: real irregularities are reported, and the rest is read."""

import pytest

from vivavoce.core.errors import InputError
from vivavoce_commands.command_file import command_files, read_command_file
from vivavoce_commands.notation import write_predicates


def written(folder, text: str | bytes, name: str = "AbCdF26.csv"):
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_a_line_that_cannot_be_read_is_told_with_its_place_and_the_rest_is_read(tmp_path):
    file = written(tmp_path, "1; add(milk, pot)\n2; [add(milk, stir(egg)]\nadd(egg)\n4; stir(egg)\n")
    read = read_command_file(file)
    assert [each.utterance for each in read.commands if each.predicates] == [1, 4]
    assert [(each.file, each.line, each.column) for each in read.problems] == [
        ("AbCdF26.csv", 2, 13),
        ("AbCdF26.csv", 3, 1),
    ]
    assert str(read.problems[0]) == "AbCdF26.csv:2:13: a ')' is missing before ', stir'"


def test_reading_stops_at_the_first_problem_when_asked_to(tmp_path):
    file = written(tmp_path, "1; add(milk\n")
    with pytest.raises(InputError, match=r"AbCdF26\.csv:1:12"):
        read_command_file(file, stop_at_first_problem=True)


def test_latin_1_and_a_byte_order_mark_are_read(tmp_path):
    latin = read_command_file(written(tmp_path, "1; mettere(caffè)\n".encode("latin-1")))
    marked = read_command_file(written(tmp_path, b"\xef\xbb\xbf1; mettere(caff\xc3\xa8)\r\n"))
    assert latin.commands[0].predicates == marked.commands[0].predicates
    assert write_predicates(latin.commands[0].predicates) == "mettere(caffè)"
    assert not latin.problems and not marked.problems


def test_dashes_end_a_recipe_and_numbers_may_begin_anew(tmp_path):
    read = read_command_file(written(tmp_path, "1; add(milk)\n\n---\n1; stir(egg)\n1; add(egg)\n"))
    assert [(each.recipe, each.utterance) for each in read.commands] == [(0, 1), (1, 1)]
    assert read.problems[0].line == 5


def test_lines_of_the_early_notation_are_normalised(tmp_path):
    read = read_command_file(written(tmp_path, "1; add({1 l}, milk); stir\n2; add(2 l, milk)\n"))
    assert write_predicates(read.commands[0].predicates) == "[add(1 l, milk), stir()]"
    assert not read.problems


EARLY = """1; prendere({una} ciotola)
2; versare(acqua {minerale, tiepida}, ciotola)
3; mescolare
4; aprire({altro} uovo, *ciotola*); mescolare({bene})
5; [prendere({200 g}, farina), aggiungere(farina, ciotola)]
---
6; cuocere(pasta) {10 minuti}
7; coprire
8; mettere([{un po'} sale, olio], pentola)
"""


def test_a_whole_file_of_the_early_notation_is_read_also_where_a_line_has_no_brace(tmp_path):
    read = read_command_file(written(tmp_path, EARLY))
    assert read.problems == []
    assert [write_predicates(each.predicates) for each in read.commands] == [
        "prendere(una, ciotola)",
        "versare(acqua, minerale, tiepida, ciotola)",
        "mescolare()",
        "[aprire(altro, uovo, *ciotola*), mescolare(bene)]",
        "[prendere(200 g, farina), aggiungere(farina, ciotola)]",
        "cuocere(pasta, 10 minuti)",
        "coprire()",
        "mettere([un po', sale, olio], pentola)",
    ]
    plain = read_command_file(written(tmp_path, "1; mescolare\n2; add(egg)\n"))
    assert str(plain.problems[0]).startswith("AbCdF26.csv:1:13: 'mescolare' lacks ( )")


def test_a_speaker_is_the_name_of_a_file_and_no_two_files_name_one(tmp_path):
    written(tmp_path, "1; add(milk)\n", "AbF20.csv")
    written(tmp_path, "1; add(milk)\n", "CdM30.txt")
    assert list(command_files(tmp_path)) == ["AbF20", "CdM30"]
    written(tmp_path, "1; add(milk)\n", "AbF20.txt")
    with pytest.raises(InputError, match="two files of speaker 'AbF20'"):
        command_files(tmp_path)


def test_an_empty_or_absent_folder_is_refused_with_the_next_step(tmp_path):
    with pytest.raises(InputError, match="one file per speaker"):
        command_files(tmp_path)
    with pytest.raises(InputError, match="nowhere"):
        command_files(tmp_path / "nowhere")


def test_a_folder_stands_for_the_files_in_it_and_nothing_else(tmp_path):
    for name in ("b.txt", "a.CSV", "notes.md"):
        written(tmp_path, "1; add(milk)\n", name)
    (tmp_path / "deeper.csv").mkdir()
    assert list(command_files(tmp_path)) == ["a", "b"]
    assert command_files(tmp_path / "notes.md") == {"notes": tmp_path / "notes.md"}
    with pytest.raises(InputError, match="not found"):
        command_files(tmp_path / "gone")
    with pytest.raises(InputError, match=r"no \.csv or \.txt file"):
        command_files(tmp_path / "deeper.csv")
    written(tmp_path, "1; add(milk)\n", "a.txt")
    with pytest.raises(InputError, match="two files of speaker 'a'"):
        command_files(tmp_path)
