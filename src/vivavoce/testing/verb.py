"""Contract of every verb."""

import shlex
from collections.abc import Iterator
from typing import Any

from vivavoce.core.errors import InputError
from vivavoce.core.verb import PARTS, VERBS, Verb


class VerbContract:
    """Contract of every verb of the command line.

    name     what stands after `vivavoce`
    missing  words after it that name a file or folder that is not there; (): it takes none
    """

    name: str
    missing: tuple[str, ...] = ()

    @property
    def verb(self) -> Verb:
        return VERBS.get(self.name)

    def test_it_is_found_by_its_name_and_stands_under_a_heading(self) -> None:
        assert self.verb.hidden or self.verb.part in PARTS, f"part must be one of {', '.join(PARTS)}"

    def test_it_and_every_verb_below_it_say_what_they_do(self) -> None:
        for name, command in self._leaves():
            assert command.get_short_help_str(1000), f"{name} has no docstring"

    def test_every_example_is_accepted(self) -> None:
        assert self.verb.examples, "the command has no example"
        for example in self.verb.examples:
            command, words = self.verb.command(), shlex.split(example)
            if hasattr(command, "commands"):
                command, words = command.commands[words[0]], words[1:]
            with command.make_context(self.name, words):
                pass

    def test_a_path_that_is_not_there_is_one_line(self) -> None:
        if self.missing:
            problem = ""
            try:
                self.verb.command().main(list(self.missing), standalone_mode=False)
            except InputError as error:
                problem = str(error)
            assert problem, "a missing path needs an error message"
            assert "\n" not in problem

    def _leaves(self) -> Iterator[tuple[str, Any]]:
        command = self.verb.command()
        yield self.name, command
        yield from getattr(command, "commands", {}).items()
