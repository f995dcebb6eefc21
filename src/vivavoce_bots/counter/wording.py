"""Words by which counters tell what is said, read from their file."""

import re
from functools import cache

from vivavoce_bots.dialogue.speech import read_data


@cache
def wording(module: str, name: str) -> re.Pattern[str]:
    """The regular expression of this name; capitals and small letters are the same."""
    return re.compile(read_data("counters")[module][name], re.I)
