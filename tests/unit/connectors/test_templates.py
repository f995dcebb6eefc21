"""Requests from templates: types are kept, and no text breaks out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.templates import compile_template
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.core.secrets import names_in

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.text())
def test_any_text_arrives_as_the_same_text(text: str) -> None:
    template = {"alone": "{{ text }}", "within": "said: {{ text }}!", "list": ["{{ text }}"]}
    made = compile_template(template, {"text"})({"text": text, "secrets": {}})
    assert made == {"alone": text, "within": f"said: {text}!", "list": [text]}
    assert json.loads(json.dumps(made)) == made


@given(JSON)
def test_a_single_expression_keeps_its_type(value: object) -> None:
    assert compile_template("{{ value }}", {"value"})({"value": value, "secrets": {}}) == value


def test_what_is_omitted_is_left_out() -> None:
    template = {"a": "{{ heard or omit }}", "b": [1, "{{ heard or omit }}"], "c": 2}
    render = compile_template(template, {"heard"})
    assert render({"heard": [], "secrets": {}}) == {"b": [1], "c": 2}
    assert render({"heard": ["x"], "secrets": {}}) == {"a": ["x"], "b": [1, ["x"]], "c": 2}


@pytest.mark.parametrize(
    "attack", ["{{ text.__class__ }}", "{{ ''.__class__.__mro__ }}", "{{ text.format.__globals__ }}"]
)
def test_the_sandbox_holds(attack: str) -> None:
    with pytest.raises(SystemUnderTestError) as caught:
        made = compile_template(f"x{attack}", {"text"})({"text": "t", "secrets": {}})
        raise AssertionError(made)
    assert caught.value.reached is False


def test_secrets_are_values_and_never_templates() -> None:
    template = {"key": "${KEY}", "header": "Bearer ${KEY}"}
    vault = Vault(names_in(template), {"KEY": "{{ text }}", "OTHER": "x"})
    made = compile_template(template, {"text"})({"text": "${OTHER}", "secrets": vault.values})
    assert made == {"key": "{{ text }}", "header": "Bearer {{ text }}"}


def test_what_a_participant_writes_never_becomes_a_secret() -> None:
    made = compile_template("{{ text }}", {"text"})({"text": "${KEY}", "secrets": {"KEY": "hunter2"}})
    assert made == "${KEY}"


def test_redaction_reaches_every_text_and_its_json_form() -> None:
    vault = Vault({"KEY"}, {"KEY": 'pass"word'})
    found = vault.redact({"a": ['my pass"word'], 'pass"word': 'in JSON: pass\\"word', "n": 3})
    assert found == {"a": ["my ${KEY}"], "${KEY}": "in JSON: ${KEY}", "n": 3}


def test_a_secret_that_is_not_set_is_named() -> None:
    with pytest.raises(InputError, match="environment variable KEY"):
        Vault({"KEY"}, {"KEY": ""})


@pytest.mark.parametrize(
    ("template", "made"),
    [
        ("{# a note #}as it is", "as it is"),
        ("{% if text %}said{% endif %}", "said"),
        ("as it is, {text}", "as it is, {text}"),
        ("{{ text }}{{ text }}", "hihi"),
        ("{{ text }} and {{ text }}", "hi and hi"),
        (
            {"kept": "{{ text }}", "n": 3, "none": None, "list": [True, "{{ text }}"]},
            {"kept": "hi", "n": 3, "none": None, "list": [True, "hi"]},
        ),
    ],
)
def test_whatever_is_a_template_is_filled_and_the_rest_stays(template: object, made: object) -> None:
    assert compile_template(template, {"text"})({"text": "hi", "secrets": {}}) == made
