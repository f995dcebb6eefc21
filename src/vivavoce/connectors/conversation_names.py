"""The name under which a system knows a conversation: its random key, and how often it was reset."""

from vivavoce.connectors.base import Conversation


def name_of(conversation: Conversation) -> str:
    generation = conversation.state.get("generation", 0)
    return f"{conversation.key}-{generation}" if generation else conversation.key


def renamed(conversation: Conversation) -> None:
    """Forget everything; for the system it is another conversation from now on."""
    generation = conversation.state.get("generation", 0)
    conversation.state.clear()
    conversation.state["generation"] = generation + 1
    conversation.history = ()
