"""A graph of LangGraph with a tool, served by `langgraph dev`; its model is a function."""

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


class Scripted(BaseChatModel):
    """Looks up what is said last, then says what was said first."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        said = [one for one in messages if isinstance(one, HumanMessage)]
        if isinstance(messages[-1], ToolMessage):
            message = AIMessage(f"first was {said[0].content}", usage_metadata=used(30, 6))
        else:
            call = {"name": "look_up", "args": {"words": said[-1].content}, "id": f"call-{len(messages)}"}
            message = AIMessage("", tool_calls=[call], usage_metadata=used(20, 9))
        message.response_metadata = {"model_name": "scripted-1"}
        return ChatResult(generations=[ChatGeneration(message=message)])


def used(read: int, wrote: int):
    details = {"input_token_details": {"cache_read": 5}, "output_token_details": {"reasoning": 2}}
    return {"input_tokens": read, "output_tokens": wrote, "total_tokens": read + wrote, **details}


@tool(response_format="content_and_artifact")
def look_up(words: str):
    """Look something up."""
    if words == "broken":
        raise ValueError("the archive is closed")
    found = [Document("Doors open at 9.", metadata={"source": "doors.md"})]
    return f"{len(found)} document", [one.model_dump() for one in found]


def answer(state: MessagesState):
    return {"messages": [Scripted().invoke(state["messages"])]}


graph = (
    StateGraph(MessagesState)
    .add_node("model", answer)
    .add_node("tools", ToolNode([look_up], handle_tool_errors=True))
)
graph = (
    graph.add_edge(START, "model")
    .add_conditional_edges("model", tools_condition)
    .add_edge("tools", "model")
    .compile()
)
