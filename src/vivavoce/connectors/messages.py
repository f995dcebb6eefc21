"""A conversation as messages for model APIs: role and text."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.connectors.base import PastTurn
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.templates import Rendered, compile_template

_MESSAGE: Final = {"role": "{{ role }}", "content": "{{ text }}"}


class MessageShape(BaseModel):
    """Format of `{{ messages }}`: the prompt, the conversation so far and this turn."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    prompt: str | None = Field(default=None, description="first message; may contain {{ language }}")
    prompt_role: str = Field(default="system", description="role of the prompt")
    user_role: str = Field(default="user", description="role of the participant")
    system_role: str = Field(default="assistant", description="role of the system under test")
    message: Any = Field(
        default_factory=lambda: dict(_MESSAGE),
        description="template of one message; may contain {{ role }} and {{ text }}",
    )


class Messages:
    """A shape with its templates compiled."""

    def __init__(self, shape: MessageShape, vault: Vault) -> None:
        self._shape, self._vault = shape, vault
        self._prompt = compile_template(shape.prompt, {"language"}, place="messages.prompt")
        self._message: Rendered = compile_template(shape.message, {"role", "text"}, place="messages.message")

    def of(self, variables: Mapping[str, Any], history: Iterable[PastTurn]) -> list[Any]:
        """Messages up to the turn with the text in the variables."""
        shape = self._shape
        roles = {"user": shape.user_role, "system": shape.system_role}
        messages = [(shape.prompt_role, self._prompt(variables))] if shape.prompt is not None else []
        messages += [(roles[past.party], past.text) for past in history]
        messages += [(shape.user_role, variables["text"])] if variables["text"] else []  # none where it opens
        secrets = self._vault.values
        return [self._message({"role": role, "text": text, "secrets": secrets}) for role, text in messages]


def asks_for_history(template: Any) -> bool:
    """True if a template sends the conversation so far, so that the system need not remember it."""
    if isinstance(template, str):
        return "{{" in template and ("messages" in template or "history" in template)
    parts = template.values() if isinstance(template, Mapping) else template
    return isinstance(template, Mapping | list) and any(asks_for_history(part) for part in parts)
