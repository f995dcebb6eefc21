"""One suite that every registered channel must pass: the contract to which packages' are held, too."""

from typing import Any

import pytest

from vivavoce.study.channel import CHANNELS
from vivavoce.testing.channel import ChannelContract

TESTS = [name for name in vars(ChannelContract) if name.startswith("test_")]
STUDIES: dict[str, dict[str, Any]] = {
    "phone": {
        "settings": {"gate": "code"},
        "sections": {"telephone": {"outbound": {"allowed": ["sip:*@127.0.0.1"]}}},
    }
}


@pytest.mark.parametrize("keeps", TESTS)
@pytest.mark.parametrize("name", CHANNELS.names())
def test_a_channel_keeps_its_contract(name: str, keeps: str) -> None:
    contract = ChannelContract()
    contract.name, contract.languages = name, ("en", "it")
    for fact, value in STUDIES.get(name, {}).items():
        setattr(contract, fact, value)
    getattr(contract, keeps)()
