"""Words that sound alike, where the optional synthesiser is installed; what is said where it is not."""

from importlib.util import find_spec

import pytest

from vivavoce.core.extras import install_command
from vivavoce_stress.base import Utterance
from vivavoce_stress.packs import pack_of
from vivavoce_stress.propose import propose

installed = find_spec("espeakng_loader") is not None


@pytest.mark.skipif(
    not installed, reason="espeakng-loader is not installed: pip install 'vivavoce[phonetic]'"
)
def test_a_homophone_that_no_list_has_is_proposed() -> None:
    found = propose(Utterance(text="a pail of water", language="en"), ["ST-1"])
    assert "a pale of water" in [one.text for one in found.variants]


@pytest.mark.skipif(installed, reason="espeakng-loader is installed here")
def test_without_the_synthesiser_the_pack_says_what_to_install() -> None:
    pack = pack_of("en")
    assert not pack.has("phonemes")
    assert install_command("phonetic") in pack.lacks("phonemes")
