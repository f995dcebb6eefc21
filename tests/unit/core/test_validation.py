"""What is wrong with a mapping is said with the wrong key first, and everything independent at once."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from vivavoce.core.validation import known_keys, mistake, problems_of, read_sound_parts
from vivavoce.core.yaml_source import parse_yaml


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Inner(Strict):
    address: str
    often: int = 1


class Pair(Strict):
    low: int = 0
    high: int = 9

    @model_validator(mode="after")
    def _ordered(self) -> "Pair":
        if self.low > self.high:
            raise mistake("low lies above high", "swap them")
        return self


class File(Strict):
    rows: list[str]
    call: Inner | bool = False
    pair: Pair = Pair()
    other: Pair = Pair()
    names: dict[str, Inner] = Field({})


def said(text: str) -> list[str]:
    source = parse_yaml(text, "f.yaml")
    try:
        File.model_validate(source.data)
    except ValidationError as error:
        return [str(one) for one in problems_of(error, source, File)]
    return []


def test_a_misspelt_key_is_told_and_not_the_one_that_it_should_have_been() -> None:
    (told,) = said("row: [a]")
    assert told.startswith("f.yaml:1 row: unknown key 'row'. Did you mean 'rows'?")


def test_an_unknown_key_comes_before_a_missing_one_that_is_another() -> None:
    first, second = said("colour: red")
    assert "unknown key 'colour'" in first and "'rows' is missing" in second


def test_of_a_value_of_several_kinds_the_file_is_named_and_no_class() -> None:
    told = said("rows: []\ncall: {adress: x}")
    assert told == [
        "f.yaml:2 call.adress: unknown key 'adress'. Did you mean 'address'? Known: address, often"
    ]
    (told,) = said("rows: []\ncall: perhaps")
    assert told.startswith("f.yaml:2 call: 'perhaps' where a mapping of keys to values or true or false is")
    assert known_keys(File, ("call",)) == ["address", "often"]
    assert known_keys(File, ("names", "a")) == ["address", "often"]


def test_what_is_wrong_beside_a_wrong_key_is_told_as_well() -> None:
    source = parse_yaml("rows: [a]\ncall: 5\npair: {low: 5, high: 2}\nother: {lo: 1, low: 12}", "f.yaml")
    file, problems, lost = read_sound_parts(source, File)
    assert [f"{one.place}: {one.problem}" for one in problems] == [
        "f.yaml:4 other.lo: unknown key 'lo'",
        "f.yaml:2 call: 5 where a mapping of keys to values or true or false is expected",
        "f.yaml:3 pair: low lies above high",
    ]  # that `other` is in no order may come of what it lost
    assert file is not None and file.rows == ["a"] and ("call",) in lost


def test_what_follows_from_a_wrong_key_alone_is_not_told() -> None:
    source = parse_yaml("rows: [a]\nnames: {one: {adress: x}, two: {address: y}}", "f.yaml")
    file, problems, _ = read_sound_parts(source, File)
    assert len(problems) == 1 and "adress" in problems[0].problem
    assert file is not None and list(file.names) == ["two"]
