"""Secrets that somebody wrote into a file."""

import pytest

from vivavoce.core.secrets import hide_secrets, literal_secrets, texts_in, without_secrets
from vivavoce.core.yaml_source import parse_yaml

STUDY = """study: x   # the token was abcdefghij0
systems:
  chat:
    url: https://u:pass-word1@h/?token=url-token&a=b   # see the docs
    headers: {Authorization: Bearer abcdefghij0, accept: application/json, "X-Api-Key": 'k''ey-quoted'}
    body: |
      {"api_key": "body-secret", "text": "{{ text }}"}
    key: &k "anchored1"
    password: 12345678
  program: {command: [python, b.py, --token, option-value, --api-key=option-assigned], key: *k}
  folded:
    token: >-
      folded
      secret
    secret: ${NAMED}
"""
SECRETS = (
    *("abcdefghij0", "pass-word1", "url-token", "quoted", "body-secret", "anchored1", "12345678"),
    *("option-value", "option-assigned", "folded\n", "folded secret"),
)


def test_a_file_without_its_secrets_has_the_same_lines_comments_and_other_values() -> None:
    hidden = without_secrets(STUDY)
    assert [secret for secret in SECRETS if secret in hidden] == []
    assert len(hidden.splitlines()) == len(STUDY.splitlines())
    assert "# see the docs" in hidden and "accept: application/json" in hidden and '"{{ text }}"' in hidden
    source = parse_yaml(hidden, "study.yaml")
    assert source.problems == [] and source.data["systems"] == hide_secrets(
        parse_yaml(STUDY, "study.yaml").data["systems"]
    ) | {"program": source.data["systems"]["program"]}
    assert without_secrets(hidden) == hidden


@pytest.mark.parametrize(
    "settings",
    [
        {"key": "c", "max_tokens": 4096, "monkey": "a chimpanzee"},
        {"headers": {"authorization": "Bearer ${KEY}", "accept": "text/plain"}},
        {"url": "https://h/{{ conversation }}?language=en", "title": "Token: a play about secrets"},
        {"body": {"key": "{{ key }}"}, "token": None, "auth": True},
    ],
)
def test_what_is_no_secret_stays(settings: dict[str, object]) -> None:
    assert literal_secrets(texts_in(settings)) == {} and hide_secrets(settings) == settings
